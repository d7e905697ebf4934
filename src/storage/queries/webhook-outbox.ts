import { sql } from "kysely";
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
  const rows = await writer
    .updateTable("run")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("run")
        .where("webhook_due", "is not", null)
        .where("webhook_due", "<=", now)
        .where("removed", "=", 0)
        .orderBy("webhook_due")
        .limit(limit)
        .select("id"),
    )
    // Said again: of two that chose the same run at once, the second finds it taken.
    .where("webhook_due", "<=", now)
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
