import { z } from "zod";
import { ComparedRun } from "./comparison.ts";

/** best: shown to be better than every other run. may_be_best: no other is shown to be better. behind: another is. */
export const Place = z.enum(["best", "may_be_best", "behind"]).meta({ id: "RankPlace" });
export type Place = z.infer<typeof Place>;

/** How far a run is from the first of a ranking. */
export const Distance = z
  .object({
    effect: z.number().describe("Mean over scenarios of this run - the first."),
    ci_lower: z.number().nullable(),
    ci_upper: z.number().nullable(),
    p_adjusted: z.number().nullable().describe("Corrected (Holm) for having compared every run with every other."),
  })
  .meta({ id: "RankDistance" });
export type Distance = z.infer<typeof Distance>;

/** One of several runs, with what it costs to choose it. */
export const RankedRun = ComparedRun.extend({
  place: Place,
  mean: z.number().describe("Over the turns that all the runs share."),
  ci_lower: z.number().nullable(),
  ci_upper: z.number().nullable(),
  to_first: Distance.nullable().describe("null for the first."),
  worse_than: z.array(z.string()).describe("Ids of the runs that are shown to be better."),
  failed: z.int().min(0).describe("Turns of the run that got no reply."),
  cost_per_1000_turns: z
    .number()
    .nullable()
    .describe("US dollars, judging included; null where not every price is known."),
  latency_ms: z.number().nullable().describe("Half of the replies took at most this long."),
}).meta({ id: "RankedRun" });
export type RankedRun = z.infer<typeof RankedRun>;

/** Body of GET /rank: several runs of one suite by one score, with the scenario as the unit that counts. */
export const RunRanking = z
  .object({
    comparable: z.boolean(),
    reason: z.string().nullable().describe("Why the runs cannot be ranked."),
    score: z.string(),
    sentence: z.string(),
    runs: z.array(RankedRun).describe("The highest mean first. Empty where they cannot be ranked."),
    scenarios: z.int().describe("That all the runs share."),
    interactions: z.int(),
    scenarios_needed: z
      .int()
      .nullable()
      .describe("Scenarios that would show a difference of 0.05 between the first two in four of five cases."),
    notes: z.array(z.string()).describe("What was left out, and why."),
  })
  .meta({ id: "RunRanking" });
export type RunRanking = z.infer<typeof RunRanking>;
