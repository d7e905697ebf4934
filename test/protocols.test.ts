import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { protocols } from "../src/contract/protocols/protocols.ts";

const program = join(import.meta.dirname, "support/throw-away-protocol.ts");

test("a protocol that is added to the registry is in the schema, the API document, --help, credentials, calls and the page", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const { document, help, ...seen } = JSON.parse(stdout);
  const names = [...Object.keys(protocols), "throw-away"];
  expect(JSON.parse(document)).toMatchObject({ enum: names });
  expect(help).toContain("throw-away");
  expect(seen).toEqual({
    request: true,
    describedInDocument: true,
    offersTools: true,
    sent: [
      ["/v1/throws", "1", "key-1"],
      ["/v1/models", "1", "key-1"],
    ],
    bound: [["x-throw-key", "key-1"]],
    elsewhere: [],
    page: { id: "throw-away", label: "A throw-away" },
    reference: true,
  });
});
