/** What one worker asks for. */
interface SlotDemand {
  readonly worker: string;
  readonly wanted: number;
  readonly granted_at: number;
}

/**
 * Splits `calls` between workers: nobody gets more than it wants, what one leaves goes to the others, and of a rest too
 * small for all, those get one who have waited longest.
 */
export function shareSlots(demands: readonly SlotDemand[], calls: number): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  let left = calls;
  const modestFirst = demands.toSorted((one, other) => one.wanted - other.wanted);
  for (const [index, { worker, wanted }] of modestFirst.entries()) {
    const share = Math.min(wanted, Math.floor(left / (modestFirst.length - index)));
    shares.set(worker, share);
    left -= share;
  }
  const unsatisfied = demands
    .filter(({ worker, wanted }) => wanted > (shares.get(worker) ?? 0))
    .toSorted((one, other) => one.granted_at - other.granted_at || (one.worker < other.worker ? -1 : 1));
  for (const { worker } of unsatisfied.slice(0, left)) shares.set(worker, (shares.get(worker) ?? 0) + 1);
  return shares;
}
