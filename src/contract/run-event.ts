import { z } from "zod";
import { InteractionError } from "./interaction-result.ts";
import type { Progress, Run } from "./run.ts";
import { Scores } from "./score.ts";

/** A turn that was stored, in short: enough to draw it; the results hold the rest. */
export const StoredTurn = z
  .object({
    scenario_id: z.string(),
    attempt: z.int().min(1),
    turn_index: z.int().min(0),
    pass: z
      .int()
      .min(1)
      .max(2)
      .describe("2: the turn was run once more, with reference replies before it (history both, or a replay)."),
    interaction_id: z.string(),
    agent_reply: z.string(),
    error: InteractionError.nullable(),
    scores: Scores.nullable().describe("null: stored, not yet scored."),
    latency_ms: z.number().min(0),
    cost: z.number().min(0).nullable().describe("null: the price or the usage is not known."),
  })
  .meta({ id: "StoredTurn" });
export type StoredTurn = z.infer<typeof StoredTurn>;

/** What GET /runs/{run_id}/events sends. Only `interaction` events are numbered: they are what `Last-Event-ID` counts. */
export type RunEvent =
  | { readonly type: "interaction"; readonly id: number; readonly data: StoredTurn }
  | { readonly type: "progress"; readonly data: Progress }
  | { readonly type: "end"; readonly data: Run };
