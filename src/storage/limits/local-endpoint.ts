import { setTimeout as sleep } from "node:timers/promises";
import type { CallEnd, CallRequest, CallSlot } from "../../contract/ports/limits.ts";
import type { Allowance, Settlement } from "./settle-endpoint.ts";
import { permitsLastMs } from "./rate.ts";
import { WaitingCalls, type Caller } from "./waiting-calls.ts";

/** What this worker tells the others when it settles with them. */
export type Report = Pick<
  Settlement,
  "inUse" | "wanted" | "permits" | "ok" | "refusedMs" | "unusedPermits" | "measured" | "pauseMs"
>;

interface LocalEndpointOptions {
  /** Tells and asks; see `settleEndpoint`. */
  readonly settle: (report: Report) => Promise<Allowance>;
  readonly leaseMs: number;
  readonly onError: (error: unknown) => void;
}

/** How soon to ask again when others hold more than their share, and after a failure. */
const askAgainMs = 50;
/** Others who wait for their share get it at the next renewal. */
const slowestRenewalMs = 500;
const retryMs = 500;
/** Settlements by which it is known how long one takes where nothing holds it up. */
const remembered = 5;
/** A store that is away is not waited for by whoever stops. */
const longestGoodbyeMs = 2_000;

/** `refusedSince` is when the youngest call began that was refused. */
const nothing = { ok: 0, refusedSince: null as number | null, unusedPermits: 0, calls: 0, tokens: 0, pauseMs: 0 };

const callerOf = ({ run_id, owner = null }: Pick<CallRequest, "run_id" | "owner">): Caller => ({
  runId: run_id,
  owner,
});

/**
 * This worker's part of one endpoint's limits. It holds a block of slots and permits and hands them out without asking
 * anyone; it settles with the others when it needs more, when it has to renew, and when the endpoint refuses a call.
 */
export class LocalEndpoint {
  readonly #options: LocalEndpointOptions;
  readonly #waiting = new WaitingCalls();
  #inUse = 0;
  /** The most calls at once since the last settlement: what is in use now and then is kept. */
  #peak = 0;
  #allowance: Allowance = { slots: 0, share: 0, permits: null, grew: false, waitMs: 0 };
  #permits = 0;
  #permitsUntil = 0;
  /** How long the last settlements took. */
  #took: readonly number[] = [];
  #leaseUntil = 0;
  #notBefore = 0;
  #unreported = { ...nothing };
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #settling: Promise<void> | null = null;
  #closed = false;
  /** Why calls are turned away that would have to wait for a time, once none is to. */
  #impatient: { readonly reason: unknown } | null = null;
  /** Why calls are turned away once this is closed. */
  #reason: unknown;

  constructor(options: LocalEndpointOptions) {
    this.#options = options;
  }

