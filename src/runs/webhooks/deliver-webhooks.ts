import { createHash, createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { Run } from "../../contract/schemas/run.ts";
import { longestRestMs, type DueWebhook, type WebhookOutbox } from "../../storage/queries/webhook-outbox.ts";
import { toRun } from "../to-run.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Sends one request, without retries of its own. True when the receiver answered with a 2xx. */
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
  /** The rest after the first failure; it doubles each time. */
  readonly retryMs?: number;
  /** How long an address may take to answer. */
  readonly answerMs?: number;
}

interface Delivery extends WebhookOptions {
  readonly silentAddresses: SilentAddresses;
  /** Runs that are being told of. */
  readonly underWay: Set<Promise<void>>;
}

/** After so long a receiver is given up. What ended longer ago than this is not told at all. */
const giveUpAfterMs = 24 * 3_600_000;
const longestAnswerMs = 15_000;
/** Who fails later than this holds others up: an address that does not answer, or cannot even be connected to. */
const silentAfterMs = 2_000;
const silentRestMs = 60_000;
/**
 * Longer than sending can take, which is two events for an address, one after the other, however many addresses there are.
 * A process that died while it held an entry delays it by this.
 */
const holdMs = 8 * longestAnswerMs;
const atOnce = 8;

/** How long a stop waits for receivers, so that a command tells of its own run before it ends. */
const farewellMs = 2_000;

/**
 * Tells the operator's addresses about runs that have ended, until the signal says stop; what had ended by then is told in one last
 * round. Each event arrives at least once, and once in the ordinary case; its id lets a receiver drop a repetition.
 */
export async function deliverWebhooks(options: WebhookOptions): Promise<void> {
  const { signal, pollMs = 1_000 } = options;
  const cut = cutAfter(signal, farewellMs);
  const silentAddresses = createSilentAddresses({ restMs: silentRestMs });
  const underWay = new Set<Promise<void>>();
  for (;;) {
    const isLast = signal.aborted;
    const mayBeMore = await startDue({ ...options, signal: cut, silentAddresses, underWay });
    if (cut.aborted || (isLast && !mayBeMore)) break;
    if (mayBeMore) await Promise.race(underWay);
    else await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {});
  }
  await Promise.all(underWay);
}

/** Aborts so long after `signal` does. */
function cutAfter(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const start = (): void => void setTimeout(() => controller.abort(), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return controller.signal;
}

/** Fills the free places. True when all are taken: there may be more to tell. */
async function startDue(delivery: Delivery): Promise<boolean> {
  const { outbox, underWay, onError, now = Date.now } = delivery;
  try {
    const due = await outbox.take({ now: now(), holdMs, limit: atOnce - underWay.size });
    for (const entry of due) {
      const telling = deliver(entry, delivery)
        .catch(onError)
        .finally(() => underWay.delete(telling));
      underWay.add(telling);
    }
    return underWay.size === atOnce;
  } catch (error) {
    onError(error);
    return false;
  }
}

async function deliver(entry: DueWebhook, options: Delivery): Promise<void> {
  const { outbox, store, urls, silentAddresses, onError, now = Date.now } = options;
  const run = await store.runs.get(entry.run_id);
  const old = now() - entry.finished_at > giveUpAfterMs;
  const sent = new Set(entry.sent);
  const events = run && !old ? webhookEvents(run) : [];
  // Side by side: one slow receiver must not hold up the others, nor the whole longer than the entry is held.
  await Promise.all(urls.map((url) => tell(url)));
  const isDone = urls.every((url) => events.every((event) => sent.has(keyOf(event, url))));
  if (old && entry.tries > 1) onError(new Error(`A webhook for the run ${entry.run_id} was given up after a day.`));
  await outbox.settle(entry.run_id, { sent: [...sent], due: isDone ? null : now() + restAfter(entry.tries, options) });

  async function tell(url: string): Promise<void> {
    for (const event of events) {
      const key = keyOf(event, url);
      if (sent.has(key) || !silentAddresses.mayTell(url)) continue;
      if (await accepted({ event, url }, options)) sent.add(key);
    }
  }
}

async function accepted(
  { event, url }: { event: WebhookEvent; url: string },
  { secret, send, signal, silentAddresses, onError, now = Date.now, answerMs = longestAnswerMs }: Delivery,
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
  const waitedInVain = !isAccepted && (limit.aborted || performance.now() - startedAt >= silentAfterMs);
  silentAddresses[waitedInVain ? "silent" : "answered"](url);
  return isAccepted;
}

/** An address may hold a token, so it is not stored. */
function keyOf({ body }: WebhookEvent, url: string): string {
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

/** What a receiver gets. The same for every try of the same event, its id too. */
interface WebhookEvent {
  readonly id: string;
  readonly body: { readonly type: WebhookType; readonly timestamp: string; readonly data: Run };
}

const endings = { completed: "run.completed", failed: "run.failed", cancelled: "run.cancelled" } as const;

/** The events of a run that has ended: how it ended, and that its gate failed when it did. */
export function webhookEvents(run: RunRecord): WebhookEvent[] {
  if (run.state !== "completed" && run.state !== "failed" && run.state !== "cancelled") return [];
  const types: WebhookType[] = [endings[run.state]];
  if (run.summary?.gate?.passed === false) types.push("gate.failed");
  const timestamp = new Date(run.finished_at ?? run.created_at).toISOString();
  return types.map((type) => ({ id: `${run.id}.${type}`, body: { type, timestamp, data: toRun(run) } }));
}

/** Addresses that let us wait in vain. Each is left alone for a while, so that others do not wait for it with every message. */
interface SilentAddresses {
  /** False while an address rests. When its rest is over, one message is let through to see whether it answers again. */
  mayTell(address: string): boolean;
  /** It was waited for in vain. */
  silent(address: string): void;
  /** It answered, whatever it said, or refused at once. */
  answered(address: string): void;
}

interface SilentAddressOptions {
  readonly restMs: number;
  /** A clock that nobody sets. */
  readonly now?: () => number;
}

export function createSilentAddresses({
  restMs,
  now = () => performance.now(),
}: SilentAddressOptions): SilentAddresses {
  const restingUntil = new Map<string, number>();
  const rest = (address: string): void => void restingUntil.set(address, now() + restMs);

  return {
    mayTell(address) {
      const until = restingUntil.get(address);
      if (until === undefined) return true;
      if (now() < until) return false;
      rest(address);
      return true;
    },
    silent: rest,
    answered: (address) => void restingUntil.delete(address),
  };
}
