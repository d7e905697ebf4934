import type { AgentRunEntry, AgentRunSummary } from "../../contract/schemas/agent-run.ts";
import type { AgentRunFilter, AgentRunPage, AgentRunRecord } from "../../contract/ports/agent-memory.ts";
import type { Reader } from "../database.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { isPlainId } from "../plain-id.ts";
import { parseIdCursor, toIdCursor } from "../queries/cursor.ts";

export async function findAgentRun(reader: Reader, id: string, owner: string | null): Promise<AgentRunRecord | null> {
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

/** One page, newest first. The row beyond the page tells whether there is a next one. */
export async function listAgentRuns(reader: Reader, filter: AgentRunFilter): Promise<AgentRunPage> {
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
