import { expect, test } from "vitest";
import { agentOperations } from "../../src/services/agent/app.ts";
import { evaluationOperations } from "../../src/services/evaluation/app.ts";
import { parseAddress, type Operation } from "../../src/contract/operations/operation.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { runServices } from "../support/services.ts";

const nul = "%00";
/** No list gave these; the last one has the form of a cursor, around an id that no row can have. */
const junk = [nul, "zzz", "7", Buffer.from(JSON.stringify([1, "\0"])).toString("base64url")];

/** Every address of an operation with NUL in its path, or in one part of its query. PostgreSQL takes no NUL in a text. */
function oddAddresses({ address, query }: Operation): string[] {
  const { path } = parseAddress(address);
  const filled = path.replaceAll(/\{\w+\}/g, nul);
  const parts = Object.keys(query?.shape ?? {});
  const inQuery = parts.map((name) => `${filled}?${name}=${nul}`);
  const withCursor = parts.includes("cursor") ? junk.map((cursor) => `${filled}?cursor=${cursor}`) : [];
  const withVersion = path.endsWith("}") ? [`${filled}?version=${nul}`] : [];
  return [...(filled === path ? [] : [filled]), ...inQuery, ...withCursor, ...withVersion];
}

test("an id that no row can have is not found, and a cursor that no list gave is refused, also on PostgreSQL", async () => {
  await using database = await createTestDatabase();
  await using services = await runServices({ DATABASE_URL: database.url });
  const calls = [
    ...agentOperations.map((operation) => ({ operation, base: services.agent })),
    ...evaluationOperations.map((operation) => ({
      operation,
      base: services.evaluation,
    })),
  ];
  const failed: string[] = [];
  let asked = 0;
  for (const { operation, base } of calls) {
    for (const address of oddAddresses(operation)) {
      const method = parseAddress(operation.address).method.toUpperCase();
      const body = operation.body
        ? { body: '{"decisions":{"a":"approve"}}', headers: { "content-type": "application/json" } }
        : {};
      const { status } = await fetch(`${base}${address}`, { method, ...body });
      asked += 1;
      if (status >= 500 || (address.includes("cursor") && status !== 422))
        failed.push(`${method} ${address}: ${status}`);
    }
  }
  expect(asked).toBeGreaterThan(30);
  expect(failed).toEqual([]);
});
