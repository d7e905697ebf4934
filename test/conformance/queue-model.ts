import type { Lease } from "../../src/contract/ports/store.ts";

interface ModelRun {
  readonly id: string;
  readonly priority: number;
  readonly limit: number;
  cancelled: boolean;
}

interface ModelAttempt {
  readonly run: ModelRun;
  state: "ready" | "running" | "done" | "cancelled";
  fence: number;
  worker: string;
  leaseUntil: number;
  availableAt: number;
  readonly turns: Set<number>;
}

/** The queue as one would write it without a database, concurrency or speed in mind. Real storage must agree with it. */
export class QueueModel {
  readonly leaseMs: number;
  readonly runs: ModelRun[] = [];
  readonly attempts = new Map<string, ModelAttempt>();
  /** Every lease that was ever handed out: stale ones are tried again and again. */
  readonly leases: { readonly worker: string; readonly lease: Lease }[] = [];
  now = 0;

  constructor(leaseMs: number) {
    this.leaseMs = leaseMs;
  }

  holder(lease: Lease): ModelAttempt | null {
    const attempt = this.attempts.get(lease.attempt_id);
    return attempt?.state === "running" && attempt.fence === lease.fence ? attempt : null;
  }

  open(run: ModelRun, state: ModelAttempt["state"]): ModelAttempt[] {
    return [...this.attempts.values()].filter((attempt) => attempt.run === run && attempt.state === state);
  }

  giveBack(attempt: ModelAttempt, availableAt = 0): void {
    attempt.state = attempt.run.cancelled ? "cancelled" : "ready";
    attempt.availableAt = availableAt;
  }

  reap(): void {
    for (const attempt of this.attempts.values()) {
      if (attempt.state === "running" && attempt.leaseUntil <= this.now) this.giveBack(attempt);
    }
  }

  /** How many attempts of each run a claim must give. Which of several equal runs comes first is free: as `given` has it. */
  shares(limit: number, given: ReadonlyMap<string, number>): Map<string, number> {
    const shares = new Map<string, number>();
    for (let place = 0; place < limit; place += 1) {
      const next = this.runs
        .filter((run) => !run.cancelled)
        .map((run) => {
          const share = shares.get(run.id) ?? 0;
          const ready = this.open(run, "ready").filter((attempt) => attempt.availableAt <= this.now).length - share;
          return { run, share, ready, running: this.open(run, "running").length + share };
        })
        .filter((entry) => entry.ready > 0 && entry.running < entry.run.limit)
        .sort(
          (left, right) =>
            right.run.priority - left.run.priority ||
            left.running - right.running ||
            Number(right.share < (given.get(right.run.id) ?? 0)) - Number(left.share < (given.get(left.run.id) ?? 0)),
        )[0];
      if (!next) break;
      shares.set(next.run.id, next.share + 1);
    }
    return shares;
  }

  drained(): string[] {
    return this.runs
      .filter((run) => this.open(run, "ready").length + this.open(run, "running").length === 0)
      .map((run) => run.id);
  }
}
