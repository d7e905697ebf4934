import type { StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { Interaction } from "../../contract/schemas/scenario.ts";
import { memberNames, turnCheckNames } from "../../contract/schemas/scores/score-names.ts";
import type { ScorerSetting, TurnCheck, UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";

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
 * with anything above 0, and a group without one when all its checks pass. Checks of weight 0 are only reported, and so are
 * similarities without a threshold, which say how close a reply is and not whether it is right.
 */
export function requiredChecks({ interaction, scores, scorers }: CheckedTurn): CheckVerdict[] {
  const { checks = [], reference_tool_calls: calls } = interaction;
  return [
    ...checkVerdicts(checks, { names: turnCheckNames(checks, scorers), scores }),
    ...(calls ? [requiredVerdict("tool_match", scores)] : []),
  ];
}

/** The verdicts of checks whose scores have these names. */
export function checkVerdicts(
  checks: readonly (TurnCheck | UserScorerSetting)[],
  { names, scores }: { readonly names: readonly (string | null)[] } & Pick<CheckedTurn, "scores">,
): CheckVerdict[] {
  return checks.flatMap((check, index) => {
    const name = names[index] ?? check.type;
    if (check.weight === 0) return [];
    if (check.type === "group" && check.threshold === undefined)
      return checkVerdicts(check.checks, { names: memberNames(name, check.checks), scores });
    if (check.type === "similarity" && check.threshold === undefined) return [];
    const isGradedCode = (check.type === "javascript" || check.type === "python") && check.threshold === undefined;
    return [requiredVerdict(name, scores, isGradedCode ? "any" : "one")];
  });
}

function requiredVerdict(name: string, scores: CheckedTurn["scores"], least: "one" | "any" = "one"): CheckVerdict {
  const value = scores?.scores[name];
  const reason = scores?.score_reasons[name] ?? (value === undefined ? "it was not scored" : String(value));
  return { name, passed: value === undefined ? null : least === "any" ? value > 0 : value >= 1, reason };
}
