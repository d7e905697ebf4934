import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../../contract/schemas/evaluation-response.ts";
import { expectsSomething } from "../../../contract/schemas/scenario.ts";
import { failureOf, type ScenarioFailure } from "./failure.ts";
import { unauditedScores, undecidedStatements } from "./report-text.ts";
import { isFailing, verdictOf, type ScenarioVerdict } from "./verdict.ts";

/** The figures of a scenario that the summary and the gates of its run use, without its attempts. */
export interface ScenarioDigest extends Pick<
  ScenarioResult,
  "scenario_id" | "average_scores" | "score_stats" | "reliability"
> {
  readonly verdict: ScenarioVerdict;
  /** True where the scenario expects an outcome, which then decides instead of the score. */
  readonly hasOutcome: boolean;
  /** True where the scenario says what to expect of a reply or of the conversation. */
  readonly expects: boolean;
  /** Why a scenario that states something is not judged. */
  readonly undecided: readonly string[];
}

/** A scenario that did not pass, with its worst turn. */
export interface FailingScenario {
  readonly scenario: ScenarioDigest;
  readonly failure: ScenarioFailure | undefined;
}

/** The results of a run without its attempts: those of a million interactions do not fit in memory. */
export type RunDigest = Omit<EvaluationResponse, "results"> & {
  readonly scenarios: readonly ScenarioDigest[];
  /** The scenarios with the lowest `overall` among those that did not pass, at most {@link shownFailures}. */
  readonly worst: readonly FailingScenario[];
  /** Scores of judges that have not been audited. */
  readonly unaudited: ReadonlySet<string>;
  /** Scores that a turn should have and does not have. */
  readonly lostScores: ReadonlySet<string>;
  /** Replies for which the endpoint reported no token counts. */
  readonly uncountedReplies: number;
};

/** A summary shows this many, and GitHub this many annotations. */
export const shownFailures = 10;

/** Takes the results scenario by scenario. */
export interface RunDigester {
  add(result: ScenarioResult): void;
  finish(about: Omit<EvaluationResponse, "results">): RunDigest;
}

export function createRunDigester(): RunDigester {
  const scenarios: ScenarioDigest[] = [];
  const worst: FailingScenario[] = [];
  const unaudited = new Set<string>();
  const lostScores = new Set<string>();
  let uncountedReplies = 0;
  return {
    add(result) {
      const scenario = digestOf(result);
      scenarios.push(scenario);
      if (isFailing(scenario.verdict)) insertWorst(worst, scenario, result);
      for (const name of unauditedScores([result])) unaudited.add(name);
      for (const turn of result.attempts.flatMap(({ interactions }) => interactions)) {
        for (const name of turn.failed_scores ?? []) lostScores.add(name);
        if (turn.error === null && turn.usage === null) uncountedReplies += 1;
      }
    },
    finish: (about) => ({ ...about, scenarios, worst, unaudited, lostScores, uncountedReplies }),
  };
}

/** The digest of results that are in memory. */
export function digestResults({ results, ...about }: EvaluationResponse): RunDigest {
  const digester = createRunDigester();
  for (const scenario of results.scenarios) digester.add(scenario);
  return digester.finish(about);
}

function digestOf(result: ScenarioResult): ScenarioDigest {
  const { scenario_id, average_scores, score_stats, reliability } = result;
  return {
    scenario_id,
    average_scores,
    score_stats,
    reliability,
    verdict: verdictOf(result),
    undecided: undecidedStatements(result),
    hasOutcome: result.attempts.some(({ outcome }) => outcome !== undefined),
    expects: result.attempts.some(expects),
  };
}

function expects({ outcome, interactions }: AttemptResult): boolean {
  return (
    outcome !== undefined ||
    // A judge or a check of the run may have failed.
    interactions.some((turn) => expectsSomething(turn) || turn.failed_scores !== undefined)
  );
}

const overallOf = ({ average_scores }: ScenarioDigest): number => average_scores["overall"] ?? -1;

/** Keeps the list sorted, the worst first and equal ones in the order of the run. */
function insertWorst(worst: FailingScenario[], scenario: ScenarioDigest, result: ScenarioResult): void {
  const found = worst.findIndex((other) => overallOf(other.scenario) > overallOf(scenario));
  const place = found === -1 ? worst.length : found;
  if (place >= shownFailures) return;
  worst.splice(place, 0, { scenario, failure: failureOf(result, scenario.verdict.threshold) });
  worst.length = Math.min(worst.length, shownFailures);
}
