import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { startPostgres, type TestPostgres } from "../postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with the address of the shared PostgreSQL, which it starts when it is asked for the first time. */
    postgresStarter: string;
  }
}

/** Global set-up: one PostgreSQL for all test files, and none where no file asks for it. */
export default async function startOnce(project: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<TestPostgres> | undefined;
  const starter = createServer((_request, response) => {
    postgres ??= startPostgres();
    postgres.then(
      ({ url }) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(0, "127.0.0.1");
  await once(starter, "listening");
  project.provide("postgresStarter", `http://127.0.0.1:${(starter.address() as AddressInfo).port}`);
  return async () => {
    starter.close();
    await (await postgres)?.stop();
  };
}
