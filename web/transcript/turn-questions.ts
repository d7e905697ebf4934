import type { TurnCheck } from "../../src/contract/scorer-setting.ts";

/** What the judge was asked about one turn alone, by the name of the score: the given one, else the type, numbered from the second on. */
export function turnQuestions(checks: readonly TurnCheck[] = []): ReadonlyMap<string, string> {
  let unnamed = 0;
  return new Map(
    checks.flatMap((check) => {
      if (check.type !== "rubric") return [];
      if (check.name === undefined) unnamed++;
      return [[check.name ?? (unnamed === 1 ? "rubric" : `rubric_${unnamed}`), check.text]];
    }),
  );
}
