import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Secret } from "../../base/secret.ts";
import type { CustomScorer } from "../../evaluation/scorers/custom-scorer.ts";
import { createScrubber } from "../../services/http/environment/scrub.ts";
import { readCustomScorers, readRunner, scrubbedScorer } from "./operator-modules.ts";

test.each([
  ["success", "is the name of another score"],
  ["token_f1", "is the name of another score"],
  ["tooLoud", "name scorers with lower-case letters"],
])("refuses a scorer with the name %s", async (name, problem) => {
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
])("removes secrets from what a scorer throws: %s", async (_, scorer) => {
  await expect(run(scorer)).rejects.toThrow(/^401 for \[redacted\]$/);
});

test("removes secrets from a score's reason", async () => {
  expect(await run(() => ({ value: 0, reason: "asked with canary-123456" }))).toEqual({
    value: 0,
    reason: "asked with [redacted]",
  });
});

test.each([0.5, null, { value: null }, { value: 1, reason: "good" }])(
  "leaves a score of %j unchanged",
  async (score) => {
    expect(await run(() => score)).toEqual(score);
  },
);

const modules = [
  ["AGENT_RUNNER", readRunner],
  ["REHEARSAL_SCORERS_MODULE", (path: string) => readCustomScorers(path, { scrub: String })],
] as const;

test.each(modules)("says why the module of %s cannot be loaded", async (name, read) => {
  await using folder = await temporaryFolder();
  const file = folder.file("module.mjs");
  await writeFile(file, 'import "a-package-that-is-not-there";\nexport default async () => "Hi";\n');
  await expect(read(file)).rejects.toThrow(`${name} names ${file}, which cannot be loaded: `);
  await expect(read(file)).rejects.toThrow(/a-package-that-is-not-there/);
});

test.each(modules)("says that the module of %s does not exist", async (name, read) => {
  await using folder = await temporaryFolder();
  const missing = folder.file("missing.mjs");
  await expect(read(missing)).rejects.toThrow(`${name} names ${missing}, which does not exist`);
});
