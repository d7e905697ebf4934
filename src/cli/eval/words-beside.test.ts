import { expect, test } from "vitest";
import { wordsBeside } from "./words-beside.ts";

test("what a run is found by and held to is typed again", () => {
  const where = { dataDir: "my runs", envFile: [".env", "ci.env"], config: "nightly.yaml" };
  const held = { gate: ["success>=1"], baseline: "latest", maxRegression: 0.02 };
  expect(wordsBeside({ ...where, ...held }).join(" ")).toBe(
    '--data-dir "my runs" --env .env --env ci.env -c nightly.yaml --gate "success>=1" --baseline latest --max-regression 0.02',
  );
  expect(wordsBeside({})).toEqual([]);
});
