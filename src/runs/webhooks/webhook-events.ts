import type { Run } from "../../contract/schemas/run.ts";
import type { RunRecord } from "../../contract/ports/store.ts";
import { toRun } from "../to-run.ts";

type WebhookType = "run.completed" | "run.failed" | "run.cancelled" | "gate.failed";

/** What a receiver gets. The same for every try of the same event, its id too. */
export interface WebhookEvent {
  readonly id: string;
  readonly body: { readonly type: WebhookType; readonly timestamp: string; readonly data: Run };
}

const endings = { completed: "run.completed", failed: "run.failed", cancelled: "run.cancelled" } as const;

/** The events of a run that has ended: how it ended, and that its gate failed when it did. */
export function webhookEvents(run: RunRecord): WebhookEvent[] {
  if (run.state !== "completed" && run.state !== "failed" && run.state !== "cancelled") return [];
  const types: WebhookType[] = [endings[run.state]];
  if (run.summary?.gate?.passed === false) types.push("gate.failed");
  const timestamp = new Date(run.finished_at ?? run.created_at).toISOString();
  return types.map((type) => ({ id: `${run.id}.${type}`, body: { type, timestamp, data: toRun(run) } }));
}
