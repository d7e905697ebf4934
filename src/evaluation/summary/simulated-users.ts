import { compact } from "../../base/compact.ts";
import { roundDollars } from "../../base/numbers.ts";
import type { SimulatedUsers, UserTurn } from "../../contract/schemas/acting/user-turn.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import { simulatedUserScore } from "../../contract/schemas/scores/score-names.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { addHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import { NumberColumn } from "../statistics/accumulators.ts";
import { wilson } from "../statistics/intervals.ts";
import { defaultLeftOutLimit, leftOut } from "./left-out.ts";

interface UserAttempt {
  readonly interactions: readonly { readonly user_turn?: Omit<UserTurn, "message"> | undefined }[];
  readonly conversation?: ConversationJudgement | undefined;
}

/** A scenario of the run: the row of its failures, and the means of its other attempts. */
interface ScenarioMeans {
  readonly row: number;
  readonly average_scores: Scores;
  /** Attempts behind the means. */
  readonly attempts: number;
}

/** Counts attempts with simulated users, and those that the simulator spoiled. Above the limit, the run is undecided. */
export function createSimulatedUsers(limit: number = defaultLeftOutLimit) {
  const kinds = new Map<string, number>();
  const failedIn = new NumberColumn();
  let usage = noHelperUsage;
  let attempts = 0;
  let failed = 0;
  let passed = 0;

  return {
    /** True when the attempt counts in no figure of the agent. */
    add(row: number, { interactions, conversation }: UserAttempt): boolean {
      for (const { user_turn } of interactions) usage = addHelperUsage(usage, user_turn?.helper_usage);
      const end = conversation?.user;
      usage = addHelperUsage(usage, end?.helper_usage);
      if (!end) return false;
      attempts += 1;
      if (!end.failure) return false;
      failed += 1;
      failedIn.add(row, 1);
      kinds.set(end.failure.kind, (kinds.get(end.failure.kind) ?? 0) + 1);
      return true;
    },
    countPassed(): void {
      passed += 1;
    },
    usage: () => usage,
    failed: () => ({ attempts, failed }),
    finish(scenarios: readonly ScenarioMeans[]): SimulatedUsers | null {
      if (attempts === 0) return null;
      const share = failed / attempts;
      const { lower, upper } = wilson(failed, attempts) ?? { lower: 0, upper: 1 };
      const cost = usage.cost === null ? null : roundDollars(usage.cost);
      return compact({
        attempts,
        failed,
        share,
        low: Math.max(0, lower),
        high: Math.min(1, upper),
        limit,
        undecided: leftOut({ attempts, failed }, limit)?.isTooMuch ? true : undefined,
        kinds: Object.fromEntries([...kinds].toSorted(([, left], [, right]) => right - left)),
        scores_with_failures: withFailures(scenarios, (row) => failedIn.get(row)),
        passed,
        usage: { ...usage, cost },
      });
    },
  };
}

/**
 * The mean of the scenarios' means, in which each failed attempt counts as 0: a mean m of n attempts with f failed ones becomes
 * m · n / (n + f). A scenario of which only failed attempts are known counts as 0 in every score.
 */
function withFailures(scenarios: readonly ScenarioMeans[], failuresOf: (row: number) => number): Scores {
  const names = new Set(scenarios.flatMap(({ average_scores }) => Object.keys(average_scores)));
  names.delete(simulatedUserScore);
  // Every conversation of a simulated user would have had an outcome.
  if (names.size === 0) names.add("outcome");
  const means: Record<string, number> = {};
  for (const name of names) {
    const values = scenarios.flatMap(({ row, average_scores, attempts }) => {
      const failures = failuresOf(row);
      const mean = average_scores[name];
      if (mean === undefined) return failures > 0 && attempts === 0 ? [0] : [];
      return [(mean * attempts) / (attempts + failures)];
    });
    if (values.length > 0) means[name] = values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  return means;
}
