import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { RunDigest } from "../../formats/export/results/run-digest.ts";
import { compact } from "../../base/compact.ts";
import { outOfReachText } from "../../runs/compare/baseline-gate.ts";
import { decidingRun } from "../../runs/compare/deciding-run.ts";
import {
  compareResponses,
  evaluateBaseline,
  evaluateNotWorse,
  outOfReach,
  regressionMargins,
  type NotedComparison,
} from "../gates/compare-results.ts";
import type { GateCheck } from "../gates/evaluate-gates.ts";
import { ownCommand } from "../terminal/next-command.ts";
import type { EvalSettings } from "./eval-settings.ts";

/** Words and scenarios of a repetition that would decide an undecided comparison. */
export interface Repetition {
  readonly words: readonly string[];
  /** Words that name the target, as they were typed. */
  readonly chosen: readonly string[];
  readonly available: number;
}

export interface Compared {
  readonly candidate: EvaluationResponse;
  readonly digest: RunDigest;
  readonly settings: EvalSettings;
  readonly again?: Repetition | undefined;
}

export interface AgainstBaseline {
  readonly comparison: NotedComparison;
  /** The scores that must not get worse. */
  readonly scores: readonly string[];
  readonly checks: readonly GateCheck[];
  /** The runs that would decide an undecided comparison, with their commands. */
  readonly next: string | null;
}

/** Compares an ended run with `--baseline`. */
export function againstBaseline(baseline: EvaluationResponse, compared: Compared): AgainstBaseline {
  const { candidate, digest, settings, again } = compared;
  const { config, margins } = settings;
  const scores = config.baseline_scores ?? ["overall", "success"];
  const regression = { scores, maxRegression: config.max_regression ?? 0, undecided: config.undecided };
  const comparison = compareResponses(baseline, candidate, { margins: margins ?? regressionMargins(regression) });
  if (!margins) return { comparison, scores, checks: [evaluateBaseline(comparison, regression)], next: null };

  const check = evaluateNotWorse(comparison, { margins, undecided: regression.undecided });
  // Scores without a margin still must not be shown to be worse; an undecided one of those decides nothing.
  const rest = scores.filter((name) => !Object.hasOwn(margins, name));
  const other = evaluateBaseline(comparison, { ...regression, scores: rest, undecided: "pass" });
  const checks = rest.length === 0 || !comparison.comparable || other.passed ? [check] : [check, other];
  const next = comparison.not_worse
    ? decidingRun(comparison.not_worse, {
        baseline,
        candidate: digest,
        margins,
        ...compact({ attempts: digest.attempts }),
        ...again,
        command: (words) => ownCommand(...words),
      })
    : null;
  return { comparison, scores, checks, next };
}

/** The margins that no result of these scenarios could be shown to keep, to be said before the first call. */
export function marginsOutOfReach(
  baseline: EvaluationResponse,
  { margins, scenarios }: { margins: NonNullable<EvalSettings["margins"]>; scenarios: ReadonlySet<string> },
): string[] {
  return outOfReach(baseline, { margins, scenarios }).map(
    (measure) =>
      `--not-worse-by ${outOfReachText(measure, margins[measure.name] ?? 0)}. The result can only be worse or undecided.`,
  );
}
