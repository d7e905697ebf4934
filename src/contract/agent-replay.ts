import { z } from "zod";

/** A recorded run, run again from its log alone. */
export const AgentReplay = z
  .object({
    run_id: z.string(),
    matches: z.boolean().describe("True when today's loop and tools go the recorded way to the recorded end."),
    divergences: z.array(z.string()).describe("What went another way, in order."),
    finish_reason: z.string().nullable(),
    text: z.string().nullable().describe("The last message of the replay; null when it ended without one."),
    model_calls: z.int(),
    tool_calls: z.int(),
  })
  .meta({ id: "AgentReplay" });
export type AgentReplay = z.infer<typeof AgentReplay>;
