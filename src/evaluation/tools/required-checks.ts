import type { StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { Interaction } from "../../contract/schemas/scenario.ts";
import { memberNames, turnCheckNames } from "../../contract/schemas/score-names.ts";
import type { ScorerSetting, TurnCheck } from "../../contract/schemas/scorer-setting.ts";

/** A turn with the scores of its reply. */
export interface CheckedTurn {
  readonly interaction: Pick<Interaction, "checks" | "reference_tool_calls">;
  /** Undefined for a turn that was not scored. */
  readonly scores: Pick<StoredScores, "scores" | "score_reasons"> | undefined;
  /** The checks of the run, after which those of the turn are numbered. */
  readonly scorers: readonly ScorerSetting[];
}

/** `passed` is null for a check without a score. */
interface CheckVerdict {
  readonly name: string;
  readonly passed: boolean | null;
  readonly reason: string;
}

/**
 * The verdicts of a turn's own checks and of its expected tool calls. A check passes with 1; code without a threshold passes
 * with anything above 0, and a group without one when all its checks pass. Checks of weight 0 are only reported.
 */
export function requiredChecks({ interaction, scores, scorers }: CheckedTurn): CheckVerdict[] {
  const { checks = [], reference_tool_calls: calls } = interaction;
  const verdict = (name: string, least: "one" | "any" = "one"): CheckVerdict => {
    const value = scores?.scores[name];
    const reason = scores?.score_reasons[name] ?? (value === undefined ? "it was not scored" : String(value));
    return { name, passed: value === undefined ? null : least === "any" ? value > 0 : value >= 1, reason };
  };
  const ofCheck = (check: TurnCheck, name: string): CheckVerdict[] => {
    if (check.weight === 0) return [];
    if (check.type === "group" && check.threshold === undefined) {
      const names = memberNames(name, check.checks);
      return check.checks.flatMap((member, index) => ofCheck(member, names[index] ?? member.type));
    }
    const isGradedCode = (check.type === "javascript" || check.type === "python") && check.threshold === undefined;
    return [verdict(name, isGradedCode ? "any" : "one")];
  };
  const names = turnCheckNames(checks, scorers);
  return [
    ...checks.flatMap((check, index) => ofCheck(check, names[index] ?? check.type)),
    ...(calls ? [verdict("tool_match")] : []),
  ];
}
