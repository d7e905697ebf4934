import { ServiceError } from "../../../contract/errors/errors.ts";
import type { ClaimedAttempt, ClaimOptions, Queue } from "../../../contract/ports/queue.ts";
import type { Database, Writer } from "../../tables/database.ts";
import { registerWorker, type HostClock } from "../../tables/host.ts";
import { isHeldBy } from "../../queries/conditions.ts";
import { closeRemainingAttempts } from "../../queries/run-lifecycle.ts";
import { finishAttempt } from "../../queries/store-interactions.ts";
import { claimAttempts } from "./claim.ts";
import { longestDelayMs, renewLeases, reclaimAttempts, reclaimFromDeadWorkers, type ReclaimOptions } from "./leases.ts";
import { createRoundRobin } from "./fair-share.ts";
import type { WorkSignal } from "./work-signal.ts";

interface LeaseQueueOptions extends ReclaimOptions {
  readonly database: Database;
  readonly clock: HostClock;
  readonly leaseMs: number;
  readonly signal: Pick<WorkSignal, "work" | "cancels">;
}

/** A claim notices a dead worker of this host at most this much later. */
const deadWorkerCheckMs = 1_000;
const closedInOneClaim = 2_000;

/** A queue made of leases on the attempt rows: there is no second copy of the work. */
export function createLeaseQueue({ database, clock, leaseMs, signal, host, pid, brokeDown }: LeaseQueueOptions): Queue {
  const { write } = database;
  const { work, cancels } = signal;
  const order = createRoundRobin();
  let deadCheckedAt = Number.NEGATIVE_INFINITY;
  /**
   * The store failed at the last renewal or claim. Other workers could not renew either, so their silence says nothing.
   */
  let outage = false;

  async function noteOutage<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ServiceError) outage = true;
      throw error;
    }
  }

  async function claim(writer: Writer, options: ClaimOptions): Promise<ClaimedAttempt[]> {
    const now = clock.steady();
    if (now - deadCheckedAt >= deadWorkerCheckMs) {
      deadCheckedAt = now;
      await reclaimFromDeadWorkers(writer, { host, pid, brokeDown });
      await closeRemainingAttempts(writer, closedInOneClaim);
    }
    return claimAttempts(writer, { ...options, now, leaseMs, order, afterOutage: outage });
  }

  return {
    async claim(options) {
      registerWorker(options.worker);
      // Last, so that it can reuse the slots of attempts that end in the same group.
      const claimed = await noteOutage(write((writer) => claim(writer, options), { last: true }));
      outage = false;
      return claimed;
    },
    claimsFollowEnds: true,
    heartbeat: (worker, leases) =>
      noteOutage(write((writer) => renewLeases(writer, { worker, leases, until: clock.steady() + leaseMs }))),
    async finish(lease, end) {
      const finished_at = clock.now();
      const outcome = await write((writer) => finishAttempt(writer, lease, { ...end, finished_at }));
      if (outcome.finished) work.announce();
      return outcome;
    },
    async release(lease, { delay_ms = 0, broke = false } = {}) {
      const delay = Math.min(Math.max(0, delay_ms), longestDelayMs);
      const after = delay > 0 ? { availableAt: clock.steady() + Math.ceil(delay) } : {};
      await write((writer) => reclaimAttempts(writer, isHeldBy(lease), { ...after, broke }));
      work.announce();
    },
    async recover() {
      const { length } = await write((writer) => reclaimFromDeadWorkers(writer, { host, pid, brokeDown }));
      if (length > 0) work.announce();
      return length;
    },
    onWork: work.listen,
    onCancel: cancels.listen,
  };
}
