export interface CallOwner {
  readonly runId: string;
  readonly owner: string | null;
}

interface QueuedCall extends CallOwner {
  readonly priority: number;
  start(): void;
  reject(reason: unknown): void;
}

/**
 * Calls that wait for one endpoint. Order: highest priority, then the owner with the fewest calls in flight, then the
 * run with the fewest, then first come, first served.
 */
export class FairCallQueue {
  readonly #waiting = new Map<string, Set<QueuedCall>>();
  readonly #perRun = new Map<string, number>();
  readonly #perOwner = new Map<string | null, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(call: QueuedCall): void {
    const calls = this.#waiting.get(call.runId) ?? new Set();
    this.#waiting.set(call.runId, calls.add(call));
    this.#size += 1;
  }

  remove(call: QueuedCall): void {
    const calls = this.#waiting.get(call.runId);
    if (!calls?.delete(call)) return;
    this.#size -= 1;
    if (calls.size === 0) this.#waiting.delete(call.runId);
  }

  /** Removes the next call and counts it as in flight. */
  next(): QueuedCall | undefined {
    let call: QueuedCall | undefined;
    for (const [first] of this.#waiting.values()) if (first && (!call || this.#comesBefore(first, call))) call = first;
    if (!call) return undefined;
    this.remove(call);
    this.began(call);
    return call;
  }

  #comesBefore(left: QueuedCall, right: QueuedCall): boolean {
    const ofOwner = (this.#perOwner.get(right.owner) ?? 0) - (this.#perOwner.get(left.owner) ?? 0);
    const ofRun = (this.#perRun.get(right.runId) ?? 0) - (this.#perRun.get(left.runId) ?? 0);
    return (left.priority - right.priority || ofOwner || ofRun) > 0;
  }

  /** Counts a call as in flight. */
  began({ runId, owner }: CallOwner): void {
    countOwner(this.#perRun, runId, 1);
    countOwner(this.#perOwner, owner, 1);
  }

  /** Removes and rejects every call. */
  rejectAll(reason: unknown): void {
    const calls = [...this.#waiting.values()].flatMap((waiting) => [...waiting]);
    this.#waiting.clear();
    this.#size = 0;
    for (const call of calls) call.reject(reason);
  }

  ended({ runId, owner }: CallOwner): void {
    countOwner(this.#perRun, runId, -1);
    countOwner(this.#perOwner, owner, -1);
  }
}

function countOwner<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const sum = (counts.get(key) ?? 0) + change;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}
