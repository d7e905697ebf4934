import type { AgentRunEntry, AgentRunSummary } from "../../contract/agent-run.ts";
import type { AgentRunLog } from "../../contract/agent-run-log.ts";
import type { Database } from "../database.ts";
import type { Presence } from "./presence.ts";
import { findAgentRun, listAgentRuns } from "./read-runs.ts";
import { writeRuns, type RunPart } from "./write-runs.ts";

export interface RunLogOptions {
  readonly database: Database;
  readonly presence: Presence;
  readonly onError: (error: unknown) => void;
  /** How long entries wait for others: a process that is killed loses no more than this. */
  readonly delayMs?: number;
  /** Runs with entries that the database has not taken yet. Beyond this the oldest are given up. */
  readonly mostWaiting?: number;
}

export interface StoredRunLog extends AgentRunLog {
  /** Resolves when everything added so far is stored. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** A run under way here. */
interface OpenRun {
  /** null until its beginning is known here: it may have begun in another process. */
  summary: AgentRunSummary | null;
  readonly release: () => void;
}

const retryMs = 1_000;

/**
 * The run log on any database that has our schema. Entries wait a moment in memory and are written together, so a turn
 * costs its share of one transaction; all that a short run said is one row.
 */
export function createRunLog({
  database,
  presence,
  onError,
  delayMs = 100,
  mostWaiting = 10_000,
}: RunLogOptions): StoredRunLog {
  const open = new Map<string, OpenRun>();
  let waiting = new Map<string, AgentRunEntry[]>();
  /** Could not be written, or it is not known whether it was: goes first, and as it was, so that it is not written twice. */
  let failed: Map<string, AgentRunEntry[]> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;

  const flushSoon = () => void flush().catch(() => {});

  function schedule(ms: number): void {
    timer ??= setTimeout(flushSoon, ms).unref();
  }

  function write(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    const batch = failed ?? waiting;
    if (!failed) waiting = new Map();
    failed = null;
    return (writing = store(batch).finally(() => (writing = null)));
  }

  async function store(batch: Map<string, AgentRunEntry[]>): Promise<void> {
    try {
      await presence.ensure();
      const parts = [...batch].map(([id, entries]): RunPart => ({
        id,
        entries,
        summary: open.get(id)?.summary ?? null,
      }));
      const summaries = await writeRuns(database, parts, { process: presence.id, onError });
      for (const [id, run] of open) run.summary = summaries.get(id) ?? run.summary;
      for (const [id, entries] of batch) if (entries.at(-1)?.type === "run-end") forget(id);
    } catch (error) {
      onError(error);
      putBack(batch);
      throw error;
    }
  }

  function putBack(batch: Map<string, AgentRunEntry[]>): void {
    failed = batch;
    for (const id of [...batch.keys(), ...waiting.keys()]) {
      if (batch.size + waiting.size <= mostWaiting) break;
      batch.delete(id);
      waiting.delete(id);
      forget(id);
    }
    schedule(retryMs);
  }

  function forget(id: string): void {
    if (waiting.has(id)) return;
    open.get(id)?.release();
    open.delete(id);
  }

  async function flush(): Promise<void> {
    // First what is being written or failed, then what waited behind it, which somebody else may have begun to write.
    for (let round = 0; round < 2; round += 1) {
      if (writing || failed || waiting.size > 0) await (writing ?? write());
    }
  }

  return {
    append(id, entry) {
      if (!open.has(id)) open.set(id, { summary: null, release: presence.hold() });
      const entries = waiting.get(id);
      if (entries) entries.push(entry);
      else waiting.set(id, [entry]);
      // Whoever decides about a run that waits may ask another process a moment later.
      if (entry.type === "run-end" && entry.state === "waiting") flushSoon();
      else schedule(delayMs);
    },
    async get(id, owner) {
      await flush();
      return findAgentRun(database.reader, id, owner);
    },
    async list(filter) {
      await flush();
      return listAgentRuns(database.reader, filter);
    },
    flush,
    async close() {
      await flush().catch(() => {});
      if (timer) clearTimeout(timer);
      for (const { release } of open.values()) release();
    },
  };
}
