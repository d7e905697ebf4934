import type { AgentMemory } from "../../contract/ports/agent-memory.ts";
import type { KeyRates, KeyRecords } from "../../contract/ports/api-keys.ts";
import type { JudgeAudits, Library } from "../../contract/ports/library.ts";
import type { Limits } from "../../contract/ports/limits.ts";
import type { Queue } from "../../contract/ports/queue.ts";
import type { Store } from "../../contract/ports/store.ts";
import { createAgentMemory } from "../agent/create-agent-memory.ts";
import { systemClock, type Clock } from "../clock.ts";
import { createStore } from "../create-store.ts";
import { createLeaseQueue } from "../leases/create-lease-queue.ts";
import { thisHost } from "../leases/this-host.ts";
import { createWorkSignal } from "../leases/work-signal.ts";
import { createLimits, type LimitsOptions } from "../limits/create-limits.ts";
import { createPresence } from "../presence.ts";
import { createJudgeAudits } from "../queries/judge-audits.ts";
import { createLibrary } from "../queries/library.ts";
import { createWebhookOutbox, type WebhookOutbox } from "../queries/webhook-outbox.ts";
import { createRunCarriers } from "../run-carriers.ts";
import { createRunRescorings } from "../run-rescorings.ts";
import { openSqliteDatabase, type SqliteDatabaseOptions } from "./sqlite-database.ts";

/** `file` is the path of the database, made if it is missing; `:memory:` keeps everything in memory. */
export interface SqliteOptions extends SqliteDatabaseOptions {
  readonly leaseMs?: number;
  readonly clock?: Clock;
  readonly host?: string;
  readonly pid?: number;
  readonly answersMs?: number | undefined;
  readonly onError?: (error: unknown) => void;
}

export interface OpenedStorage extends AsyncDisposable {
  readonly agent: AgentMemory;
  readonly library: Library;
  readonly audits: JudgeAudits;
  readonly outbox: WebhookOutbox;
  /** The API keys of all services on this storage. Missing on the embedded store: a data folder has its keys in a file. */
  readonly keys?: KeyRecords | undefined;
  /** Limits of those keys for all services together. */
  readonly keyRates?: KeyRates | undefined;
  readonly store: Store;
  readonly queue: Queue;
  /** The time of day, in milliseconds since 1970, by which all who use this storage say when something happened. */
  readonly now: () => number;
  /** Limits shared with every worker of this storage. Whoever makes them closes them before the storage. */
  createLimits(options: LimitsOptions): Limits;
  /** Only the embedded store is copied by us; a PostgreSQL has its own ways. */
  readonly backup?: ((file: string) => Promise<void>) | undefined;
  /**
   * Whoever stops says so before it closes what uses this storage: from here on nothing waits for a server that is away, and one that
   * has fallen silent is given up a moment later.
   */
  stopWaiting(): void;
  close(): Promise<void>;
}

export interface OpenedSqlite extends OpenedStorage {
  /** Copies the whole store into a new file while it is in use. Rejects with a `StoreFileError` when that cannot be done. */
  backup(file: string): Promise<void>;
}

/**
 * The embedded storage: store and queue on one database file that several processes of one host may share.
 * Rejects with a `StoreFileError` when the file cannot be used.
 */
export async function openSqlite({
  leaseMs = 15_000,
  clock = systemClock,
  host = thisHost(),
  pid = process.pid,
  answersMs,
  onError = () => {},
  ...options
}: SqliteOptions): Promise<OpenedSqlite> {
  const database = await openSqliteDatabase(options);
  const readNow = async (): Promise<number> => clock.steady();
  const place = { host, pid };
  const agent = createAgentMemory({ database, readNow, place, onError, now: clock.now, answersMs });
  const presence = createPresence({ database, readNow, place, onError });
  const signal = createWorkSignal(database, clock);
  const close = async (): Promise<void> => {
    signal.stop();
    await Promise.all([agent.close(), presence.close().catch(onError)]);
    await database.close();
  };
  return {
    agent,
    library: createLibrary(database),
    audits: createJudgeAudits(database),
    outbox: createWebhookOutbox(database),
    store: createStore({
      database,
      clock,
      onWork: signal.work.announce,
      onCancel: signal.cancels.announce,
      carriers: createRunCarriers(presence, place),
      rescorings: createRunRescorings(database, presence),
      close,
      readNow,
    }),
    now: clock.now,
    queue: createLeaseQueue({ database, clock, leaseMs, signal, host, pid, ranOutOfMemory: options.ranOutOfMemory }),
    createLimits: (limits) => createLimits({ database, readNow }, limits),
    backup: database.backup,
    // Its file is never away.
    stopWaiting() {},
    close,
    [Symbol.asyncDispose]: close,
  };
}
