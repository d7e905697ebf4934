import { sql } from "kysely";
import { createAgentMemory } from "../agent/create-agent-memory.ts";
import { createAttemptWrites } from "../boss/attempt-writes.ts";
import { createBossQueue } from "../boss/create-boss-queue.ts";
import { readNow, readNowUnhurried, waitForDisk } from "../boss/database-clock.ts";
import { createWallClock } from "../boss/wall-clock.ts";
import { cancelNotice, workChannel } from "../boss/jobs.ts";
import { startSweeps } from "../boss/sweeps.ts";
import { systemClock, type Clock } from "../clock.ts";
import { createStore } from "../create-store.ts";
import { createPresence } from "../presence.ts";
import { createRunCarriers } from "../run-carriers.ts";
import { createRunRescorings } from "../run-rescorings.ts";
import { thisHost } from "../leases/this-host.ts";
import type { RanOutOfMemory } from "../leases/worker-processes.ts";
import { createKeyRates } from "../limits/key-rates.ts";
import { createLimits } from "../limits/create-limits.ts";
import { createJudgeAudits } from "../queries/judge-audits.ts";
import { createKeyRecords } from "../queries/key-records.ts";
import { createLibrary } from "../queries/library.ts";
import { createWebhookOutbox } from "../queries/webhook-outbox.ts";
import { cancellingRuns } from "../queries/runs.ts";
import { createWakeUps } from "../wake-ups.ts";
import type { Writer } from "../database.ts";
import type { OpenedStorage } from "./open-sqlite.ts";
import { toStorageError } from "./postgres-error.ts";
import { startListener } from "./postgres-listener.ts";
import { openPostgresParts, type PostgresPartsOptions } from "./postgres-parts.ts";

export interface PostgresOptions extends PostgresPartsOptions {
  /** How often silent workers are looked for, and how often jobs are compared with rows. 0: only when `recover` is called. */
  readonly sweepMs?: number;
  readonly reconcileMs?: number;
  readonly host?: string;
  readonly pid?: number;
  /** Default: no worker has. */
  readonly ranOutOfMemory?: RanOutOfMemory | undefined;
  readonly clock?: Clock;
  readonly answersMs?: number | undefined;
}

/**
 * The storage for many machines: store on PostgreSQL, queue by pg-boss on the same one. Rejects with a `StoreFileError`
 * when the database cannot be used, and with `storage_unavailable` when it cannot be reached.
 */
export async function openPostgres({
  sweepMs = 1_000,
  reconcileMs = 30_000,
  host = thisHost(),
  pid = process.pid,
  ranOutOfMemory,
  clock: given,
  answersMs,
  ...options
}: PostgresOptions): Promise<OpenedStorage> {
  const { url, heartbeatSeconds = 10 } = options;
  /** What pg-boss meets comes as the server said it. */
  const onError = (error: unknown): void => options.onError?.(toStorageError(error));
  const parts = await openPostgresParts({ ...options, onError });
  const { database, jobs, dispatch, sockets, stopWaiting } = parts;
  const wallClock = createWallClock(database.reader);
  await wallClock.adjust().catch(onError);
  const clock = given ?? { ...systemClock, now: wallClock.now };
  const wakeUps = createWakeUps();
  const cancels = createWakeUps<string>();

  function onNotice(payload: string): void {
    if (payload.startsWith(cancelNotice)) return cancels.announce(payload.slice(cancelNotice.length));
    wakeUps.announce();
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
  const writes = createAttemptWrites({ database, jobs, clock });
  const queue = createBossQueue({
    database,
    jobs,
    writes,
    leaseMs: heartbeatSeconds * 1_000,
    announce: wakeUps.announce,
    onWork: wakeUps.listen,
    onCancel: cancels.listen,
    host,
    pid,
    ranOutOfMemory,
  });
  const reconcile = (): Promise<unknown> => Promise.all([queue.recover(), wallClock.adjust()]);
  const sweeps = startSweeps({ sweep: queue.sweep, sweepMs, reconcile, reconcileMs, onError });
  const place = { host, pid };
  const agent = createAgentMemory({ database, readNow, place, onError, now: clock.now, answersMs });
  const presence = createPresence({ database, readNow, place, onError });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      stopWaiting();
      wakeUps.stop();
      cancels.stop();
      await Promise.all([listener.stop(), sweeps.stop(), agent.close(), presence.close().catch(onError)]);
      await parts.close();
    })());
  const store = createStore({
    database,
    clock,
    onWork: wakeUps.announce,
    onCancel: cancels.announce,
    carriers: createRunCarriers(presence, place),
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
    keyRates: createKeyRates({ database, readNow: readNowUnhurried }),
    // A turn shares its transaction with the others of this process that come at the same time.
    store: { ...store, interactions: { ...store.interactions, store: writes.store } },
    queue,
    now: clock.now,
    createLimits: (limits) => createLimits({ database, readNow: readNowUnhurried, waitForDisk }, limits),
    stopWaiting,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Which version of a scenario is the newest is read and then written: two at once would both be it. */
const libraryLock = 7_245_102;

async function lockLibrary(writer: Writer): Promise<void> {
  await sql`select pg_advisory_xact_lock(${libraryLock})`.execute(writer);
}
