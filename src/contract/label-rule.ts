import { z } from "zod";

/** How the labels of one key are compared. */
export const LabelRule = z
  .object({
    aliases: z
      .record(z.string(), z.array(z.string()).max(100))
      .optional()
      .describe("Label → other spellings that count as it."),
    tolerance: z
      .number()
      .min(0)
      .optional()
      .describe("For numbers: 1 within it, else 0, in place of the usual nearness."),
    ignore: z.boolean().optional().describe("Labelled and shown, but not scored."),
  })
  .meta({ id: "LabelRule" });
export type LabelRule = z.infer<typeof LabelRule>;
