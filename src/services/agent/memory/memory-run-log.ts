import type { AgentRunEntry } from "../../../contract/agent-run.ts";
import type { AgentRunLog, AgentRunRecord } from "../../../contract/agent-run-log.ts";

export interface MemoryRunLogOptions {
  readonly ttlMs?: number;
  readonly maxRuns?: number;
  /** Characters over all runs, roughly: what is said counts, not how it is kept. */
  readonly maxCharacters?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface KeptRun {
  readonly id: string;
  readonly owner: string | null;
  readonly threadId: string | null;
  readonly expires: number;
  readonly entries: AgentRunEntry[];
  size: number;
}

/** The last runs, for as long as the process lives. */
export function createMemoryRunLog({
  ttlMs = 24 * 60 * 60_000,
  maxRuns = 1000,
  maxCharacters = 32 * 1024 * 1024,
  now = Date.now,
}: MemoryRunLogOptions = {}): AgentRunLog {
  const runs = new Map<string, KeptRun>();
  let total = 0;

  function makeRoom(): void {
    const time = now();
    for (const [id, run] of runs) {
      if (run.expires > time && runs.size <= maxRuns && total <= maxCharacters) return;
      runs.delete(id);
      total -= run.size;
    }
  }

  const isVisible = (run: KeptRun, owner: string | null) => run.expires > now() && run.owner === owner;
  // A copy: a run that goes on must not change what was read.
  const toRecord = ({ id, entries }: KeptRun): AgentRunRecord => ({ id, entries: [...entries] });

  return {
    append(id, entry) {
      let run = runs.get(id);
      if (!run) {
        // Without its beginning a run cannot be read: what is left of one that was dropped is dropped too.
        if (entry.type !== "run-start") return;
        run = {
          id,
          owner: entry.owner,
          threadId: entry.thread_id,
          expires: now() + ttlMs,
          entries: [],
          size: 0,
        };
        runs.set(id, run);
      }
      const size = sizeOf(entry);
      run.entries.push(entry);
      run.size += size;
      total += size;
      makeRoom();
    },
    async get(id, owner) {
      const run = runs.get(id);
      return run && isVisible(run, owner) ? toRecord(run) : null;
    },
    async list({ owner, thread_id, limit, cursor }) {
      const found: AgentRunRecord[] = [];
      for (const run of [...runs.values()].reverse()) {
        if (cursor !== undefined && run.id >= cursor) continue;
        if (!isVisible(run, owner) || (thread_id !== undefined && run.threadId !== thread_id)) continue;
        if (found.length === limit) return { runs: found, next_cursor: found.at(-1)?.id ?? null };
        found.push(toRecord(run));
      }
      return { runs: found, next_cursor: null };
    },
  };
}

const overhead = 500;

function sizeOf(entry: AgentRunEntry): number {
  switch (entry.type) {
    case "run-start":
      return entry.messages.reduce((sum, message) => sum + message.content.length + 100, overhead);
    case "model-call": {
      if (!entry.reply?.ok) return overhead;
      const { text, tool_calls } = entry.reply;
      return tool_calls.reduce((sum, call) => sum + call.arguments.length + 100, overhead + text.length);
    }
    case "tool-call":
      return overhead + entry.result.length;
    default:
      return overhead;
  }
}
