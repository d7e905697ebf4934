import { z } from "zod";

export const SequenceVerdictName = z
  .enum(["better", "worse", "closer", "less_close", "not_worse", "undecided"])
  .meta({ id: "SequenceVerdictName" });
type SequenceVerdictName = z.infer<typeof SequenceVerdictName>;

const SequenceStep = z
  .object({
    scenarios: z.int().min(0),
    effect: z.number().describe("Mean difference of these scenarios."),
    lower: z.number(),
    upper: z.number(),
  })
  .meta({ id: "SequenceStep" });

/** Figures at the moment a comparison stopped, or now. */
const figures = {
  score: z.string(),
  margin: z.number().nullable(),
  verdict: SequenceVerdictName,
  stopped_by: z
    .enum(["decided", "scenarios", "budget", "cancelled"])
    .nullable()
    .describe("Null while the comparison runs. `scenarios`: there are no more."),
  scenarios: z.int().min(0).describe("Scenarios that count, in the random order of the run."),
  planned: z.int().min(0).describe("Scenarios there are."),
  left_out: z
    .int()
    .min(0)
    .describe(
      "Scenarios that do not count: the baseline has no reply, or one side has no score. With a verdict, up to the scenario that decided.",
    ),
  missing_as_zero: z.int().min(0).optional().describe("Replies that the candidate is missing; they count as 0."),
  effect: z.number().nullable().describe("Mean difference; null before the first scenario."),
  lower: z.number().nullable().describe("Lower end of the 95 % confidence sequence, right at every moment."),
  upper: z.number().nullable(),
  bound: z
    .number()
    .optional()
    .describe("With `not_worse`: the lower end of the one-sided 95 % confidence sequence, which the verdict rests on."),
  undetected_failures: z
    .number()
    .optional()
    .describe(
      "Set when `better` or `not_worse` rests on the spread between the scenarios: the largest share of complete failures that so few scenarios do not exclude. Absent when the verdict holds for any distribution.",
    ),
  beaten_by: z
    .string()
    .optional()
    .describe("With more than two variants: the one that was shown to be better, so that this one was dropped."),
  sentence: z.string(),
};

/** How a run that stops when it is decided ended. */
export const SequenceDecision = z.object(figures).meta({ id: "SequenceDecision" });
export type SequenceDecision = z.infer<typeof SequenceDecision>;

/** A comparison that stops when it is decided, from its first scenario on. */
export const RunSequence = z
  .object({
    ...figures,
    candidate: z.string().describe("Id of the run."),
    baseline: z.string().nullable().describe("Id of the run it is compared with; null with a threshold."),
    threshold: z.number().nullable(),
    estimand: z.string().describe("The quantity that the interval is about."),
    points: z.array(SequenceStep).describe("The way there, at most 60 points."),
  })
  .meta({ id: "RunSequence" });
export type RunSequence = z.infer<typeof RunSequence>;
