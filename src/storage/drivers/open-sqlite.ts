import type { AgentMemory } from "../../contract/ports/agent-memory.ts";
import type { KeyRates, KeyRecords } from "../../contract/ports/api-keys.ts";
import type { JudgeAudits, Library } from "../../contract/ports/library.ts";
import type { Limits } from "../../contract/ports/limits.ts";
import type { WorldRelay } from "../../contract/ports/world-relay.ts";
import type { Queue } from "../../contract/ports/queue.ts";
import type { Store } from "../../contract/ports/store.ts";
import { createAgentMemory } from "../agent/create-agent-memory.ts";
import { createStore } from "../queries/create-store.ts";
import { createWorldRelay } from "../queries/world-relay.ts";
import { hostClock, ownProcessId, thisHost, type HostClock } from "../tables/host.ts";
import { createLeaseQueue } from "../queues/leases/create-lease-queue.ts";
import { createWorkSignal } from "../queues/leases/work-signal.ts";
import { createLimits, type LimitsOptions } from "../limits/create-limits.ts";
import { createPresence } from "../leases/presence.ts";
import { createJudgeAudits, createLibrary } from "../queries/library.ts";
import { createRunCarriers, createRunRescorings } from "../queries/run-holds.ts";
import { createWebhookOutbox, type WebhookOutbox } from "../queries/webhook-outbox.ts";
import { openSqliteDatabase, type SqliteDatabaseOptions } from "./sqlite-database.ts";

/** `file` is the path of the database, created if missing; `:memory:` keeps everything in memory. */
export interface SqliteOptions extends SqliteDatabaseOptions {
  readonly leaseMs?: number;
  readonly clock?: HostClock;
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
  /** The API keys of all services on this storage. Missing on SQLite: a data folder keeps its keys in a file. */
  readonly keys?: KeyRecords | undefined;
  /** Rate limits of those keys across all services. */
  readonly keyRates?: KeyRates | undefined;
  readonly store: Store;
  readonly queue: Queue;
  /** Shares the endpoints of worlds with other processes on this storage. */
  readonly worlds: WorldRelay;
  /** Wall-clock time in milliseconds since 1970, the same for all users of this storage. */
  readonly now: () => number;
  /** Limits shared with every worker on this storage. The caller closes them before the storage. */
  createLimits(options: LimitsOptions): Limits;
  /** SQLite only: PostgreSQL has its own backup tools. */
  readonly backup?: ((file: string) => Promise<void>) | undefined;
  /**
   * Call it when shutting down, before closing the users of this storage: from then on nothing waits for an unreachable
   * server, and connections to a silent one are destroyed after a short grace time.
   */
  stopWaiting(): void;
  close(): Promise<void>;
}

export interface OpenedSqlite extends OpenedStorage {
  /** Copies the whole store into a new file while it is in use. Rejects with a `StoreFileError` on failure. */
  backup(file: string): Promise<void>;
}

/** Processes on one file tell each other nothing, and reading it takes microseconds. */
const worldPollMs = 25;

/**
 * Embedded storage: store and queue on one database file that several processes of one host may share. Rejects with a
 * `StoreFileError` when the file cannot be used.
 */
export async function openSqlite({
  leaseMs = 15_000,
  clock = hostClock,
  host = thisHost(),
  pid = ownProcessId(),
  answersMs,
  onError = () => {},
  ...options
}: SqliteOptions): Promise<OpenedSqlite> {
  const database = await openSqliteDatabase(options);
  const readNow = async (): Promise<number> => clock.steady();
  const location = { host, pid };
  const agent = createAgentMemory({ database, readNow, location, onError, now: clock.now, answersMs });
  const presence = createPresence({ database, readNow, location, onError });
  const signal = createWorkSignal(database, clock);
  const worlds = createWorldRelay({ database, presence, now: clock.now, pollMs: worldPollMs, onError });
  const close = async (): Promise<void> => {
    signal.stop();
    worlds.stop();
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
      carriers: createRunCarriers(presence, location),
      rescorings: createRunRescorings(database, presence),
      close,
      readNow,
    }),
    now: clock.now,
    queue: createLeaseQueue({ database, clock, leaseMs, signal, host, pid, brokeDown: options.brokeDown }),
    worlds,
    createLimits: (limits) => createLimits({ database, readNow }, limits),
    backup: database.backup,
    // A local file never makes a write wait for a server.
    stopWaiting() {},
    close,
    [Symbol.asyncDispose]: close,
  };
}
