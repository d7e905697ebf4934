import { inTime } from "../../base/deadline.ts";
import type { CallEnd, CallRequest, CallSlot } from "../../contract/ports/limits.ts";
import type { Quota, QuotaRequest } from "./quota.ts";
import { permitsLastMs } from "./algorithms.ts";
import { FairCallQueue, type CallOwner } from "./fair-queue.ts";

/** Usage since the last renewal, and what is needed next. */
export type UsageReport = Pick<
  QuotaRequest,
  "inUse" | "wanted" | "permits" | "ok" | "refusedMs" | "unusedPermits" | "measured" | "pauseMs"
>;

interface EndpointLimiterOptions {
  /** See `renewQuota`. */
  readonly renew: (report: UsageReport) => Promise<Quota>;
  readonly leaseMs: number;
  readonly onError: (error: unknown) => void;
}

/** Delay before asking again when other workers hold more than their share. */
const contendedRenewalMs = 50;
/** Workers that wait for their share get it at the next renewal. */
const slowestRenewalMs = 500;
const retryMs = 500;
/** Renewals sampled to know how long one takes without contention. */
const sampledRenewals = 5;
/** Limit on waiting for an unreachable store while closing. */
const closeTimeoutMs = 2_000;

/** `refusedSince` is the start time of the youngest refused call. */
const nothingUnreported = {
  ok: 0,
  refusedSince: null as number | null,
  unusedPermits: 0,
  calls: 0,
  tokens: 0,
  pauseMs: 0,
};

const callerOf = ({ run_id, owner = null }: Pick<CallRequest, "run_id" | "owner">): CallOwner => ({
  runId: run_id,
  owner,
});

/**
 * This worker's part of one endpoint's limits. It holds a block of slots and permits and hands them out locally. It
 * renews its quota when it needs more, when its lease requires it, and when the endpoint refuses a call.
 */
export class EndpointLimiter {
  readonly #options: EndpointLimiterOptions;
  readonly #waiting = new FairCallQueue();
  #inUse = 0;
  /** The most concurrent calls since the last renewal: slots used from time to time are kept. */
  #peak = 0;
  #quota: Quota = { slots: 0, share: 0, permits: null, increased: false, waitMs: 0 };
  #permits = 0;
  #permitsUntil = 0;
  /** How long the last renewals took. */
  #durations: readonly number[] = [];
  #leaseUntil = 0;
  #notBefore = 0;
  #unreported = { ...nothingUnreported };
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #renewing: Promise<void> | null = null;
  #closed = false;
  /** Set after `stopWaiting`: rejects calls that would have to wait for a pause or a rate. */
  #stopReason: { readonly reason: unknown } | null = null;
  /** Rejects calls after `close`. */
  #reason: unknown;

  constructor(options: EndpointLimiterOptions) {
    this.#options = options;
  }

