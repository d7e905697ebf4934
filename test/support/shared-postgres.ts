import { inject } from "vitest";
import { createDatabase, type TestDatabase } from "./postgres.ts";

/**
 * A new, empty database on the PostgreSQL that all test files share, or a copy of another one. A test that stops or
 * crashes the server starts one of its own with `startPostgres`.
 */
export async function createTestDatabase(options?: { from?: TestDatabase }): Promise<TestDatabase> {
  return createDatabase(await serverUrl(), options);
}

let url: Promise<string> | undefined;

/** The first request starts the server. */
function serverUrl(): Promise<string> {
  url ??= fetch(inject("postgresStarter")).then(async (answer) => {
    if (!answer.ok) throw new Error(await answer.text());
    return answer.text();
  });
  return url;
}
