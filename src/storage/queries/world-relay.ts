import { randomUUID } from "node:crypto";
import { pause } from "../../base/deadline.ts";
import type { ServedAttempt } from "../../contract/ports/world-endpoints.ts";
import type { Relayed, RelayedRequest, RelayedResponse, WorldRelay } from "../../contract/ports/world-relay.ts";
import type { Database, Writer } from "../tables/database.ts";
import type { Presence } from "../leases/presence.ts";
import { createNotifier, type Notifier } from "../queues/notifier.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";

interface WorldRelayOptions {
  readonly database: Database;
  readonly presence: Presence;
  readonly now: () => number;
  /** How often this process looks for requests and responses by itself. */
  readonly pollMs: number;
  /** Announces something to other processes when the transaction commits. Default: they look for it. */
  readonly announce?: (writer: Writer, notice: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

interface StoredWorldRelay extends WorldRelay {
  /** Another process has announced something. */
  noticed(notice: string): void;
  stop(): void;
}

type RelayAnswer = (request: RelayedRequest) => Promise<RelayedResponse>;

/** A closed endpoint is remembered for so long, so that late calls are recognised. */
const rememberedMs = 86_400_000;
const sweepEveryMs = 3_600_000;
/** How often a waiting process checks that the one it waits for still lives. */
const lookAliveMs = 2_000;

/** Keeps endpoints and requests in the store. The process with an endpoint shows that it lives while one is open. */
export function createWorldRelay(options: WorldRelayOptions): StoredWorldRelay {
  const { database, presence, now, pollMs, announce = async () => {}, onError } = options;
  const { reader, write } = database;
  const open = new Map<string, RelayAnswer>();
  const underWay = new Set<string>();
  const responses: Notifier<string> = createNotifier();
  let timer: NodeJS.Timeout | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function sweep(): Promise<void> {
    if (now() - sweptAt < sweepEveryMs) return;
    sweptAt = now();
    await write(async (writer) => {
      await writer
        .deleteFrom("world_endpoint")
        .where("opened_at", "<", now() - rememberedMs)
        .execute();
      await writer
        .deleteFrom("world_request")
        .where("sent_at", "<", now() - rememberedMs)
        .execute();
    });
  }

  async function answerWaiting(): Promise<void> {
    const waiting = await reader
      .selectFrom("world_request")
      .where("process", "=", presence.id)
      .where("response", "is", null)
      .select(["id", "endpoint", "request"])
      .execute();
    for (const { id, endpoint, request } of waiting) {
      if (underWay.has(id)) continue;
      underWay.add(id);
      void answerOne(id, open.get(endpoint), fromJsonText<RelayedRequest>(request))
        .catch(onError)
        .finally(() => underWay.delete(id));
    }
  }

  async function answerOne(id: string, answer: RelayAnswer | undefined, request: RelayedRequest): Promise<void> {
    const response = answer ? await answer(request) : gone;
    await write(async (writer) => {
      await writer
        .updateTable("world_request")
        .where("id", "=", id)
        .set({ response: toJsonText(response) })
        .execute();
      await announce(writer, responseNotice + id);
    });
  }

  function look(): void {
    if (open.size > 0) void answerWaiting().catch(onError);
  }

  async function findOwner(id: string) {
    const alive = await presence.isAlive(reader, "world_endpoint.process");
    return reader
      .selectFrom("world_endpoint")
      .where("id", "=", id)
      .select(["process", "run_id", "attempt", "closed"])
      .select((row) => row.case().when(alive).then(1).else(0).end().as("alive"))
      .executeTakeFirst();
  }

  /** Waits until the response is there, or its process is not. */
  async function responseTo(id: string, endpoint: string, signal: AbortSignal): Promise<RelayedResponse | null> {
    let lookedAt = performance.now();
    for (;;) {
      const row = await reader.selectFrom("world_request").where("id", "=", id).select("response").executeTakeFirst();
      if (!row) return null;
      if (row.response !== null) return fromJsonText<RelayedResponse>(row.response);
      if (performance.now() - lookedAt > lookAliveMs) {
        lookedAt = performance.now();
        if ((await findOwner(endpoint))?.alive !== 1) return null;
      }
      const arrived = Promise.withResolvers<void>();
      const leave = responses.listen((answered) => answered === id && arrived.resolve());
      await Promise.race([arrived.promise, pause(pollMs, signal)]).finally(leave);
    }
  }

  return {
    async open(id, { runId, name }, answer) {
      open.set(id, answer);
      presence.hold(id);
      timer ??= setInterval(look, pollMs).unref();
      await sweep();
      await write(async (writer) => {
        await presence.markAlive(writer);
        const row = { id, process: presence.id, run_id: runId, attempt: toJsonText(name), opened_at: now() };
        await writer.insertInto("world_endpoint").values(row).execute();
      });
    },
    async close(id) {
      open.delete(id);
      presence.release(id);
      if (open.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
      await write((writer) => writer.updateTable("world_endpoint").where("id", "=", id).set({ closed: 1 }).execute());
    },
    async forward(endpoint, request, signal): Promise<Relayed> {
      const owner = await findOwner(endpoint);
      if (!owner || owner.process === presence.id) return { outcome: "unknown" };
      const attempt: ServedAttempt = { runId: owner.run_id, name: fromJsonText<string>(owner.attempt) };
      if (owner.closed === 1) return { outcome: "closed", attempt };
      if (owner.alive !== 1) return { outcome: "unreachable" };
      const id = randomUUID();
      await write(async (writer) => {
        const row = { id, endpoint, process: owner.process, request: toJsonText(request), sent_at: now() };
        await writer.insertInto("world_request").values(row).execute();
        await announce(writer, requestNotice + owner.process);
      });
      try {
        const response = await responseTo(id, endpoint, signal);
        return response ? { outcome: "answered", response } : { outcome: "unreachable" };
      } finally {
        await write((writer) => writer.deleteFrom("world_request").where("id", "=", id).execute()).catch(onError);
      }
    },
    noticed(notice) {
      if (notice === requestNotice + presence.id) look();
      else if (notice.startsWith(responseNotice)) responses.announce(notice.slice(responseNotice.length));
    },
    stop() {
      clearInterval(timer);
      responses.stop();
    },
  };
}

/** The prefix of all notices. */
export const relayNotice = "world ";
const requestNotice = `${relayNotice}to `;
const responseNotice = `${relayNotice}answered `;

/** The endpoint was closed after the request was sent. */
const gone: RelayedResponse = {
  status: 410,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32_000, message: "The attempt of this world has ended: calls are no longer accepted." },
  }),
};
