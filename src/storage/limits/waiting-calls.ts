export interface WaitingCall {
  readonly runId: string;
  start(): void;
  refuse(reason: unknown): void;
}

/** Calls that wait for one endpoint. The run with the fewest calls under way comes first, then whoever came first. */
export class WaitingCalls {
  readonly #waiting = new Map<string, Set<WaitingCall>>();
  readonly #underWay = new Map<string, number>();
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
    let chosen: Set<WaitingCall> | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [runId, calls] of this.#waiting) {
      const count = this.#underWay.get(runId) ?? 0;
      if (count < fewest) [chosen, fewest] = [calls, count];
    }
    const call = chosen?.values().next().value;
    if (!call) return undefined;
    this.remove(call);
    this.began(call.runId);
    return call;
  }

  /** Counts a call as under way. */
  began(runId: string): void {
    this.#underWay.set(runId, (this.#underWay.get(runId) ?? 0) + 1);
  }

  /** Takes every call out and turns it away. */
  refuseAll(reason: unknown): void {
    const calls = [...this.#waiting.values()].flatMap((waiting) => [...waiting]);
    this.#waiting.clear();
    this.#size = 0;
    for (const call of calls) call.refuse(reason);
  }

  ended(runId: string): void {
    const count = (this.#underWay.get(runId) ?? 1) - 1;
    if (count > 0) this.#underWay.set(runId, count);
    else this.#underWay.delete(runId);
  }
}
