import { z } from "zod";

/** Comparison rules for the labels of one key. */
export const LabelRule = z
  .object({
    aliases: z
      .record(z.string(), z.array(z.string()).max(100))
      .optional()
      .describe("Label → other spellings that count as the same label."),
    tolerance: z
      .number()
      .min(0)
      .optional()
      .describe("For numbers: scores 1 within the tolerance and 0 outside, instead of by distance."),
    ignore: z.boolean().optional().describe("Labels are shown but not scored."),
  })
  .meta({ id: "LabelRule" });
export type LabelRule = z.infer<typeof LabelRule>;

/** A label: any JSON value, as metadata holds it. */
export type LabelValue = z.core.util.JSONType;

/** Labels by their key. */
export type Labels = Record<string, LabelValue>;
