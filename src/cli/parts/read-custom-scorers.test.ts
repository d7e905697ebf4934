import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Secret } from "../../base/secret.ts";
import type { CustomScorer } from "../../evaluation/scorers/custom-scorer.ts";
import { createScrubber } from "../../services/http/scrub.ts";
import { readCustomScorers, scrubbedScorer } from "./read-custom-scorers.ts";

test.each([
  ["success", "is the name of another score"],
  ["token_f1", "is the name of another score"],
  ["tooLoud", "name scorers with lower-case letters"],
])("a scorer may not be called %s", async (name, problem) => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("scorers.mjs"), `export const ${name} = () => 0.25;\n`);
  await expect(readCustomScorers(folder.file("scorers.mjs"), { scrub: String })).rejects.toThrow(problem);
});

const input = {
  user_message: "q",
  reply: "a",
  references: [],
  reference_metadata: {},
  generated_metadata: {},
  interaction_id: "1",
};
const run = (scorer: CustomScorer) =>
  scrubbedScorer(scorer, createScrubber([new Secret("canary-123456")]))(input) as Promise<unknown>;

test.each([
  ["an error", () => Promise.reject(new Error("401 for canary-123456"))],
  [
    "something else",
    () => {
      throw "401 for canary-123456";
    },
  ],
])("what a scorer throws is told without a secret: %s", async (_, scorer) => {
  await expect(run(scorer)).rejects.toThrow(/^401 for \[redacted\]$/);
});

test("why a score is what it is, is told without a secret", async () => {
  expect(await run(() => ({ value: 0, reason: "asked with canary-123456" }))).toEqual({
    value: 0,
    reason: "asked with [redacted]",
  });
});

test.each([0.5, null, { value: null }, { value: 1, reason: "good" }])("a score of %j stays as it is", async (score) => {
  expect(await run(() => score)).toEqual(score);
});
