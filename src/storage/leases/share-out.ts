/** A run that has attempts to hand out. */
export interface WaitingRun {
  readonly id: string;
  readonly priority: number;
  /** The run's own limit of attempts at once, if it has one. */
  readonly max_concurrency: number | null;
  readonly created_at: number;
  readonly running: number;
  readonly ready: number;
}

/**
 * Gives free places to runs one by one: the highest priority first, then the run with the fewest attempts under way,
 * then the oldest. No run gets more than its limit, so a large one cannot keep a small one waiting.
 */
export function shareOut(
  runs: readonly WaitingRun[],
  { places, perRun }: { places: number; perRun: number },
): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  const shareOf = (run: WaitingRun): number => shares.get(run.id) ?? 0;
  const hasRoom = (run: WaitingRun): boolean =>
    shareOf(run) < run.ready && run.running + shareOf(run) < (run.max_concurrency ?? perRun);
  const before = (left: WaitingRun, right: WaitingRun): number =>
    right.priority - left.priority ||
    left.running + shareOf(left) - (right.running + shareOf(right)) ||
    left.created_at - right.created_at ||
    (left.id < right.id ? -1 : 1);

  for (let place = 0; place < places; place += 1) {
    let next: WaitingRun | undefined;
    for (const run of runs) if (hasRoom(run) && (!next || before(run, next) < 0)) next = run;
    if (!next) break;
    shares.set(next.id, shareOf(next) + 1);
  }
  return shares;
}
