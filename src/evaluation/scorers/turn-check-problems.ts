import type { ScorerSetting, TurnCheck, UserScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { checkNames, turnCheckNames } from "../../contract/schemas/score-names.ts";
import { settingKey } from "./create-checks.ts";
import { checkNameProblems, lengthProblems, settingProblems, type ScorerProblem } from "./scorer-problems.ts";

/** The checks of each turn of a batch. */
type ChecksOfTurns = readonly (readonly TurnCheck[])[];

/** A check of a turn: in which turn's list it stands, and where in it. */
interface DistinctCheck {
  readonly turn: number;
  readonly index: number;
  readonly setting: UserScorerSetting;
}

interface TurnCheckProblem extends ScorerProblem {
  readonly turn: number;
}

/** Every check that turns bring, but for what a judge is asked, once: where many say the same, the first of them. */
export function distinctChecks(turns: ChecksOfTurns): DistinctCheck[] {
  const distinct = new Map<string, DistinctCheck>();
  for (const [turn, checks] of turns.entries()) {
    for (const [index, setting] of checks.entries()) {
      if (setting.type === "rubric") continue;
      const key = settingKey(setting);
      if (!distinct.has(key)) distinct.set(key, { turn, index, setting });
    }
  }
  return [...distinct.values()];
}

/**
 * What is wrong with the checks that turns bring themselves, beside the scorers of the run. What many turns say counts once. Whether
 * patterns and schemas can be used is found out by `readinessProblems`.
 */
export function turnCheckProblems(
  turns: ChecksOfTurns,
  { scorers, available }: { scorers: readonly ScorerSetting[]; available: readonly string[] },
): TurnCheckProblem[] {
  const ofRun = [...available, ...checkNames(scorers)];
  const ofNames = turns.flatMap((checks, turn) => {
    const names = turnCheckNames(checks, scorers);
    return names.flatMap((name, index) => {
      const taken = new Set([...ofRun, ...names.slice(0, index)]);
      return checkNameProblems(name, { index, taken }).map((problem) => ({ turn, ...problem }));
    });
  });
  const distinct = distinctChecks(turns);
  const tooLong = lengthProblems(distinct.map(({ setting }) => setting));
  const wrong =
    tooLong.length > 0 ? tooLong : distinct.flatMap(({ setting }, index) => settingProblems(setting, index));
  return [...ofNames, ...inTheirTurns(wrong, distinct)];
}

/** Problems of a list of distinct checks, told of the turns where those stand. */
export function inTheirTurns(
  problems: readonly ScorerProblem[],
  distinct: readonly DistinctCheck[],
): TurnCheckProblem[] {
  return problems.flatMap((problem) => {
    const place = distinct[problem.index];
    return place ? [{ ...problem, turn: place.turn, index: place.index }] : [];
  });
}
