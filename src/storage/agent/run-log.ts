import { getHeapStatistics } from "node:v8";
import type { AgentRunFilter, AgentRunLog, AgentRunPage, AgentRunRecord } from "../../contract/ports/agent-memory.ts";
import { advanceSummary, type AgentRunEntry, type AgentRunSummary } from "../../contract/schemas/agent/agent-run.ts";
import type { Database, Reader } from "../tables/database.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Presence } from "../leases/presence.ts";
import { parseIdCursor, toIdCursor } from "../queries/paging.ts";
import { fromJsonText, isPlainId, toJsonText } from "../tables/text-columns.ts";
import { writeRuns, type RunPart } from "./write-runs.ts";

export interface RunLogOptions {
  readonly database: Database;
  readonly presence: Presence;
  readonly onError: (error: unknown) => void;
  /** How long entries are buffered: a process that is killed loses no more than this. */
  readonly delayMs?: number;
  /** Runs with entries that are not stored yet. Beyond this the oldest are dropped. */
  readonly mostWaiting?: number;
  /** Characters of those entries: each run contains its whole conversation. Default: 64 million, fewer in a small heap. */
  readonly mostCharacters?: number;
}

interface StoredRunLog extends AgentRunLog {
  close(): Promise<void>;
}

/** Buffered entries of one run. */
interface WaitingPart extends RunPart {
  start: RunPart["start"];
  readonly texts: string[];
  summary: AgentRunSummary | null;
  ended: boolean;
  /** Those who want to know when it is written, or given up. */
  readonly onWritten: (() => void)[];
}

type LogBatch = Map<string, WaitingPart>;

const sizeOf = (part: WaitingPart | undefined): number => part?.texts.reduce((sum, text) => sum + text.length, 0) ?? 0;

const retryMs = 1_000;

/** Characters written in one transaction, unless those of one run are more, and the pause between two. */
const charactersAtOnce = 1024 * 1024;
const pauseMs = 10;

function slicesOf(batch: LogBatch): WaitingPart[][] {
  const slices: WaitingPart[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const part of batch.values()) {
    size += sizeOf(part);
    if (size > charactersAtOnce) {
      slices.push([]);
      size = sizeOf(part);
    }
    slices.at(-1)?.push(part);
  }
  return slices;
}

/**
 * The run log. Entries are buffered briefly and written together, so a turn costs a share of one transaction and a
 * short run is one row. They are buffered as text: objects that outlive the young generation cost more to collect than
 * to write.
 */
