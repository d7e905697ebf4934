import { createHash, createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import type { Run } from "../contract/schemas/run.ts";
import { longestRestMs, type DueWebhook, type WebhookOutbox } from "../storage/queries/webhook-outbox.ts";
import { toRun } from "./results/to-run.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Sends one request without retries. True when the receiver answered with a 2xx. */
export type SendWebhook = (request: WebhookRequest) => Promise<boolean>;

interface WebhookOptions {
  readonly outbox: WebhookOutbox;
  readonly store: Store;
  readonly urls: readonly string[];
  /** `whsec_…` */
  readonly secret: string;
  readonly send: SendWebhook;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
  readonly now?: () => number;
  readonly pollMs?: number;
  /** The pause after the first failure; it doubles each time. */
  readonly retryMs?: number;
  /** The time limit for a receiver's answer. */
  readonly answerMs?: number;
}

interface WebhookDelivery extends WebhookOptions {
  readonly unresponsive: UnresponsiveUrls;
  /** Deliveries in progress. */
  readonly inProgress: Set<Promise<void>>;
}

/** Delivery to a receiver is abandoned after this long. Older ends of runs are not delivered at all. */
const giveUpAfterMs = 24 * 3_600_000;
const longestAnswerMs = 15_000;
/** A failure that takes longer marks the address as unresponsive: it does not answer or cannot be reached. */
const unresponsiveAfterMs = 2_000;
const unresponsiveRestMs = 60_000;
/**
 * Longer than sending can take: two events per address in sequence, all addresses in parallel. If a process dies while it holds
 * an entry, delivery is delayed by this.
 */
const holdMs = 8 * longestAnswerMs;
const maxConcurrent = 8;

/** How long a shutdown waits for receivers, so that a command can report its own run. */
const shutdownGraceMs = 2_000;

/**
 * Delivers webhooks about ended runs until the signal aborts, followed by one last round. Each event arrives at least once,
 * usually exactly once; its id lets a receiver drop duplicates.
 */
export async function deliverWebhooks(options: WebhookOptions): Promise<void> {
  const { signal, pollMs = 1_000 } = options;
  const cut = abortAfter(signal, shutdownGraceMs);
  const unresponsive = createUnresponsiveUrls({ restMs: unresponsiveRestMs });
  const inProgress = new Set<Promise<void>>();
  for (;;) {
    const isLast = signal.aborted;
    const mayBeMore = await startDue({ ...options, signal: cut, unresponsive, inProgress });
    if (cut.aborted || (isLast && !mayBeMore)) break;
    if (mayBeMore) await Promise.race(inProgress);
    else await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {});
  }
  await Promise.all(inProgress);
}

