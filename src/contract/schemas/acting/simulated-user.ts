import { z } from "zod";

/** Simulated turns of a scenario, unless it sets another number. */
const defaultUserTurns = 10;
const maxUserTurns = 100;

/** A user that a model plays. It sees its own side and the agent's texts, never tools, references or expectations. */
export const SimulatedUser = z
  .object({
    goal: z.string().trim().min(1).max(10_000).describe("What the user wants, in the words of the scenario's author."),
    persona: z.string().max(10_000).optional().describe("Who the user is and how they write."),
    knows: z
      .union([
        z.record(z.string().min(1).max(200), z.union([z.string().max(2_000), z.number(), z.boolean()])),
        z.string().max(10_000),
      ])
      .optional()
      .describe(
        'The facts that the user has, by name: `{ order_id: "1042" }`. A message that contradicts one is a failure of the simulator. A text is given to the simulator as it is.',
      ),
    opening: z
      .string()
      .min(1)
      .max(20_000)
      .optional()
      .describe("The first simulated message, sent exactly so. Default: the simulator begins."),
    max_turns: z
      .int()
      .min(1)
      .max(maxUserTurns)
      .default(defaultUserTurns)
      .describe(
        `Messages of the simulated user at most. A conversation that runs out of them has \`outcome\` 0. Default ${defaultUserTurns}.`,
      ),
    recorded: z
      .array(z.array(z.string()).min(1).max(maxUserTurns))
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        "Messages of earlier conversations, one list per attempt, which are sent instead of asking a simulator. Further attempts begin with the first list again.",
      ),
  })
  .meta({ id: "SimulatedUser" });
export type SimulatedUser = z.infer<typeof SimulatedUser>;
