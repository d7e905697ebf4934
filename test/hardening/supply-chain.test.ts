import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("what we depend on is pinned, hashed, freely licensed and runs nothing when it is installed", () => {
  const output = execFileSync(process.execPath, [resolve(root, "scripts/check-supply-chain.mjs")], {
    encoding: "utf8",
  });
  expect(JSON.parse(output)).toMatchObject({ findings: 0 });
});
