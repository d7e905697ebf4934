import { expect, test } from "vitest";
import { ScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { readinessProblems, scorerProblems } from "./scorer-problems.ts";
import { reservedScores } from "../../contract/schemas/score-names.ts";
import { scorerNames } from "./built-in-scorers.ts";

function problemsOf(name: string): string[] {
  const setting = ScorerSetting.parse({ type: "contains", text: "refund", name });
  return scorerProblems([setting], ["token_f1"]).map(({ message }) => message);
}

test("a check may not take the name of a score of ours, not even of a label or a rubric", () => {
  for (const name of ["overall", "token_f1", "semantic_similarity", "conversation_quality"]) {
    expect(problemsOf(name)).toEqual([`"${name}" is the name of another score`]);
  }
  expect(problemsOf("metadata.intent")).toEqual([
    `"metadata.intent" begins with "metadata.", as only the service's own scores do`,
  ]);
  expect(problemsOf("judge.tone")).toHaveLength(1);
  expect(problemsOf("conversation.tone")).toHaveLength(1);
  expect(problemsOf("metadata_checked")).toEqual([]);
});

test("patterns and schemas are refused before they are compiled when they are too long together", () => {
  const pattern = { type: "regex", pattern: "(".repeat(2_000), ignore_case: false, negate: false } as const;
  const schema = { type: "json_schema", schema: { description: "x".repeat(60_000) } } as const;
  expect(scorerProblems([...Array.from({ length: 12 }, () => pattern), schema, schema], [])).toMatchObject([
    { index: 10, field: "pattern", code: "too_big" },
    { index: 13, field: "schema", code: "too_big" },
  ]);
  expect(scorerProblems([{ ...pattern, pattern: "a".repeat(2_000) }, schema], [])).toEqual([]);
});

const large = "(?:a?b?){500}".repeat(90);

test("patterns that repetitions make too large together are refused, and those behind them are not made ready", () => {
  const regex = (pattern: string) => ScorerSetting.parse({ type: "regex", pattern });
  expect(readinessProblems([regex("(?:a?b?){500}"), regex(large), regex("(?=never read)")])).toMatchObject([
    { index: 1, field: "pattern", code: "pattern_unsupported", message: expect.stringContaining("too large together") },
    { index: 2, field: "pattern", message: expect.stringContaining("too large together") },
  ]);
});

test("the patterns in schemas count like others, and are no longer than others", () => {
  const schema = (...patterns: string[]) =>
    ScorerSetting.parse({ type: "json_schema", schema: { allOf: patterns.map((pattern) => ({ pattern })) } });
  const parts = Array.from({ length: 60 }, (_, index) => `x${index}(?:a?b?){500}`);
  expect(readinessProblems([schema(...parts.slice(0, 5))])).toEqual([]);
  expect(readinessProblems([schema(...parts)])).toMatchObject([
    { index: 0, field: "schema", message: expect.stringContaining("too large together") },
  ]);
  expect(readinessProblems([schema("a".repeat(2_001))])).toMatchObject([
    { index: 0, field: "schema", message: expect.stringContaining("2000 characters") },
  ]);
});

test.each([
  [{ type: "length" }, "max", "required"],
  [{ type: "length", unit: "words" }, "max", "required"],
  [{ type: "contains", text: " \n" }, "text", "too_small"],
  [{ type: "contains", text: ["refund", "\u{200B}"], mode: "none" }, "text", "too_small"],
])("a check that every reply passes is refused: %j", (setting, field, code) => {
  expect(scorerProblems([ScorerSetting.parse(setting)], [])).toMatchObject([{ index: 0, field, code }]);
});

test("a check with one bound, or with a sign to look for, is one", () => {
  const settings = [
    { type: "length", min: 0, name: "a" },
    { type: "length", max: 0, name: "b" },
    { type: "contains", text: " ? " },
  ];
  expect(
    scorerProblems(
      settings.map((setting) => ScorerSetting.parse(setting)),
      [],
    ),
  ).toEqual([]);
});

test.each(["toString", "valueOf", "constructor"])("a check cannot be called %s, which every object has", (name) => {
  expect(scorerProblems([ScorerSetting.parse({ type: "contains", text: "x", name })], [])).toMatchObject([
    { field: "name", message: `"${name}" is a name that no score can have` },
  ]);
});

test("every score of ours has a name that no check may take", () => {
  expect(scorerNames.filter((name) => !reservedScores.has(name))).toEqual([]);
});
