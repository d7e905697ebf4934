import { sql } from "kysely";
import { createAgentMemory } from "../agent/create-agent-memory.ts";
import { createStore } from "../queries/create-store.ts";
import type { Writer } from "../tables/database.ts";
import { createWorldRelay, relayNotice } from "../queries/world-relay.ts";
import { hostClock, ownProcessId, thisHost, type BrokeDown, type HostClock } from "../tables/host.ts";
import { createLimits } from "../limits/create-limits.ts";
import { createPresence } from "../leases/presence.ts";
import { createKeyRates, createKeyRecords } from "../queries/api-keys.ts";
import { createJudgeAudits, createLibrary } from "../queries/library.ts";
import { createRunCarriers, createRunRescorings } from "../queries/run-holds.ts";
import { cancellingRuns } from "../queries/runs.ts";
import { createWebhookOutbox } from "../queries/webhook-outbox.ts";
import { createAttemptWrites } from "../queues/boss/attempt-writes.ts";
import {
  createDatabaseClock,
  readNow,
  readNowAsyncCommit,
  readWallClock,
  requireDurableCommit,
} from "../queues/boss/clock.ts";
import { createBossQueue, startSweeps } from "../queues/boss/create-boss-queue.ts";
import { cancelNotice, workChannel } from "../queues/boss/slices.ts";
import { createNotifier } from "../queues/notifier.ts";
import type { OpenedStorage } from "./open-sqlite.ts";
import { openPostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.ts";
import { fromPostgresError } from "./postgres-error.ts";
import { startListener } from "./postgres-connections.ts";

export interface PostgresOptions extends PostgresDatabaseOptions {
  /** Interval of looking for silent workers. 0: only when `recover` is called. */
  readonly sweepMs?: number;
  /** How long a worker relies on notifications before it asks for work again. */
  readonly lookMs?: number;
  readonly host?: string;
  readonly pid?: number;
  /** Default: no worker broke down. */
  readonly brokeDown?: BrokeDown | undefined;
  readonly clock?: HostClock;
  readonly answersMs?: number | undefined;
}

/** Notices come first; behind a pooler there are none. */
const worldPollMs = 250;
/** How often the clock of this host is compared with that of the database. */
const clockSyncMs = 30_000;

/**
 * Storage for many machines: store and pg-boss queue on one PostgreSQL. Rejects with a `StoreFileError` when the
 * database cannot be used, and with `storage_unavailable` when it cannot be reached.
 */
export async function openPostgres({
  sweepMs = 2_000,
  lookMs = 900,
  host = thisHost(),
  pid = ownProcessId(),
  brokeDown,
  clock: given,
  answersMs,
  ...options
}: PostgresOptions): Promise<OpenedStorage> {
  const { url, heartbeatSeconds = 10 } = options;
  /** pg-boss reports errors as the server sent them. */
  const onError = (error: unknown): void => options.onError?.(fromPostgresError(error));
  const postgres = await openPostgresDatabase({ ...options, onError });
  const { database, slices, dispatch, sockets, stopWaiting } = postgres;
  const databaseClock = createDatabaseClock(() => readWallClock(database.reader));
  await databaseClock.sync().catch(onError);
  const clock = given ?? { ...hostClock, now: databaseClock.now };
  const work = createNotifier();
  const cancels = createNotifier<string>();

  function onNotice(payload: string): void {
    if (payload.startsWith(relayNotice)) return worlds.noticed(payload);
    if (payload.startsWith(cancelNotice)) return cancels.announce(payload.slice(cancelNotice.length));
    queue.noticed();
  }

  async function onConnected(): Promise<void> {
    for (const id of await cancellingRuns(database.reader)) cancels.announce(id);
  }

  const listener = startListener({
    url,
    sockets,
    channel: workChannel,
    onNotice,
    onConnected: () => void onConnected().catch(onError),
  });
  const writes = createAttemptWrites({ database, clock });
  const queue = createBossQueue({
    database,
    slices,
    writes,
    leaseMs: heartbeatSeconds * 1_000,
    lookMs,
    announce: work.announce,
    onWork: work.listen,
    onCancel: cancels.listen,
    host,
    pid,
    brokeDown,
  });
  const sweeps = [
    startSweeps({ sweep: queue.sweep, everyMs: sweepMs, onError }),
    startSweeps({ sweep: databaseClock.sync, everyMs: clockSyncMs, onError }),
  ];
  const location = { host, pid };
  const agent = createAgentMemory({ database, readNow, location, onError, now: clock.now, answersMs });
  const presence = createPresence({ database, readNow, location, onError });
  const worlds = createWorldRelay({
    database,
    presence,
    now: clock.now,
    pollMs: worldPollMs,
    announce: async (writer, notice) => void (await sql`select pg_notify(${workChannel}, ${notice})`.execute(writer)),
    onError,
  });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      stopWaiting();
      work.stop();
      cancels.stop();
      worlds.stop();
      await Promise.all([
        listener.stop(),
        ...sweeps.map(({ stop }) => stop()),
        agent.close(),
        presence.close().catch(onError),
      ]);
      await queue.close().catch(onError);
      await postgres.close();
    })());
  const store = createStore({
    database,
    clock,
    onWork: queue.noticed,
    onCancel: cancels.announce,
    carriers: createRunCarriers(presence, location),
    rescorings: createRunRescorings(database, presence),
    close,
    dispatch,
    readNow,
  });
  return {
    agent,
    library: createLibrary(database, { lock: lockLibrary }),
    audits: createJudgeAudits(database),
    outbox: createWebhookOutbox(database),
    keys: createKeyRecords(database),
    keyRates: createKeyRates({ database, readNow: readNowAsyncCommit }),
    // Concurrent turns and steps of this process share one transaction.
    store: {
      ...store,
      interactions: { ...store.interactions, store: writes.store },
      journal: { ...store.journal, append: writes.journal },
    },
    queue,
    worlds,
    now: clock.now,
    createLimits: (limits) => createLimits({ database, readNow: readNowAsyncCommit, requireDurableCommit }, limits),
    stopWaiting,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * The newest version is read and then written: without a lock, two concurrent versions would both become the newest.
 */
const libraryLock = 7_245_102;

async function lockLibrary(writer: Writer): Promise<void> {
  await sql`select pg_advisory_xact_lock(${libraryLock})`.execute(writer);
}
