import type { JudgeAudits } from "../../contract/ports/library.ts";
import type { Database } from "../database.ts";
import { toJsonText } from "../json-text.ts";

/** The audits of judges on any database that has our schema. */
export function createJudgeAudits({ reader, write }: Database): JudgeAudits {
  return {
    record: (audit, at) =>
      write(async (writer) => {
        const row = { passed: audit.passed ? 1 : 0, audit: toJsonText(audit), audited_at: at };
        await writer
          .insertInto("judge_audit")
          .values({ fingerprint: audit.fingerprint, ...row })
          .onConflict((conflict) => conflict.column("fingerprint").doUpdateSet(row))
          .execute();
      }),
    async hasPassed(fingerprint) {
      const row = await reader
        .selectFrom("judge_audit")
        .select("passed")
        .where("fingerprint", "=", fingerprint)
        .executeTakeFirst();
      return row?.passed === 1;
    },
  };
}
