import type { ClaimedAttempt, ClaimOptions, Queue } from "../../contract/ports/queue.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Clock } from "../clock.ts";
import type { Database, Writer } from "../database.ts";
import { noDispatch } from "../dispatch.ts";
import { isHeldBy } from "../queries/conditions.ts";
import { closeStopped } from "../queries/close-attempts.ts";
import { finishAttempt } from "../queries/finish-attempt.ts";
import { claimAttempts } from "./claim.ts";
import { longestDelayMs } from "./lease-time.ts";
import { createServingOrder } from "./serving-order.ts";
import { renewLeases } from "./renew.ts";
import { takeBack, takeBackFromTheDead, type TakeBackOptions } from "./take-back.ts";
import { rememberWorker } from "./worker-processes.ts";
import type { WorkSignal } from "./work-signal.ts";

interface LeaseQueueOptions extends TakeBackOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly signal: Pick<WorkSignal, "work" | "cancels">;
}

/** A worker of this host whose process has died is noticed by the next claim, at most this much later. */
const lookForDeadEveryMs = 1_000;
const closedInOneClaim = 2_000;

/** A queue made of leases on the attempt rows themselves: there is no second copy of what is to be done. */
export function createLeaseQueue({
  database,
  clock,
  leaseMs,
  signal,
  host,
  pid,
  ranOutOfMemory,
}: LeaseQueueOptions): Queue {
  const { write } = database;
  const { work, cancels } = signal;
  const order = createServingOrder();
  let lookedForDead = Number.NEGATIVE_INFINITY;
  /** The store took nothing when something was last to be renewed or taken back. Others met the same: their silence says nothing. */
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
    if (now - lookedForDead >= lookForDeadEveryMs) {
      lookedForDead = now;
      await takeBackFromTheDead(writer, { host, pid, ranOutOfMemory });
      await closeStopped(writer, { dispatch: noDispatch, limit: closedInOneClaim });
    }
    return claimAttempts(writer, { ...options, now, leaseMs, order, afterOutage: outage });
  }

  return {
    async claim(options) {
      rememberWorker(options.worker);
      // Last, so that it can hand out the places of attempts that end in the same group.
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
      const availableAt = delay > 0 ? clock.steady() + Math.ceil(delay) : 0;
      await write((writer) => takeBack(writer, isHeldBy(lease), { availableAt, broke }));
      work.announce();
    },
    async recover() {
      const { length } = await write((writer) => takeBackFromTheDead(writer, { host, pid, ranOutOfMemory }));
      if (length > 0) work.announce();
      return length;
    },
    onWork: work.listen,
    onCancel: cancels.listen,
  };
}