  async acquire(request: Omit<CallRequest, "endpoint">): Promise<CallSlot> {
    request.signal.throwIfAborted();
    if (this.#closed) throw this.#reason;
    // Usually there is room: nothing has to be set up to wait.
    if (this.#waiting.size === 0 && this.#mayStart()) return this.#startNow(callerOf(request));
    return this.#wait(request);
  }

  #startNow(caller: Caller): CallSlot {
    this.#waiting.began(caller);
    this.#take();
    this.#settleIn(this.#renewMs);
    return this.#slot(caller);
  }

  #wait({ priority = 0, signal, ...request }: Omit<CallRequest, "endpoint">): Promise<CallSlot> {
    const caller = callerOf(request);
    const { promise, resolve, reject } = Promise.withResolvers<CallSlot>();
    const abort = (): void => {
      this.#waiting.remove(call);
      this.#holdProcess();
      reject(signal.reason);
    };
    const call = {
      ...caller,
      priority,
      start: (): void => {
        signal.removeEventListener("abort", abort);
        resolve(this.#slot(caller));
      },
      refuse: (reason: unknown): void => {
        signal.removeEventListener("abort", abort);
        reject(reason);
      },
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#waiting.add(call);
    this.#handOut();
    return promise;
  }

  /** Nobody calls or waits here, and all that happened has been told: nothing is lost when it is forgotten. */
  get isIdle(): boolean {
    const waitsForNothing = !this.#settling && this.#timerAt === Number.POSITIVE_INFINITY && !this.#hasNews();
    return waitsForNothing && this.#inUse + this.#waiting.size + this.#allowance.slots === 0;
  }

  /** From here on nobody waits here for a time: whoever would fails with `reason`. */
  stopWaiting(reason: unknown): void {
    this.#impatient = { reason };
    this.#turnAway();
  }

  #turnAway(): void {
    if (this.#impatient && performance.now() < this.#notBefore) this.#waiting.refuseAll(this.#impatient.reason);
  }

  /** Calls that still wait fail with `reason`, and so do later ones. */
  async close(reason?: unknown): Promise<void> {
    this.#closed = true;
    this.#reason = reason;
    this.#waiting.refuseAll(reason);
    clearTimeout(this.#timer);
    await Promise.race([this.#giveAllBack(), sleep(longestGoodbyeMs, undefined, { ref: false })]);
  }

  /** What cannot be told is learnt by the others when the lease has ended. */
  async #giveAllBack(): Promise<void> {
    await this.#settling?.catch(() => {});
    this.#peak = 0;
    this.#dropPermits();
    if (this.#allowance.slots > 0 || this.#hasNews()) await this.#options.settle(this.#report(0)).catch(() => {});
  }

  #slot(caller: Caller): CallSlot {
    let held = true;
    let began = performance.now();
    return {
      refused: (retry_after_ms) => {
        this.#note({ outcome: "refused", retry_after_ms }, began);
        began = performance.now();
      },
      release: (end) => {
        if (!held) return;
        held = false;
        this.#inUse -= 1;
        this.#waiting.ended(caller);
        this.#note(end, began);
        this.#handOut();
      },
    };
  }

  #note({ outcome, tokens, retry_after_ms = 0 }: CallEnd, began: number): void {
    const news = this.#unreported;
    if (outcome === "ok") news.ok += 1;
    if (tokens !== undefined) {
      news.calls += 1;
      news.tokens += tokens;
    }
    news.pauseMs = Math.max(news.pauseMs, retry_after_ms);
    if (outcome !== "refused" && retry_after_ms === 0) return;
    if (outcome === "refused") news.refusedSince = Math.max(news.refusedSince ?? began, began);
    // Nothing more is handed out here until the others know.
    this.#leaseUntil = 0;
    this.#settleIn(0);
  }

  #handOut(): void {
    while (this.#waiting.size > 0 && this.#mayStart()) {
      this.#take();
      this.#waiting.next()?.start();
    }
    this.#turnAway();
    if (this.#waiting.size > 0) this.#askForMore();
    else if (this.#allowance.slots > 0) this.#settleIn(this.#renewMs);
  }

  #take(): void {
    this.#inUse += 1;
    this.#peak = Math.max(this.#peak, this.#inUse);
    if (this.#allowance.permits !== null) this.#permits -= 1;
  }

  #mayStart(): boolean {
    const { slots, share, permits } = this.#allowance;
    const now = performance.now();
    if (now >= this.#leaseUntil || now < this.#notBefore || this.#inUse >= Math.min(slots, share)) return false;
    return permits === null || (this.#permits > 0 && now < this.#permitsUntil);
  }

  #askForMore(): void {
    const { slots, share, permits } = this.#allowance;
    const now = performance.now();
    if (now < this.#notBefore) this.#settleIn(this.#notBefore - now);
    else if (now >= this.#leaseUntil) this.#settleIn(0);
    else if (this.#inUse < Math.min(slots, share) && permits !== null) this.#settleIn(0);
    // Whoever got all it asked for may ask for more; else calls that end here make room, and more comes with a renewal.
    else if (this.#inUse + this.#waiting.size > this.#asked && share >= this.#asked) this.#settleIn(0);
    else this.#settleIn(slots >= share ? this.#renewMs : askAgainMs);
  }

  /** What was asked for when the present allowance was given. */
  #asked = 0;

  get #renewMs(): number {
    return Math.min(slowestRenewalMs, this.#options.leaseMs / 4);
  }

  #settleIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#closed) return;
    if (at < this.#timerAt) {
      clearTimeout(this.#timer);
      this.#timerAt = at;
      this.#timer = setTimeout(() => {
        this.#timerAt = Number.POSITIVE_INFINITY;
        void this.#settle().catch(() => {});
      }, ms);
    }
    this.#holdProcess();
  }

  /** A process ends only when nobody in it waits for a call; that a lease is to be renewed is no reason to stay. */
  #holdProcess(): void {
    if (this.#waiting.size > 0) this.#timer?.ref();
    else this.#timer?.unref();
  }

  #settle(): Promise<void> {
    return (this.#settling ??= this.#settleNow().finally(() => {
      this.#settling = null;
      if (!this.#closed) this.#handOut();
    }));
  }

  async #settleNow(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt >= this.#permitsUntil) this.#dropPermits();
    const wanted = Math.max(this.#peak, this.#inUse + this.#waiting.size);
    const report = this.#report(wanted);
    this.#unreported = { ...nothing };
    this.#peak = this.#inUse;
    this.#asked = wanted;
    try {
      const allowance = await this.#options.settle(report);
      this.#took = [...this.#took, performance.now() - startedAt].slice(-remembered);
      this.#allowance = allowance;
      this.#leaseUntil = startedAt + this.#options.leaseMs / 2;
      this.#notBefore = allowance.waitMs > 0 ? performance.now() + allowance.waitMs : 0;
      if (allowance.permits) this.#addPermits(allowance.permits, startedAt);
    } catch (error) {
      this.#putBack(report, startedAt);
      this.#notBefore = performance.now() + retryMs;
      this.#options.onError(error);
      throw error;
    }
  }

  /**
   * Permits are as old as the answer they came with, which a slow network or a process that stood still may have held up: used late, they
   * would meet those that others were given since.
   */
  #addPermits(count: number, startedAt: number): void {
    this.#permits += count;
    this.#permitsUntil = startedAt + Math.min(...this.#took) + permitsLastMs;
  }

  #dropPermits(): void {
    this.#unreported.unusedPermits += this.#permits;
    this.#permits = 0;
  }

  #report(wanted: number): Report {
    const { calls, tokens, refusedSince, ...news } = this.#unreported;
    const refusedMs = refusedSince === null ? null : Math.floor(performance.now() - refusedSince);
    const short = this.#waiting.size - this.#permits;
    return { ...news, refusedMs, measured: { calls, tokens }, inUse: this.#inUse, wanted, permits: Math.max(0, short) };
  }

  #hasNews(): boolean {
    const { ok, refusedSince, unusedPermits, calls, pauseMs } = this.#unreported;
    return refusedSince !== null || ok + unusedPermits + calls + pauseMs > 0;
  }

  /** What could not be told is told the next time. */
  #putBack({ ok, refusedMs, unusedPermits, measured, pauseMs }: Report, reportedAt: number): void {
    const news = this.#unreported;
    news.ok += ok;
    // A refusal that came meanwhile is of a younger call.
    if (refusedMs !== null) news.refusedSince ??= reportedAt - refusedMs;
    news.unusedPermits += unusedPermits;
    news.calls += measured.calls;
    news.tokens += measured.tokens;
    news.pauseMs = Math.max(news.pauseMs, pauseMs);
  }
}
