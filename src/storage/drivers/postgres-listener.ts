import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { PostgresSockets } from "./postgres-sockets.ts";

interface ListenerOptions {
  /** Notifications do not pass a pooler in transaction mode: this address leads to the server itself. */
  readonly url: string;
  /** Where its connections get their sockets. */
  readonly sockets: PostgresSockets;
  readonly channel: string;
  /** Called for every notification, and once, with nothing, whenever the connection has been made. */
  readonly onNotice: (payload: string) => void;
  /** The connection has been made, perhaps again: notifications may have been missed. */
  readonly onConnected?: () => void;
}

interface Listener {
  stop(): Promise<void>;
}

const longestRestMs = 5_000;
const pingMs = 10_000;

/** Listens on a connection of its own and makes it again, with growing rests, whenever it is lost. */
export function startListener({ url, sockets, channel, onNotice, onConnected = () => {} }: ListenerOptions): Listener {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function follow(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await listenOnce({
          url,
          sockets,
          channel,
          onNotice,
          signal,
          onConnected() {
            failures = 0;
            onConnected();
          },
        });
      } catch {
        // Lost or refused: workers poll as well, so until it is back they are only slower to notice.
      }
      const rest = Math.min(longestRestMs, 50 * 2 ** failures) * (0.5 + Math.random());
      await sleep(rest, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const following = follow();
  return {
    async stop() {
      stopping.abort();
      await following;
    },
  };
}

interface Listening extends Required<ListenerOptions> {
  readonly signal: AbortSignal;
}

/** Resolves when `signal` aborts, rejects when the connection is lost. */
async function listenOnce({ url, sockets, channel, onNotice, signal, onConnected }: Listening): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: "rehearsal-listener",
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    keepAlive: true,
    stream: sockets.open,
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => {});
  client.on("error", reject);
  client.on("end", () => reject(new Error("The connection has ended")));
  client.on("notification", (message) => onNotice(message.payload ?? ""));
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  // A connection that was cut without a word shows only when something is sent over it.
  const ping = setInterval(() => void client.query("select 1").catch(reject), pingMs).unref();
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onConnected();
    onNotice("");
    await ended;
  } finally {
    clearInterval(ping);
    signal.removeEventListener("abort", onAbort);
    await client.end().catch(() => {});
  }
}
