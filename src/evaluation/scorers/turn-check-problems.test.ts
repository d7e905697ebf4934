import { expect, test } from "vitest";
import { ScorerSetting, UserScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { readinessProblems } from "./scorer-problems.ts";
import { distinctChecks, inTheirTurns, turnCheckProblems } from "./turn-check-problems.ts";

const turnOf = (...checks: object[]) => checks.map((check) => UserScorerSetting.parse(check));

test("checks of turns are refused for what those of a run are refused for, at their place", () => {
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

test("a pattern that many turns have counts once", () => {
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

test("what cannot be made ready is told of the first turn that has it", () => {
  const turns = [
    turnOf({ type: "contains", text: "a" }),
    turnOf({ type: "contains", text: "a" }, { type: "regex", pattern: "(?=a)" }),
    turnOf({ type: "regex", pattern: "(?=a)", name: "again" }),
  ];
  const distinct = distinctChecks(turns);
  const problems = readinessProblems(distinct.map(({ setting }) => setting));
  expect(inTheirTurns(problems, distinct)).toMatchObject([{ turn: 1, index: 1, field: "pattern" }]);
});