export function createRunLog({
  database,
  presence,
  onError,
  delayMs = 100,
  mostWaiting = 10_000,
  mostCharacters = Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 32),
}: RunLogOptions): StoredRunLog {
  /**
   * Runs in progress with their latest summary. Null when only the database knows the summary: the run began elsewhere,
   * or ended here and continues.
   */
  const open = new Map<string, AgentRunSummary | null>();
  const held = (id: string): string => `run ${id}`;
  let waiting: LogBatch = new Map();
  /**
   * A batch that failed, or whose commit is uncertain. It is retried first and unchanged, so that nothing is written
   * twice.
   */
  let failed: LogBatch | null = null;
  /** Is being written, or was last. */
  let underWay: LogBatch | null = null;
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

  async function store(batch: LogBatch): Promise<void> {
    underWay = batch;
    try {
      await presence.ensureVisible();
      for (const parts of slicesOf(batch)) {
        await writeRuns(database, parts, presence.id);
        for (const { id, ended, onWritten } of parts) {
          batch.delete(id);
          if (ended) forget(id);
          for (const tell of onWritten) tell();
        }
        // SQLite writes in this thread: between long conversations others are answered.
        if (batch.size > 0) await yieldToEventLoop(pauseMs);
      }
    } catch (error) {
      onError(error);
      putBack(batch);
      throw error;
    }
  }

  function putBack(batch: LogBatch): void {
    failed = batch;
    let size = [...batch.values(), ...waiting.values()].reduce((sum, part) => sum + sizeOf(part), 0);
    let dropped = 0;
    for (const id of [...batch.keys(), ...waiting.keys()]) {
      if (batch.size + waiting.size <= mostWaiting && size <= mostCharacters) break;
      const lost = [batch.get(id), waiting.get(id)].filter((part) => part !== undefined);
      size -= lost.reduce((sum, part) => sum + sizeOf(part), 0);
      batch.delete(id);
      waiting.delete(id);
      forget(id);
      for (const tell of lost.flatMap(({ onWritten }) => onWritten)) tell();
      dropped += 1;
    }
    if (dropped > 0)
      onError(new Error(`The log of ${dropped} agent runs was dropped: too many entries are waiting to be stored.`));
    schedule(retryMs);
  }

  function forget(id: string): void {
    if (waiting.has(id)) return;
    presence.release(held(id));
    open.delete(id);
  }

  async function flush(): Promise<void> {
    // First the batch being written or failed, then the one behind it, which another caller may already have started.
    for (let round = 0; round < 2; round += 1) {
      if (writing || failed || waiting.size > 0) await (writing ?? write());
    }
  }

  function isWaiting(id: string): boolean {
    return waiting.has(id) || failed?.has(id) === true;
  }

  function partOf(id: string): WaitingPart {
    const known = waiting.get(id);
    if (known) return known;
    const part = { id, start: null, texts: [], summary: null, ended: false, onWritten: [] };
    waiting.set(id, part);
    return part;
  }

  function add(id: string, entry: AgentRunEntry, text: string): void {
    presence.hold(held(id));
    const summary = advanceSummary(id, open.get(id) ?? null, entry);
    open.set(id, summary);
    const part = partOf(id);
    if (entry.type === "run-start") part.start = { owner: entry.owner, recovered: entry.recovered };
    part.texts.push(text);
    part.summary = summary;
    part.ended = entry.type === "run-end";
  }

  return {
    append(id, entry) {
      try {
        add(id, entry, toJsonText(entry));
      } catch (error) {
        return onError(error);
      }
      // The client may send its decision to another process a moment later.
      if (entry.type === "run-end" && entry.state === "waiting") flushSoon();
      else schedule(delayMs);
    },
    async written(id) {
      const parts = [waiting.get(id), underWay?.get(id)].filter((part) => part !== undefined);
      await Promise.all(parts.map(({ onWritten }) => new Promise<void>((resolve) => onWritten.push(resolve))));
    },
    async get(id, owner) {
      const failure = await flush().then(
        () => null,
        (error: unknown) => ({ error }),
      );
      const found = failure && isWaiting(id) ? null : await findAgentRun(database.reader, id, owner);
      // With pending entries lost, "not found" or a partial run would be wrong.
      if (!found && failure) throw failure.error;
      return found;
    },
    async list(filter) {
      // A full disk can still be read: show the stored runs; pending ones are reported in the log.
      await flush().catch(() => {});
      return listAgentRuns(database.reader, filter);
    },
    flush,
    async close() {
      await flush().catch(() => {});
      if (timer) clearTimeout(timer);
    },
  };
}

async function findAgentRun(reader: Reader, id: string, owner: string | null): Promise<AgentRunRecord | null> {
  if (!isPlainId(id)) return null;
  const parts = await reader
    .selectFrom("agent_run_part")
    .innerJoin("agent_run", "agent_run.id", "agent_run_part.run_id")
    .where("agent_run.id", "=", id)
    .where("agent_run.owner", owner === null ? "is" : "=", owner)
    .orderBy("number")
    .select("entries")
    .execute();
  if (parts.length === 0) return null;
  return { id, entries: parts.flatMap(({ entries }) => fromJsonText<AgentRunEntry[]>(entries)) };
}

/** One page, newest first. One extra row tells whether there is a next page. */
async function listAgentRuns(reader: Reader, filter: AgentRunFilter): Promise<AgentRunPage> {
  const { owner, state, wire, model_id, thread_id, limit, cursor } = filter;
  let query = reader
    .selectFrom("agent_run")
    .where("owner", owner === null ? "is" : "=", owner)
    .orderBy("id", "desc")
    .limit(limit + 1)
    .select(["id", "summary"]);
  if (state !== undefined) query = query.where("state", "=", state);
  if (wire !== undefined) query = query.where("wire", "=", wire);
  if (model_id !== undefined) query = query.where("model_id", "=", toJsonText(model_id));
  if (thread_id !== undefined) query = query.where("thread_id", "=", toJsonText(thread_id));
  if (cursor !== undefined) query = query.where("id", "<", parseIdCursor(cursor, isPlainId));
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    runs: page.map(({ summary }) => fromJsonText<AgentRunSummary>(summary)),
    next_cursor: rows.length > limit && last ? toIdCursor(last.id) : null,
  };
}
