import { z } from "zod";
import { checkFields } from "./check-fields.ts";
import { defineCheck } from "./define-check.ts";

/** The answers a judge may give, each with its value from 0 to 1. */
export const Choices = z
  .record(z.string().min(1).max(64), z.number().min(0).max(1))
  .refine((record) => Object.keys(record).length >= 2, "must have at least 2 choices")
  .refine((record) => Object.keys(record).length <= 20, "must have at most 20 choices")
  .meta({ id: "Choices", minProperties: 2, maxProperties: 20 });
export type Choices = z.infer<typeof Choices>;

/** A question of a turn. The judge of the run answers it together with its other questions. */
export const rubric = defineCheck({
  schema: z.object({
    type: z.literal("rubric"),
    ...checkFields,
    text: z.string().min(1).max(20_000),
    choices: Choices.optional().describe("The answers the judge may give. Default: pass 1, partial 0.5, fail 0."),
    threshold: z.number().gt(0).max(1).optional().describe("1 from this value on, and 0 below."),
  }),
  id: "RubricSetting",
  label: "Question for the judge",
  help: "A question about the reply for the run's judge. Absent when the run has no judge of single replies.",
  form: {
    fresh: { text: "" },
    fields: {
      text: "Question",
      choices: "Answers and their values (default: pass 1, partial 0.5, fail 0)",
      threshold: { label: "Pass threshold", placeholder: "no threshold" },
    },
  },
  runs: "model",
  needs: () => ["judge"],
});
