import { sql, type SqlBool } from "kysely";
import type { Database, Writer } from "../tables/database.ts";
import { fromNullableJsonText, toJsonText } from "../tables/text-columns.ts";

/** An ended run whose webhooks are not all delivered. */
export interface DueWebhook {
  readonly run_id: string;
  readonly finished_at: number;
  /** How often it has been taken, including this time. */
  readonly tries: number;
  /** The deliveries accepted so far. */
  readonly sent: readonly string[];
}

/** The longest delay of an entry, give or take a fifth. */
export const longestRestMs = 3_600_000;

/**
 * Ended runs with undelivered webhooks. The run's own row is the entry, written in the transaction that ends the run,
 * so none is lost. Taking an entry holds it for a while, so that it is not sent twice at once.
 */
export interface WebhookOutbox {
  take(options: { now: number; holdMs: number; limit: number }): Promise<readonly DueWebhook[]>;
  /** `due`: when to try again; null when done. */
  settle(runId: string, outcome: { sent: readonly string[]; due: number | null }): Promise<void>;
}

/** The webhook outbox on any database with this schema. */
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
  // A time further ahead than any delay was written before the clock was set back.
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
    // Repeated, so that of two concurrent takers the second finds the run taken.
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
