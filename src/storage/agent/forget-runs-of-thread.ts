import { sql } from "kysely";
import type { ThreadKey } from "../../contract/ports/agent-memory.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import type { Presence } from "../presence.ts";

/**
 * Deletes what a thread left behind beside itself: the log of its runs, which tells the whole conversation, their
 * hand-overs to client tools, and those that wait for approval, which would bring it back. What is under way goes on. False when there was nothing.
 */
export async function forgetRunsOfThread(
  writer: Writer,
  { owner, id }: ThreadKey,
  presence: Presence,
): Promise<boolean> {
  const isDecided = await presence.isAlive(writer, "agent_waiting_run.process");
  const isUnderWay = await presence.isAlive(writer, "agent_run.process");
  const waiting = await writer
    .deleteFrom("agent_waiting_run")
    .where("run_id", "in", ({ selectFrom }) =>
      selectFrom("agent_run")
        .where("thread_id", "=", toJsonText(id))
        .where("owner", owner === null ? "is" : "=", owner)
        .select("id"),
    )
    .where(sql<boolean>`(process is null or not ${isDecided})`)
    .returning("run_id")
    .execute();
  await writer
    .deleteFrom("agent_handover")
    .where("run_id", "in", ({ selectFrom }) =>
      selectFrom("agent_run")
        .where("thread_id", "=", toJsonText(id))
        .where("owner", owner === null ? "is" : "=", owner)
        .select("id"),
    )
    .execute();
  const runs = await writer
    .deleteFrom("agent_run")
    .where("thread_id", "=", toJsonText(id))
    .where("owner", owner === null ? "is" : "=", owner)
    .where(sql<boolean>`(state <> 'running' or not ${isUnderWay})`)
    .returning("id")
    .execute();
  return waiting.length + runs.length > 0;
}
