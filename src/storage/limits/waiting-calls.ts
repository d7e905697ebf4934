/** Whose call it is. */
export interface Caller {
  readonly runId: string;
  readonly owner: string | null;
}

interface WaitingCall extends Caller {
  readonly priority: number;
  start(): void;
  refuse(reason: unknown): void;
}

/**
 * Calls that wait for one endpoint. The highest priority comes first, then the owner with the fewest calls under way, then the run
 * with the fewest, then whoever came first.
 */
export class WaitingCalls {
  readonly #waiting = new Map<string, Set<WaitingCall>>();
  readonly #ofRuns = new Map<string, number>();
  readonly #ofOwners = new Map<string | null, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(call: WaitingCall): void {
    const calls = this.#waiting.get(call.runId) ?? new Set();
    this.#waiting.set(call.runId, calls.add(call));
    this.#size += 1;
  }

  remove(call: WaitingCall): void {
    const calls = this.#waiting.get(call.runId);
    if (!calls?.delete(call)) return;
    this.#size -= 1;
    if (calls.size === 0) this.#waiting.delete(call.runId);
  }

  /** Takes the next call out and counts it as under way. */
  next(): WaitingCall | undefined {
    let call: WaitingCall | undefined;
    for (const [first] of this.#waiting.values()) if (first && (!call || this.#comesBefore(first, call))) call = first;
    if (!call) return undefined;
    this.remove(call);
    this.began(call);
    return call;
  }

  #comesBefore(left: WaitingCall, right: WaitingCall): boolean {
    const ofOwner = (this.#ofOwners.get(right.owner) ?? 0) - (this.#ofOwners.get(left.owner) ?? 0);
    const ofRun = (this.#ofRuns.get(right.runId) ?? 0) - (this.#ofRuns.get(left.runId) ?? 0);
    return (left.priority - right.priority || ofOwner || ofRun) > 0;
  }

  /** Counts a call as under way. */
  began({ runId, owner }: Caller): void {
    count(this.#ofRuns, runId, 1);
    count(this.#ofOwners, owner, 1);
  }

  /** Takes every call out and turns it away. */
  refuseAll(reason: unknown): void {
    const calls = [...this.#waiting.values()].flatMap((waiting) => [...waiting]);
    this.#waiting.clear();
    this.#size = 0;
    for (const call of calls) call.refuse(reason);
  }

  ended({ runId, owner }: Caller): void {
    count(this.#ofRuns, runId, -1);
    count(this.#ofOwners, owner, -1);
  }
}

function count<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const sum = (counts.get(key) ?? 0) + change;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}
