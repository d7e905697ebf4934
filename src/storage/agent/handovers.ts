import { sql } from "kysely";
import type { AgentHandovers } from "../../contract/ports/agent-memory.ts";
import type { Database, Writer } from "../tables/database.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";

/** The time a client has to return its tool results. */
const keptMs = 3_600_000;

/** Characters that one owner's hand-overs may take. Tidying deletes the oldest beyond that. */
const mostPerOwner = 64 * 1024 * 1024;

/** Stores hand-overs to client tools. */
export function createHandovers({
  database: { reader, write },
  now,
}: {
  database: Database;
  now: () => number;
}): AgentHandovers {
  return {
    async put({ key, owner, runId, state: value }) {
      const state = toJsonText(value);
      const row = { owner, run_id: runId, state, size: state.length, expires_at: now() + keptMs };
      await write((writer) =>
        writer
          .insertInto("agent_handover")
          .values({ key, ...row })
          .onConflict((conflict) => conflict.column("key").doUpdateSet(row))
          .execute(),
      );
    },
    async get(owner, keys) {
      const rows = await reader
        .selectFrom("agent_handover")
        .where("key", "in", keys)
        .where("owner", owner === null ? "is" : "=", owner)
        .where("expires_at", ">", now())
        .select(["key", "state"])
        .execute();
      return new Map(rows.map(({ key, state }) => [key, fromJsonText(state)]));
    },
  };
}

/** Deletes up to `most` hand-overs that expired or exceed their owner's share. Returns the number deleted. */
export async function tidyHandovers(
  writer: Writer,
  { now, most, perOwner = mostPerOwner }: { now: number; most: number; perOwner?: number },
): Promise<number> {
  const { numAffectedRows } = await sql`delete from agent_handover where key in
    (select key from
      (select key, expires_at, sum(size) over (partition by owner order by expires_at desc, key) as total
        from agent_handover) as kept
      where expires_at <= ${now} or total > ${perOwner} order by expires_at limit ${sql.lit(most)})`.execute(writer);
  return Number(numAffectedRows ?? 0);
}
