import { expect, test } from "vitest";
import { reservedScores } from "../../contract/schemas/scores/score-names.ts";
import { ScorerSetting, UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { scorerNames } from "../../scoring/scorers/scores.ts";
import {
  compilationProblems,
  distinctChecks,
  scorerProblems,
  toTurnProblems,
  turnCheckProblems,
} from "./scorer-problems.ts";

function problemsOf(name: string): string[] {
  const setting = ScorerSetting.parse({ type: "contains", text: "refund", name });
  return scorerProblems([setting], ["token_f1"]).map(({ message }) => message);
}

test("refuses check names of built-in scores, labels and rubrics", () => {
  for (const name of ["overall", "token_f1", "semantic_similarity", "conversation_quality"]) {
    expect(problemsOf(name)).toEqual([`"${name}" is the name of another score`]);
  }
  expect(problemsOf("metadata.intent")).toEqual([
    `"metadata.intent" begins with "metadata.", which is reserved for built-in scores`,
  ]);
  expect(problemsOf("judge.tone")).toHaveLength(1);
  expect(problemsOf("conversation.tone")).toHaveLength(1);
  expect(problemsOf("metadata_checked")).toEqual([]);
});

test("refuses patterns and schemas that are too long in total before compiling them", () => {
  const pattern = { type: "regex", pattern: "(".repeat(2_000), ignore_case: false, negate: false } as const;
  const schema = { type: "json_schema", schema: { description: "x".repeat(60_000) } } as const;
  expect(scorerProblems([...Array.from({ length: 12 }, () => pattern), schema, schema], [])).toMatchObject([
    { index: 10, field: "pattern", code: "too_big" },
    { index: 13, field: "schema", code: "too_big" },
  ]);
  expect(scorerProblems([{ ...pattern, pattern: "a".repeat(2_000) }, schema], [])).toEqual([]);
});

const large = "(?:a?b?){500}".repeat(90);

test("refuses patterns that are too large in total, and does not compile the rest", () => {
  const regex = (pattern: string) => ScorerSetting.parse({ type: "regex", pattern });
  expect(compilationProblems([regex("(?:a?b?){500}"), regex(large), regex("(?=never read)")])).toMatchObject([
    { index: 1, field: "pattern", code: "pattern_unsupported", message: expect.stringContaining("too large together") },
    { index: 2, field: "pattern", message: expect.stringContaining("too large together") },
  ]);
});

test("counts and limits the patterns in schemas like others", () => {
  const schema = (...patterns: string[]) =>
    ScorerSetting.parse({ type: "json_schema", schema: { allOf: patterns.map((pattern) => ({ pattern })) } });
  const parts = Array.from({ length: 60 }, (_, index) => `x${index}(?:a?b?){500}`);
  expect(compilationProblems([schema(...parts.slice(0, 5))])).toEqual([]);
  expect(compilationProblems([schema(...parts)])).toMatchObject([
    { index: 0, field: "schema", message: expect.stringContaining("too large together") },
  ]);
  expect(compilationProblems([schema("a".repeat(2_001))])).toMatchObject([
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

test("accepts a check with one bound, or with a sign as its text", () => {
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

test.each(["toString", "valueOf", "constructor"])("a check cannot be called %s", (name) => {
  expect(scorerProblems([ScorerSetting.parse({ type: "contains", text: "x", name })], [])).toMatchObject([
    { field: "name", message: `"${name}" is a name that no score can have` },
  ]);
});

test("reserves the names of all built-in scores", () => {
  expect(scorerNames.filter((name) => !reservedScores.has(name))).toEqual([]);
});

const turnOf = (...checks: object[]) => checks.map((check) => UserScorerSetting.parse(check));

test("validates turn checks like those of a run, and reports their position", () => {
  const scorers = [ScorerSetting.parse({ type: "contains", text: "a", name: "tone" })];
  const turns = [
    turnOf({ type: "contains", text: "b" }),
    turnOf({ type: "contains", text: "c", name: "tone" }, { type: "length" }),
    turnOf({ type: "contains", text: "d", name: "x" }, { type: "contains", text: "e", name: "x" }),
    turnOf({ type: "contains", text: "b", name: "overall" }),
  ];
  const problems = turnCheckProblems(turns, { scorers, available: [] });
  expect(problems.map(({ turn, index, field }) => [turn, index, field])).toEqual([
    [1, 0, "name"],
    [2, 1, "name"],
    [3, 0, "name"],
    [1, 1, "max"],
  ]);
});

test("counts a pattern shared by many turns once", () => {
  const long = turnOf({ type: "regex", pattern: "a".repeat(2_000) });
  const options = { scorers: [], available: [] };
  expect(
    turnCheckProblems(
      Array.from({ length: 1_000 }, () => long),
      options,
    ),
  ).toEqual([]);
  const different = Array.from({ length: 11 }, (_, index) =>
    turnOf({ type: "regex", pattern: `${index}${"a".repeat(1_900)}` }),
  );
  expect(turnCheckProblems(different, options)).toMatchObject([
    { turn: 10, index: 0, field: "pattern", code: "too_big" },
  ]);
});

test("reports a check that cannot be compiled at the first turn that has it", () => {
  const turns = [
    turnOf({ type: "contains", text: "a" }),
    turnOf({ type: "contains", text: "a" }, { type: "regex", pattern: "(?=a)" }),
    turnOf({ type: "regex", pattern: "(?=a)", name: "again" }),
  ];
  const distinct = distinctChecks(turns);
  const problems = compilationProblems(distinct.map(({ setting }) => setting));
  expect(toTurnProblems(problems, distinct)).toMatchObject([{ turn: 1, index: 1, field: "pattern" }]);
});
