import { sql, type SqlBool } from "kysely";
import type { Database, Writer } from "../database.ts";
import { fromNullableJsonText, toJsonText } from "../json-text.ts";

/** A run that has ended and of which someone is still to be told. */
export interface DueWebhook {
  readonly run_id: string;
  readonly finished_at: number;
  /** How often it has been taken, this time included. */
  readonly tries: number;
  /** What has been accepted already. */
  readonly sent: readonly string[];
}

/** So long an entry may be put off, give or take a fifth. */
export const longestRestMs = 3_600_000;

/**
 * Ended runs whose end is still to be told. The run's own row is the entry, made in the transaction that ends the run, so
 * none is lost; whoever takes one holds it for a while, so that no two send it at once.
 */
export interface WebhookOutbox {
  take(options: { now: number; holdMs: number; limit: number }): Promise<readonly DueWebhook[]>;
  /** `due`: when to try again; null: there is nothing left to do. */
  settle(runId: string, outcome: { sent: readonly string[]; due: number | null }): Promise<void>;
}

/** The outbox on any database that has our schema. */
export function createWebhookOutbox({ write }: Database): WebhookOutbox {
  return {
    take: (options) => write((writer) => takeDue(writer, options)),
    settle: (runId, { sent, due }) =>
      write(async (writer) => {
        await writer
          .updateTable("run")
          .where("id", "=", runId)
          .set({ webhook_due: due, webhook_sent: toJsonText(sent) })
          .execute();
      }),
  };
}

async function takeDue(
  writer: Writer,
  { now, holdMs, limit }: { now: number; holdMs: number; limit: number },
): Promise<DueWebhook[]> {
  // What lies further ahead than anything is put off was written before somebody set the clock back.
  const isDue = sql<SqlBool>`(webhook_due <= ${now} or webhook_due > ${now + 2 * longestRestMs})`;
  const rows = await writer
    .updateTable("run")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("run")
        .where("webhook_due", "is not", null)
        .where(isDue)
        .where("removed", "=", 0)
        .orderBy("webhook_due")
        .limit(limit)
        .select("id"),
    )
    // Said again: of two that chose the same run at once, the second finds it taken.
    .where(isDue)
    .set({ webhook_due: now + holdMs, webhook_tries: sql<number>`webhook_tries + 1` })
    .returning(["id", "finished_at", "webhook_tries", "webhook_sent"])
    .execute();
  return rows.map((row) => ({
    run_id: row.id,
    finished_at: row.finished_at ?? now,
    tries: row.webhook_tries,
    sent: fromNullableJsonText<string[]>(row.webhook_sent) ?? [],
  }));
}
