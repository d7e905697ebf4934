import type { ClaimOptions } from "../../../contract/ports/queue.ts";

/** A run with attempts to hand out. */
export interface ReadyRun {
  readonly id: string;
  readonly owner: string | null;
  readonly priority: number;
  /** The run's own concurrency limit, if any. */
  readonly max_concurrency: number | null;
  readonly created_at: number;
  readonly running: number;
  readonly ready: number;
}

/** `stored` is the number of its stored turns. */
export interface ClaimableRun extends ReadyRun {
  readonly stored: number;
  /** One of its attempts must run alone. */
  readonly alone?: boolean;
}

interface ClaimPlan {
  /** The number of attempts per run. */
  readonly shares: ReadonlyMap<string, number>;
  /** The plan has a single attempt, and the worker must take nothing else until it has ended. */
  readonly alone: boolean;
}

/**
 * Allocates the slots of a worker fairly. An attempt that must run alone comes first: a worker that holds others gets
 * nothing until it can take it.
 */
export function planClaim(
  runs: readonly ClaimableRun[],
  { limit, spare = 0, perRun, busy = false, order }: ClaimOptions & { readonly order: RoundRobin },
): ClaimPlan {
  const ordered = order.order(runs);
  const suspects = new Set(runs.filter(({ alone }) => alone).map(({ id }) => id));
  const one = fairShares(
    ordered.filter(({ id }) => suspects.has(id)),
    { slots: 1, perRun },
  );
  if (one.size > 0) return { shares: busy ? new Map() : one, alone: true };
  return { shares: fairShares(ordered, { slots: limit, spare, perRun }), alone: false };
}

/**
 * Remembers the order in which this process served runs, so that among equals the run that waited longest is next.
 * Otherwise, of a hundred runs with one running attempt each, the oldest would get every free slot. A new process uses
 * the stored turns instead: with frequent restarts, the same runs would always be first.
 */
export interface RoundRobin {
  /** Runs for `fairShares`, with their last turn in place of their age. Runs not served yet come first. */
  order(runs: readonly ClaimableRun[]): ReadyRun[];
  markServed(runId: string): void;
}

/** More turns than a run can have. */
const mostStored = 1e12;

export function createRoundRobin(): RoundRobin {
  let turns = new Map<string, number>();
  let last = 0;
  return {
    order(runs) {
      // Drops finished runs.
      turns = new Map(runs.flatMap(({ id }) => (turns.has(id) ? [[id, turns.get(id)!]] : [])));
      return runs.map(({ stored, alone: _alone, ...run }) => ({
        ...run,
        created_at: turns.get(run.id) ?? stored - mostStored,
      }));
    },
    markServed(runId) {
      last += 1;
      turns.set(runId, last);
    },
  };
}

interface Share {
  readonly run: ReadyRun;
  /** The run's own limit, or the default. */
  readonly most: number;
  /** Running attempts of all runs of its owner. */
  readonly ofOwner: { slots: number };
  slots: number;
}

/**
 * Gives free slots to runs one by one: highest priority first, then the owner with the fewest running attempts, then
 * the run with the fewest, then the oldest. Starting many runs gains an owner nothing, and no run exceeds its limit, so
 * a large one cannot block a small one. The result is in the order of the first slots. Of the `spare` slots, which come
 * last, an owner gets one only while it has fewer running attempts than slots are left, so that no owner gets all of
 * them. `slots` is negative when spare ones are in use.
 */
export function fairShares(
  runs: readonly ReadyRun[],
  { slots, spare = 0, perRun }: { slots: number; spare?: number; perRun: number },
): ReadonlyMap<string, number> {
  const given = new Map<string, number>();
  const owners = new Map<string | null, { slots: number }>();
  const shares = runs.map((run): Share => {
    const ofOwner = owners.get(run.owner) ?? { slots: 0 };
    owners.set(run.owner, ofOwner);
    ofOwner.slots += run.running;
    return { run, most: run.max_concurrency ?? perRun, ofOwner, slots: 0 };
  });
  for (let left = slots + spare; left > 0; left -= 1) {
    const most = left > spare ? Number.POSITIVE_INFINITY : left;
    let next: Share | undefined;
    for (const share of shares) {
      if (share.ofOwner.slots < most && hasRoom(share) && (!next || comesBefore(share, next))) next = share;
    }
    if (!next) break;
    next.slots += 1;
    next.ofOwner.slots += 1;
    given.set(next.run.id, next.slots);
  }
  return given;
}

function hasRoom({ run, most, slots }: Share): boolean {
  return slots < run.ready && run.running + slots < most;
}

function comesBefore(left: Share, right: Share): boolean {
  if (left.run.priority !== right.run.priority) return left.run.priority > right.run.priority;
  const ofOwner = left.ofOwner.slots - right.ofOwner.slots;
  if (ofOwner !== 0) return ofOwner < 0;
  const difference = left.run.running + left.slots - (right.run.running + right.slots);
  if (difference !== 0) return difference < 0;
  if (left.run.created_at !== right.run.created_at) return left.run.created_at < right.run.created_at;
  return left.run.id < right.run.id;
}
