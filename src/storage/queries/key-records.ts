import { sql } from "kysely";
import type { KeyRecords } from "../../contract/ports/api-keys.ts";
import type { Database } from "../database.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { isPlainId } from "../plain-id.ts";

/** API keys on any database that has our schema. */
export function createKeyRecords({ reader, write }: Database): KeyRecords {
  return {
    async list() {
      const rows = await reader.selectFrom("api_key").orderBy("created_at").orderBy("id").selectAll().execute();
      return rows.map((row) => ({ ...row, scopes: fromJsonText(row.scopes) }));
    },
    async add(keys) {
      if (keys.length === 0) return;
      const rows = keys.map((key) => ({ ...key, scopes: toJsonText(key.scopes), last_used_at: null }));
      await write((writer) =>
        writer
          .insertInto("api_key")
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .column("id")
              .doUpdateSet({ revoked_at: sql`excluded.revoked_at` })
              .where(sql<boolean>`api_key.revoked_at is null and excluded.revoked_at is not null`),
          )
          .execute(),
      );
    },
    async revoke(id, at) {
      if (!isPlainId(id)) return false;
      const revoked = await write((writer) =>
        writer
          .updateTable("api_key")
          .where("id", "=", id)
          .set({ revoked_at: sql`coalesce(revoked_at, ${at})` })
          .returning("id")
          .execute(),
      );
      return revoked.length > 0;
    },
    async noteUse(times) {
      await write(async (writer) => {
        // In one order, so that processes that write at the same time do not wait for each other in a circle.
        for (const [id, at] of [...times].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
          await writer
            .updateTable("api_key")
            .where("id", "=", id)
            .where(sql<boolean>`(last_used_at is null or last_used_at < ${at})`)
            .set({ last_used_at: at })
            .execute();
        }
      });
    },
  };
}