  async acquire(request: Omit<CallRequest, "endpoint">): Promise<CallSlot> {
    request.signal.throwIfAborted();
    if (this.#closed) throw this.#reason;
    // Usually there is room, and nothing has to be queued.
    if (this.#waiting.size === 0 && this.#canStart()) return this.#startNow(callerOf(request));
    return this.#wait(request);
  }

  #startNow(caller: CallOwner): CallSlot {
    this.#waiting.began(caller);
    this.#take();
    this.#renewIn(this.#renewalMs);
    return this.#slot(caller);
  }

  #wait({ priority = 0, signal, ...request }: Omit<CallRequest, "endpoint">): Promise<CallSlot> {
    const caller = callerOf(request);
    const { promise, resolve, reject } = Promise.withResolvers<CallSlot>();
    const abort = (): void => {
      this.#waiting.remove(call);
      this.#refTimer();
      reject(signal.reason);
    };
    const call = {
      ...caller,
      priority,
      start: (): void => {
        signal.removeEventListener("abort", abort);
        resolve(this.#slot(caller));
      },
      reject: (reason: unknown): void => {
        signal.removeEventListener("abort", abort);
        reject(reason);
      },
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#waiting.add(call);
    this.#startWaiting();
    return promise;
  }

  /** No calls in flight, waiting or unreported: the limiter can be dropped. */
  get isIdle(): boolean {
    const hasNothingPending = !this.#renewing && this.#timerAt === Number.POSITIVE_INFINITY && !this.#hasUnreported();
    return hasNothingPending && this.#inUse + this.#waiting.size + this.#quota.slots === 0;
  }

  /** From here on calls that would wait for a pause or a rate are rejected with `reason`. */
  stopWaiting(reason: unknown): void {
    this.#stopReason = { reason };
    this.#rejectIfStopping();
  }

  #rejectIfStopping(): void {
    if (this.#stopReason && performance.now() < this.#notBefore) this.#waiting.rejectAll(this.#stopReason.reason);
  }

  /** Rejects waiting calls and later ones with `reason`. */
  async close(reason?: unknown): Promise<void> {
    this.#closed = true;
    this.#reason = reason;
    this.#waiting.rejectAll(reason);
    clearTimeout(this.#timer);
    await inTime(this.#returnQuota(), closeTimeoutMs);
  }

  /** If this fails, other workers get the slots when the lease expires. */
  async #returnQuota(): Promise<void> {
    await this.#renewing?.catch(() => {});
    this.#peak = 0;
    this.#dropPermits();
    if (this.#quota.slots > 0 || this.#hasUnreported()) await this.#options.renew(this.#report(0)).catch(() => {});
  }

  #slot(caller: CallOwner): CallSlot {
    let held = true;
    let began = performance.now();
    return {
      refused: (retry_after_ms) => {
        this.#record({ outcome: "refused", retry_after_ms }, began);
        began = performance.now();
      },
      release: (end) => {
        if (!held) return;
        held = false;
        this.#inUse -= 1;
        this.#waiting.ended(caller);
        this.#record(end, began);
        this.#startWaiting();
      },
    };
  }

  #record({ outcome, tokens, retry_after_ms = 0 }: CallEnd, began: number): void {
    const unreported = this.#unreported;
    if (outcome === "ok") unreported.ok += 1;
    if (tokens !== undefined) {
      unreported.calls += 1;
      unreported.tokens += tokens;
    }
    unreported.pauseMs = Math.max(unreported.pauseMs, retry_after_ms);
    if (outcome !== "refused" && retry_after_ms === 0) return;
    if (outcome === "refused") unreported.refusedSince = Math.max(unreported.refusedSince ?? began, began);
    // Nothing more starts here until the other workers know.
    this.#leaseUntil = 0;
    this.#renewIn(0);
  }

  #startWaiting(): void {
    while (this.#waiting.size > 0 && this.#canStart()) {
      this.#take();
      this.#waiting.next()?.start();
    }
    this.#rejectIfStopping();
    if (this.#waiting.size > 0) this.#askForMore();
    else if (this.#quota.slots > 0) this.#renewIn(this.#renewalMs);
  }

  #take(): void {
    this.#inUse += 1;
    this.#peak = Math.max(this.#peak, this.#inUse);
    if (this.#quota.permits !== null) this.#permits -= 1;
  }

  #canStart(): boolean {
    const { slots, share, permits } = this.#quota;
    const now = performance.now();
    if (now >= this.#leaseUntil || now < this.#notBefore || this.#inUse >= Math.min(slots, share)) return false;
    return permits === null || (this.#permits > 0 && now < this.#permitsUntil);
  }

  #askForMore(): void {
    const { slots, share, permits } = this.#quota;
    const now = performance.now();
    if (now < this.#notBefore) this.#renewIn(this.#notBefore - now);
    else if (now >= this.#leaseUntil) this.#renewIn(0);
    else if (this.#inUse < Math.min(slots, share) && permits !== null) this.#renewIn(0);
    // A worker that got all it asked for may ask for more; otherwise calls that end here make room, and a renewal
    // brings more.
    else if (this.#inUse + this.#waiting.size > this.#requested && share >= this.#requested) this.#renewIn(0);
    else this.#renewIn(slots >= share ? this.#renewalMs : contendedRenewalMs);
  }

  /** The slots requested with the current quota. */
  #requested = 0;

  get #renewalMs(): number {
    return Math.min(slowestRenewalMs, this.#options.leaseMs / 4);
  }

  #renewIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#closed) return;
    if (at < this.#timerAt) {
      clearTimeout(this.#timer);
      this.#timerAt = at;
      this.#timer = setTimeout(() => {
        this.#timerAt = Number.POSITIVE_INFINITY;
        void this.#renew().catch(() => {});
      }, ms);
    }
    this.#refTimer();
  }

  /** Waiting calls keep the process alive; a pending renewal alone does not. */
  #refTimer(): void {
    if (this.#waiting.size > 0) this.#timer?.ref();
    else this.#timer?.unref();
  }

  #renew(): Promise<void> {
    return (this.#renewing ??= this.#renewNow().finally(() => {
      this.#renewing = null;
      if (!this.#closed) this.#startWaiting();
    }));
  }

  async #renewNow(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt >= this.#permitsUntil) this.#dropPermits();
    const wanted = Math.max(this.#peak, this.#inUse + this.#waiting.size);
    const report = this.#report(wanted);
    this.#unreported = { ...nothingUnreported };
    this.#peak = this.#inUse;
    this.#requested = wanted;
    try {
      const quota = await this.#options.renew(report);
      this.#durations = [...this.#durations, performance.now() - startedAt].slice(-sampledRenewals);
      this.#quota = quota;
      this.#leaseUntil = startedAt + this.#options.leaseMs / 2;
      this.#notBefore = quota.waitMs > 0 ? performance.now() + quota.waitMs : 0;
      if (quota.permits) this.#addPermits(quota.permits, startedAt);
    } catch (error) {
      this.#restoreUnreported(report, startedAt);
      this.#notBefore = performance.now() + retryMs;
      this.#options.onError(error);
      throw error;
    }
  }

  /**
   * Permits age from the time they were granted, which a slow network or a suspended process may have delayed: used
   * late, they would add to those granted to others since.
   */
  #addPermits(count: number, startedAt: number): void {
    this.#permits += count;
    this.#permitsUntil = startedAt + Math.min(...this.#durations) + permitsLastMs;
  }

  #dropPermits(): void {
    this.#unreported.unusedPermits += this.#permits;
    this.#permits = 0;
  }

  #report(wanted: number): UsageReport {
    const { calls, tokens, refusedSince, ...unreported } = this.#unreported;
    const refusedMs = refusedSince === null ? null : Math.floor(performance.now() - refusedSince);
    const short = this.#waiting.size - this.#permits;
    return {
      ...unreported,
      refusedMs,
      measured: { calls, tokens },
      inUse: this.#inUse,
      wanted,
      permits: Math.max(0, short),
    };
  }

  #hasUnreported(): boolean {
    const { ok, refusedSince, unusedPermits, calls, pauseMs } = this.#unreported;
    return refusedSince !== null || ok + unusedPermits + calls + pauseMs > 0;
  }

  /** Restores what could not be reported, for the next renewal. */
  #restoreUnreported({ ok, refusedMs, unusedPermits, measured, pauseMs }: UsageReport, reportedAt: number): void {
    const unreported = this.#unreported;
    unreported.ok += ok;
    // A refusal that came meanwhile belongs to a younger call.
    if (refusedMs !== null) unreported.refusedSince ??= reportedAt - refusedMs;
    unreported.unusedPermits += unusedPermits;
    unreported.calls += measured.calls;
    unreported.tokens += measured.tokens;
    unreported.pauseMs = Math.max(unreported.pauseMs, pauseMs);
  }
}
