import { z } from "zod";
import { Priority } from "./priority.ts";
import { RunState } from "./run-state.ts";
import { RunSummary } from "./run-summary.ts";
import { Warning } from "./warning.ts";

export const Progress = z
  .object({
    attempts_total: z.int().min(0).describe("Planned."),
    attempts_done: z
      .int()
      .min(0)
      .describe(
        "Over: carried out, or left out because the budget was spent. `interactions_done` says how much was run.",
      ),
    interactions_total: z.int().min(0).describe("Turns of all planned attempts, with history `both` in both passes."),
    interactions_done: z.int().min(0).describe("Turns that were run, failed ones among them."),
    interactions_failed: z.int().min(0).describe("Turns that got no usable reply."),
  })
  .meta({ id: "Progress" });
export type Progress = z.infer<typeof Progress>;

/** A run without its interactions. */
export const Run = z
  .object({
    run_id: z.string(),
    test_name: z.string(),
    endpoint: z.string().describe("A key in its query is not shown."),
    model_id: z.string(),
    state: RunState,
    interrupted: z
      .boolean()
      .optional()
      .describe(
        "True when the run has not ended, and the command that carried it out, and alone can, is gone: `rehearsal eval --resume` goes on with it.",
      ),
    message: z.string(),
    demo: z.boolean(),
    priority: Priority.optional(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    progress: Progress,
    summary: RunSummary.nullable(),
    warnings: z.array(Warning).optional().describe("Absent where there are none."),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof Run>;
