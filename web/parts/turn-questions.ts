import { checkNames } from "../../src/contract/schemas/score-names.ts";
import type { TurnCheck } from "../../src/contract/schemas/scorer-setting.ts";

/** What the judge was asked about one turn alone, by the name of the score. */
export function turnQuestions(checks: readonly TurnCheck[] = []): ReadonlyMap<string, string> {
  const rubrics = checks.filter((check) => check.type === "rubric");
  const names = checkNames(rubrics);
  return new Map(rubrics.map(({ text }, index) => [names[index] ?? "rubric", text]));
}
