export interface WaitingCall {
  readonly runId: string;
  readonly priority: number;
  start(): void;
  refuse(reason: unknown): void;
}

/**
 * Calls that wait for one endpoint. The highest priority comes first, then the run with the fewest calls under way, then whoever
 * came first.
 */
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
    let call: WaitingCall | undefined;
    let fewest = 0;
    for (const [runId, [first]] of this.#waiting) {
      if (!first) continue;
      const count = this.#underWay.get(runId) ?? 0;
      const ahead = call ? first.priority - call.priority || fewest - count : 1;
      if (ahead > 0) [call, fewest] = [first, count];
    }
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
