/** A run that has attempts to hand out. */
export interface WaitingRun {
  readonly id: string;
  readonly owner: string | null;
  readonly priority: number;
  /** The run's own limit of attempts at once, if it has one. */
  readonly max_concurrency: number | null;
  readonly created_at: number;
  readonly running: number;
  readonly ready: number;
}

interface Share {
  readonly run: WaitingRun;
  /** The run's own limit, or that of any run. */
  readonly most: number;
  /** What all runs of its owner have under way together. */
  readonly ofOwner: { places: number };
  places: number;
}

/**
 * Gives free places to runs one by one: the highest priority first, then the owner with the fewest attempts under way, then the
 * run with the fewest, then the oldest. Whoever starts many runs gets no more than others by it. No run gets more than its limit,
 * so a large one cannot keep a small one waiting. Runs come out in the order in which they got their first place.
 * Of `spare` places, which come last, an owner gets one only while it has fewer under way than are left: whoever has taken all
 * others gets none of them, and nobody gets all of them. `places` is below 0 when some of them are taken already.
 */
export function shareOut(
  runs: readonly WaitingRun[],
  { places, spare = 0, perRun }: { places: number; spare?: number; perRun: number },
): ReadonlyMap<string, number> {
  const given = new Map<string, number>();
  const owners = new Map<string | null, { places: number }>();
  const shares = runs.map((run): Share => {
    const ofOwner = owners.get(run.owner) ?? { places: 0 };
    owners.set(run.owner, ofOwner);
    ofOwner.places += run.running;
    return { run, most: run.max_concurrency ?? perRun, ofOwner, places: 0 };
  });
  for (let left = places + spare; left > 0; left -= 1) {
    const most = left > spare ? Number.POSITIVE_INFINITY : left;
    let next: Share | undefined;
    for (const share of shares) {
      if (share.ofOwner.places < most && hasRoom(share) && (!next || comesBefore(share, next))) next = share;
    }
    if (!next) break;
    next.places += 1;
    next.ofOwner.places += 1;
    given.set(next.run.id, next.places);
  }
  return given;
}

function hasRoom({ run, most, places }: Share): boolean {
  return places < run.ready && run.running + places < most;
}

function comesBefore(left: Share, right: Share): boolean {
  if (left.run.priority !== right.run.priority) return left.run.priority > right.run.priority;
  const ofOwner = left.ofOwner.places - right.ofOwner.places;
  if (ofOwner !== 0) return ofOwner < 0;
  const difference = left.run.running + left.places - (right.run.running + right.places);
  if (difference !== 0) return difference < 0;
  if (left.run.created_at !== right.run.created_at) return left.run.created_at < right.run.created_at;
  return left.run.id < right.run.id;
}
