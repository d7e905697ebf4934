import type { AgentRunEntry, AgentRunSummary } from "../../contract/agent-run.ts";
import type { AgentRunFilter, AgentRunPage, AgentRunRecord } from "../../contract/agent-run-log.ts";
import { ServiceError } from "../../contract/service-error.ts";
import type { Reader } from "../database.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";

/** Whatever else a client sends as an id was never one, and a text column might refuse it. */
const plainId = /^[\x21-\x7e]{1,64}$/;

export async function findAgentRun(reader: Reader, id: string, owner: string | null): Promise<AgentRunRecord | null> {
  if (!plainId.test(id)) return null;
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
  if (cursor !== undefined) query = query.where("id", "<", parseCursor(cursor));
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  return {
    runs: page.map(({ summary }) => fromJsonText<AgentRunSummary>(summary)),
    next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}

function parseCursor(cursor: string): string {
  if (plainId.test(cursor)) return cursor;
  throw new ServiceError("validation_failed", "The cursor is not one that an earlier page gave.", {
    errors: [{ pointer: "/cursor", code: "invalid", message: "use next_cursor of the page before" }],
  });
}
