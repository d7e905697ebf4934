import { z } from "zod";
import { isRecord } from "./json-record.ts";

/** Attempts are added from `min` to `max` until the interval of `overall` is narrow enough. */
export const AdaptiveAttempts = z
  .object({
    min: z.int().min(2).default(3),
    max: z.int().min(2),
    ci_width: z
      .number()
      .positive()
      .max(1)
      .describe("Full width of the 95 % interval, before it is cut off at 0 and 1, at which a scenario is done."),
  })
  .refine(({ min, max }) => min <= max, { error: "must be at least min (3 by default)", path: ["max"] })
  .meta({ id: "AdaptiveAttempts" });
export type AdaptiveAttempts = z.infer<typeof AdaptiveAttempts>;

export const AttemptCount = z
  .int()
  .min(1)
  .describe("How often each scenario is run, at most 100 unless the operator allows more.");

const jsonForms = [
  { type: "integer", minimum: 1 },
  {
    type: "object",
    properties: {
      min: { type: "integer", minimum: 2, default: 3 },
      max: { type: "integer", minimum: 2 },
      ci_width: { type: "number", exclusiveMinimum: 0, maximum: 1 },
    },
    required: ["max", "ci_width"],
  },
];

/**
 * A number of attempts, or the bounds of an adaptive one. An object is checked as bounds and anything else as a number, so that
 * `attempts: 0` is told "must be at least 1" and not that it fits none of two forms.
 */
export const AttemptsSetting = z
  .unknown()
  .meta({
    anyOf: jsonForms,
    description:
      "How often each scenario is run, or {min, max, ci_width}: until the interval is narrow enough. Default 1.",
  })
  .transform((value, context): number | AdaptiveAttempts => {
    const form = isRecord(value) ? AdaptiveAttempts : AttemptCount;
    const result = form.safeParse(value, { reportInput: true });
    if (result.success) return result.data;
    for (const { message, ...issue } of result.error.issues) {
      // Without its message the outer parse words the issue as it words every other; only ours are kept.
      const worded = issue.code === "custom" ? { ...issue, message } : issue;
      context.issues.push({ ...worded, input: issue.input } as z.core.$ZodRawIssue);
    }
    return z.NEVER;
  });
