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
  places: number;
}

/**
 * Gives free places to runs one by one: the highest priority first, then the owner with the fewest attempts under way, then the
 * run with the fewest, then the oldest. Whoever starts many runs gets no more than others by it. No run gets more than its limit, so a large one cannot keep a small one waiting. Runs come out in the
 * order in which they got their first place.
 */
export function shareOut(
  runs: readonly WaitingRun[],
  { places, perRun }: { places: number; perRun: number },
): ReadonlyMap<string, number> {
  const given = new Map<string, number>();
  const shares = runs.map((run): Share => ({ run, most: run.max_concurrency ?? perRun, places: 0 }));
  const ofOwners = new Map<string | null, number>();
  const count = ({ owner }: WaitingRun, places: number) => ofOwners.set(owner, (ofOwners.get(owner) ?? 0) + places);
  for (const run of runs) count(run, run.running);
  for (let place = 0; place < places; place += 1) {
    let next: Share | undefined;
    for (const share of shares) if (hasRoom(share) && (!next || comesBefore(share, next, ofOwners))) next = share;
    if (!next) break;
    next.places += 1;
    count(next.run, 1);
    given.set(next.run.id, next.places);
  }
  return given;
}

function hasRoom({ run, most, places }: Share): boolean {
  return places < run.ready && run.running + places < most;
}

function comesBefore(left: Share, right: Share, ofOwners: ReadonlyMap<string | null, number>): boolean {
  if (left.run.priority !== right.run.priority) return left.run.priority > right.run.priority;
  const ofOwner = (ofOwners.get(left.run.owner) ?? 0) - (ofOwners.get(right.run.owner) ?? 0);
  if (ofOwner !== 0) return ofOwner < 0;
  const difference = left.run.running + left.places - (right.run.running + right.places);
  if (difference !== 0) return difference < 0;
  if (left.run.created_at !== right.run.created_at) return left.run.created_at < right.run.created_at;
  return left.run.id < right.run.id;
}
