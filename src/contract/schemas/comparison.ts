import { z } from "zod";
import { Warning } from "./problem.ts";
import { HelperUsage } from "./judge.ts";

export const Verdict = z.enum(["better", "worse", "no_difference_seen", "same", "undecided"]).meta({ id: "Verdict" });
export type Verdict = z.infer<typeof Verdict>;

/** How one score of the candidate differs from the baseline's. */
const ScoreComparison = z
  .object({
    name: z.string(),
    baseline: z.number(),
    candidate: z.number(),
    effect: z.number().describe("Mean over scenarios of candidate - baseline."),
    ci_lower: z.number().nullable(),
    ci_upper: z.number().nullable(),
    p: z.number().nullable(),
    p_adjusted: z.number().nullable().describe("Corrected (Holm) for having looked at several scores."),
    scenarios: z.int(),
    interactions: z.int(),
    scenarios_better: z.int(),
    scenarios_worse: z.int(),
    detectable_effect: z
      .number()
      .nullable()
      .describe(
        "The smallest difference this many scenarios show in four of five cases, after the correction for several scores. Null where it would be larger than scores can differ: these scenarios cannot show any.",
      ),
    scenarios_needed: z
      .int()
      .nullable()
      .describe(
        "Scenarios that would show a difference of 0.05 in four of five cases, after the correction for several scores.",
      ),
    method: z.string(),
    verdict: Verdict,
    sentence: z.string(),
  })
  .meta({ id: "ScoreComparison" });

/** One interaction whose score changed between two runs. */
export const ChangedInteraction = z
  .object({
    scenario_id: z.string(),
    interaction_id: z.string(),
    user_message: z.string(),
    score: z.string().describe("overall; success where there is no overall in both, or where success alone fell."),
    baseline: z.number(),
    candidate: z.number(),
    difference: z.number(),
  })
  .meta({ id: "ChangedInteraction" });
export type ChangedInteraction = z.infer<typeof ChangedInteraction>;

/** Something the two runs were asked to do differently. */
export const SettingChange = z
  .object({
    setting: z.string().describe("`system_prompt`, `parameters.temperature`, `scenarios.<id>.system_prompt` …"),
    baseline: z.json().describe("null where it was not set."),
    candidate: z.json(),
  })
  .meta({ id: "SettingChange" });
export type SettingChange = z.infer<typeof SettingChange>;

const Unpaired = z.object({
  baseline_only: z.int(),
  candidate_only: z.int(),
  changed: z.int().describe("Same ids, but the question or what is expected differs."),
});

/** What tells a run from others it stands beside. */
export const ComparedRun = z.object({
  run_id: z.string(),
  test_name: z.string(),
  model_id: z.string(),
  endpoint: z.string(),
  demo: z.boolean(),
});
export type ComparedRun = z.infer<typeof ComparedRun>;

/** Body of GET /compare: paired by scenario and interaction, with the scenario as the unit that counts. */
export const RunComparison = z
  .object({
    comparable: z.boolean(),
    reason: z.string().nullable().describe("Why the runs cannot be compared."),
    verdict: Verdict.nullable().describe("On overall, or on the first score there is."),
    sentence: z.string(),
    baseline: ComparedRun,
    candidate: ComparedRun,
    settings: z
      .array(SettingChange)
      .optional()
      .describe("What the model under test was asked with that differs; empty where nothing does."),
    scores: z.array(ScoreComparison),
    unpaired: Unpaired,
    notes: z.array(z.string()).describe("Scores and attempts that were left out, and why."),
    changed: z.array(ChangedInteraction).describe("Regressions first, the largest first; at most 200."),
    regressions: z.int().describe("How many there are in all."),
    improvements: z.int(),
  })
  .meta({ id: "RunComparison" });
export type RunComparison = z.infer<typeof RunComparison>;

/** How far two runs of the same thing differ by chance. */
export const NoiseFloor = z
  .object({
    runs: z.int(),
    mean: z.number().nullable(),
    sd: z.number().nullable(),
    floor: z.number().nullable().describe("Smaller differences between two single runs are not worth reporting."),
    method: z.string(),
  })
  .meta({ id: "NoiseFloor" });
export type NoiseFloor = z.infer<typeof NoiseFloor>;

/** Two runs judged reply against reply, each pair in both orders. */
export const PairwiseComparison = z
  .object({
    pairs: z.int().describe("Pairs with a verdict in both orders."),
    unreadable: z.int(),
    wins: z.int().describe("Pairs the candidate won."),
    losses: z.int(),
    ties: z.int().describe("Verdict tie, or a verdict that changed with the order."),
    position_flip_rate: z.number().nullable(),
    win_rate: z.number().nullable().describe("Wins and half of the ties, as a share; the mean over scenarios."),
    ci_lower: z.number().nullable(),
    ci_upper: z.number().nullable(),
    p: z.number().nullable().describe("Sign test over scenarios."),
    sentence: z.string(),
    limited: z
      .literal(true)
      .optional()
      .describe("There are more pairs than `limit` allows: the first ones of the candidate's scenarios were judged."),
    judge_audited: z.boolean(),
    helper_usage: HelperUsage.optional().describe("What the judge's calls took."),
    warnings: z.array(Warning).optional().describe("Unknown fields, which were ignored. Absent where there are none."),
  })
  .meta({ id: "PairwiseComparison" });
export type PairwiseComparison = z.infer<typeof PairwiseComparison>;

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
