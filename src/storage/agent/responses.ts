import { sql, type Selectable } from "kysely";
import type { AgentResponses, StoredResponse } from "../../contract/ports/agent-memory.ts";
import type { Database, Writer } from "../tables/database.ts";
import type { AgentResponseTable } from "../tables/schema.ts";
import { fromJsonText, isPlainId, toJsonText } from "../tables/text-columns.ts";

/** Responses, plus the steps that `acceptTurn` and `endTurn` compose into one transaction. */
export interface StoredResponses extends AgentResponses {
  accept(writer: Writer, response: NewResponse): Promise<void>;
  /** Does nothing when the response was deleted during its turn. */
  complete(writer: Writer, response: { readonly runId: string; readonly body: unknown }): Promise<void>;
}

interface NewResponse extends Omit<StoredResponse, "body"> {
  readonly owner: string | null;
}

/** Stores responses by the id of their run. */
export function createResponses({
  database: { reader, write },
  now,
}: {
  database: Database;
  now: () => number;
}): StoredResponses {
  return {
    async accept(writer, { runId, owner, previous, threadId, request }) {
      const thread = threadId === null ? null : toJsonText([owner, threadId]);
      const before =
        previous === null
          ? undefined
          : await writer.selectFrom("agent_response").where("run_id", "=", previous).select("chain").executeTakeFirst();
      await writer
        .insertInto("agent_response")
        .values({
          run_id: runId,
          owner,
          previous,
          chain: thread ?? before?.chain ?? runId,
          thread,
          request: toJsonText(request),
          body: null,
          created_at: now(),
        })
        .execute();
    },
    async complete(writer, { runId, body }) {
      await writer
        .updateTable("agent_response")
        .where("run_id", "=", runId)
        .set({ body: toJsonText(body) })
        .execute();
    },
    async get(runId, owner) {
      if (!isPlainId(runId)) return null;
      const row = await reader
        .selectFrom("agent_response")
        .where("run_id", "=", runId)
        .where("owner", owner === null ? "is" : "=", owner)
        .selectAll()
        .executeTakeFirst();
      return row ? toStoredResponse(row) : null;
    },
    async chain(runId, owner) {
      if (!isPlainId(runId)) return null;
      const rows = await reader
        .withRecursive("link(run_id, depth)", (link) =>
          link
            .selectFrom("agent_response")
            .where("run_id", "=", runId)
            .where("owner", owner === null ? "is" : "=", owner)
            .select(["run_id", sql<number>`0`.as("depth")])
            .unionAll((more) =>
              more
                .selectFrom("link")
                .innerJoin("agent_response", "agent_response.run_id", "link.run_id")
                .where("agent_response.previous", "is not", null)
                .select([sql<string>`agent_response.previous`.as("run_id"), sql<number>`link.depth + 1`.as("depth")]),
            ),
        )
        .selectFrom("link")
        .innerJoin("agent_response", "agent_response.run_id", "link.run_id")
        .orderBy("link.depth", "desc")
        .selectAll("agent_response")
        .execute();
      const isWhole = rows[0]?.previous === null;
      return isWhole ? rows.map(toStoredResponse) : null;
    },
    async many(runIds, owner) {
      const known = runIds.filter(isPlainId);
      if (known.length === 0) return [];
      const rows = await reader
        .selectFrom("agent_response")
        .where("run_id", "in", known)
        .where("owner", owner === null ? "is" : "=", owner)
        .selectAll()
        .execute();
      return rows.map(toStoredResponse);
    },
    async remove(runId, owner) {
      if (!isPlainId(runId)) return false;
      const removed = await write((writer) =>
        writer
          .deleteFrom("agent_response")
          .where("run_id", "=", runId)
          .where("owner", owner === null ? "is" : "=", owner)
          .returning("run_id")
          .execute(),
      );
      return removed.length > 0;
    },
  };
}

function toStoredResponse(row: Selectable<AgentResponseTable>): StoredResponse {
  return {
    runId: row.run_id,
    previous: row.previous,
    threadId: row.thread === null ? null : fromJsonText<[string | null, string]>(row.thread)[1],
    request: fromJsonText(row.request),
    body: row.body === null ? null : fromJsonText(row.body),
  };
}

/** Deletes up to `most` responses of chains whose last turn is older. Returns the number deleted. */
export async function tidyResponses(
  writer: Writer,
  { before, most }: { before: number; most: number },
): Promise<number> {
  const { numAffectedRows } = await sql`delete from agent_response where run_id in
    (select run_id from agent_response as old where created_at < ${before}
      and not exists (select 1 from agent_response as newer
        where newer.chain = old.chain and newer.created_at >= ${before})
      and not exists (select 1 from agent_thread where agent_thread.name = old.thread)
      order by created_at limit ${sql.lit(most)})`.execute(writer);
  return Number(numAffectedRows ?? 0);
}
