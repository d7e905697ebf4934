import type { RunSummary } from "../../contract/schemas/run.ts";
import { simulatedUserScore } from "../../contract/schemas/scores/score-names.ts";

/** The share of attempts that may be left out, unless the run's gate sets `max_simulator_failures`. */
export const defaultLeftOutLimit = 0.2;

interface LeftOut {
  /** Attempts left out because the simulated user failed, of those with a simulated user. */
  readonly share: number;
  readonly limit: number;
  readonly isTooMuch: boolean;
}

interface Users {
  readonly attempts: number;
  readonly failed: number;
  /** The limit of the run. Absent in runs of earlier versions. */
  readonly limit?: number | undefined;
}

/** Null without simulated users. */
export function leftOut(users: Users | null | undefined, limit = users?.limit ?? defaultLeftOutLimit): LeftOut | null {
  if (!users || users.attempts === 0) return null;
  const share = users.failed / users.attempts;
  return { share, limit, isTooMuch: share > limit };
}

/** Why the figures of a run decide nothing, whatever they are; null if they may. */
export function undecidedReason(
  {
    simulated_users: users,
    average_scores,
    scenarios,
  }: Pick<RunSummary, "simulated_users" | "average_scores" | "scenarios">,
  limit?: number,
): string | null {
  const found = leftOut(users, limit);
  if (users && found?.isTooMuch) {
    const [share, most] = [found.share, found.limit].map((value) => `${Number((value * 100).toFixed(1))} %`);
    return `${users.failed} of ${users.attempts} attempts (${share}) are left out because the simulated user failed; at most ${most} may be`;
  }
  const isScored = Object.keys(average_scores).some((name) => name !== simulatedUserScore);
  return isScored || (scenarios?.total ?? 0) === 0 ? null : "nothing was scored";
}