/** Aborts `ms` after `signal` does. */
function abortAfter(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const start = (): void => void setTimeout(() => controller.abort(), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return controller.signal;
}

/** Starts deliveries up to the limit. True when the limit is reached, since more may be due. */
async function startDue(delivery: WebhookDelivery): Promise<boolean> {
  const { outbox, inProgress, onError, now = Date.now } = delivery;
  try {
    const due = await outbox.take({ now: now(), holdMs, limit: maxConcurrent - inProgress.size });
    for (const entry of due) {
      const delivering = deliver(entry, delivery)
        .catch(onError)
        .finally(() => inProgress.delete(delivering));
      inProgress.add(delivering);
    }
    return inProgress.size === maxConcurrent;
  } catch (error) {
    onError(error);
    return false;
  }
}

async function deliver(entry: DueWebhook, options: WebhookDelivery): Promise<void> {
  const { outbox, store, urls, unresponsive, onError, now = Date.now } = options;
  const run = await store.runs.get(entry.run_id);
  const old = now() - entry.finished_at > giveUpAfterMs;
  const sent = new Set(entry.sent);
  const events = run && !old ? webhookEvents(run) : [];
  // Receivers are notified in parallel, so that a slow one delays neither the others nor the release of the entry.
  await Promise.all(urls.map((url) => deliverTo(url)));
  const isDone = urls.every((url) => events.every((event) => sent.has(deliveryKey(event, url))));
  if (old && entry.tries > 1) onError(new Error(`A webhook for the run ${entry.run_id} was given up after a day.`));
  await outbox.settle(entry.run_id, { sent: [...sent], due: isDone ? null : now() + restAfter(entry.tries, options) });

  async function deliverTo(url: string): Promise<void> {
    for (const event of events) {
      const key = deliveryKey(event, url);
      if (sent.has(key) || !unresponsive.mayTry(url)) continue;
      if (await accepted({ event, url }, options)) sent.add(key);
    }
  }
}

async function accepted(
  { event, url }: { event: WebhookEvent; url: string },
  { secret, send, signal, unresponsive, onError, now = Date.now, answerMs = longestAnswerMs }: WebhookDelivery,
): Promise<boolean> {
  const body = JSON.stringify(event.body);
  const headers = signWebhook({ id: event.id, timestamp: Math.floor(now() / 1_000), body }, secret);
  const startedAt = performance.now();
  const limit = AbortSignal.timeout(answerMs);
  let isAccepted = false;
  try {
    isAccepted = await send({
      url,
      headers: { "content-type": "application/json", ...headers },
      body,
      signal: AbortSignal.any([signal, limit]),
    });
  } catch (error) {
    if (!signal.aborted) onError(error);
  }
  const isUnresponsive = !isAccepted && (limit.aborted || performance.now() - startedAt >= unresponsiveAfterMs);
  unresponsive[isUnresponsive ? "timedOut" : "answered"](url);
  return isAccepted;
}

/** A URL may contain a token, so its hash is stored. */
function deliveryKey({ body }: WebhookEvent, url: string): string {
  return `${body.type} ${createHash("sha256").update(url).digest("base64url").slice(0, 16)}`;
}

function restAfter(tries: number, { retryMs = 5_000 }: WebhookOptions): number {
  return Math.round(Math.min(longestRestMs, retryMs * 2 ** (tries - 1)) * (0.8 + 0.4 * Math.random()));
}

interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of the Standard Webhooks specification. `secret` is `whsec_` and the key in base64. */
export function signWebhook({ id, timestamp, body }: SignedMessage, secret: string): Record<string, string> {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${signature}` };
}

type WebhookType = "run.completed" | "run.failed" | "run.cancelled" | "gate.failed";

/** The payload; every try of an event sends the same, including its id. */
interface WebhookEvent {
  readonly id: string;
  readonly body: { readonly type: WebhookType; readonly timestamp: string; readonly data: Run };
}

const endings = { completed: "run.completed", failed: "run.failed", cancelled: "run.cancelled" } as const;

/** The events of an ended run: its end, and `gate.failed` when its gate failed. */
export function webhookEvents(run: RunRecord): WebhookEvent[] {
  if (run.state !== "completed" && run.state !== "failed" && run.state !== "cancelled") return [];
  const types: WebhookType[] = [endings[run.state]];
  if (run.summary?.gate?.passed === false) types.push("gate.failed");
  const timestamp = new Date(run.finished_at ?? run.created_at).toISOString();
  return types.map((type) => ({ id: `${run.id}.${type}`, body: { type, timestamp, data: toRun(run) } }));
}

/** Addresses that timed out. Each is skipped for a while, so that others do not wait for it with every event. */
interface UnresponsiveUrls {
  /** False while an address is skipped. Afterwards one event is let through to test it. */
  mayTry(address: string): boolean;
  /** The address timed out. */
  timedOut(address: string): void;
  /** The address answered or refused the connection at once. */
  answered(address: string): void;
}

interface UnresponsiveUrlOptions {
  readonly restMs: number;
  /** A monotonic clock. */
  readonly now?: () => number;
}

export function createUnresponsiveUrls({
  restMs,
  now = () => performance.now(),
}: UnresponsiveUrlOptions): UnresponsiveUrls {
  const restingUntil = new Map<string, number>();
  const rest = (address: string): void => void restingUntil.set(address, now() + restMs);

  return {
    mayTry(address) {
      const until = restingUntil.get(address);
      if (until === undefined) return true;
      if (now() < until) return false;
      rest(address);
      return true;
    },
    timedOut: rest,
    answered: (address) => void restingUntil.delete(address),
  };
}
