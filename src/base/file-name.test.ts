import { expect, test } from "vitest";
import { runFileName } from "./file-name.ts";

test.each([
  ["Nightly: Größe & café", "nightly-gro-e-cafe"],
  ["../../etc/passwd\r\nx: y", "etc-passwd-x-y"],
  ["客服", "run"],
  ["a".repeat(200), "a".repeat(60)],
])("names a file after %j", (test_name, start) => {
  const run = { run_id: "01a1eec5-acdd-75c0-927c-487877a93886", test_name, created_at: "2026-11-18T13:08:14.000Z" };
  expect(runFileName(run)).toBe(`${start}-2026-11-18-a93886`);
});
