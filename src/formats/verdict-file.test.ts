import { expect, test } from "vitest";
import { parseVerdictFile } from "./verdict-file.ts";

test("a row without a choice before the last verdict was skipped; after it, nobody came to it", () => {
  const { rows, skipped } = parseVerdictFile(
    ["scenario_id,choice,sampling", "a,good,stratified", "b,,stratified", "c,bad,stratified", "d,,stratified"].join(
      "\n",
    ),
  );
  expect(rows.map(({ verdict }) => [verdict.scenario_id, verdict.choice ?? null, verdict.skipped ?? false])).toEqual([
    ["a", "good", false],
    ["b", null, true],
    ["c", "bad", false],
  ]);
  expect(skipped).toBe(2);
});
