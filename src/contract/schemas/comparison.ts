import { z } from "zod";
import { JudgeSettings } from "./evaluation-request.ts";
import { CorrectedEffect, CorrectedMean } from "./judging/human-verdict.ts";
import { SimulatedUsers } from "./acting/user-turn.ts";
import { HelperUsage } from "./shared/usage.ts";
import { Warning } from "../errors/problem.ts";

/**
 * `closer`, `less_close`: the replies are closer or less close to their references, which does not say which run is better. Scores that
 * compare replies with references have these verdicts, and so has an `overall` that moved with nothing else.
 */
export const Verdict = z
  .enum(["better", "worse", "closer", "less_close", "no_difference_seen", "same", "undecided"])
  .meta({ id: "Verdict" });
export type Verdict = z.infer<typeof Verdict>;

/** The difference between candidate and baseline in one score. */
const ScoreComparison = z
  .object({
    name: z.string(),
    baseline: z.number(),
    candidate: z.number(),
    effect: z.number().describe("Mean of candidate - baseline over scenarios."),
    ci_lower: z.number().nullable(),
    ci_upper: z.number().nullable(),
    ci_lower_adjusted: z
      .number()
      .nullable()
      .optional()
      .describe(
        "Lower end of the 95 % interval corrected like `p_adjusted`: it excludes 0 exactly when the verdict is `better`, `worse`, `closer` or `less_close`.",
      ),
    ci_upper_adjusted: z.number().nullable().optional(),
    p: z.number().nullable(),
    p_adjusted: z
      .number()
      .nullable()
      .describe(
        "Corrected (Holm) for the number of scores besides the one the verdict rests on, which is not corrected.",
      ),
    adjusted_for: z
      .int()
      .optional()
      .describe(
        "Number of scores that the correction covers: 1 for the score the verdict rests on, the number of the others for each of those.",
      ),
    scenarios: z.int(),
    interactions: z.int(),
    scenarios_better: z.int(),
    scenarios_worse: z.int(),
    detectable_effect: z
      .number()
      .nullable()
      .describe(
        "Smallest difference that this many scenarios detect with 80 % power, corrected for the number of scores. null when it exceeds the range of the score: these scenarios cannot show any difference.",
      ),
    scenarios_needed: z
      .int()
      .nullable()
      .describe(
        "Number of scenarios that would detect a difference of 0.05 with 80 % power, corrected for the number of scores.",
      ),
    method: z.string(),
    verdict: Verdict,
    judge_audited: z
      .literal(false)
      .optional()
      .describe("Set when the score is, or contains, that of a judge without an audit."),
    sentence: z.string(),
  })
  .meta({ id: "ScoreComparison" });

/** `not_worse`: shown to lose less than the margin. `worse`: shown to be worse, and a loss of the margin is not excluded. */
export const NotWorseVerdict = z.enum(["not_worse", "worse", "undecided"]).meta({ id: "NotWorseVerdict" });
export type NotWorseVerdict = z.infer<typeof NotWorseVerdict>;

/** The size of a comparison that would decide in four of five cases, if the runs are in truth equal. */
const WouldDecide = z.object({
  scenarios: z.int().nullable().describe("Scenarios in all, with the same number of attempts; null above a million."),
  attempts: z
    .int()
    .nullable()
    .describe(
      "Attempts per scenario in both runs, with the same scenarios; null when 100 would not be enough, or when a run has a single attempt.",
    ),
  cheaper: z.enum(["scenarios", "attempts"]).nullable().describe("The one that takes fewer calls."),
});

/** The question "not worse by the margin?" for one score or figure. */
export const NotWorseMeasure = z
  .object({
    name: z.string().describe("A score, `pass_rate`, `latency_ms` or `cost_per_turn`."),
    kind: z
      .enum(["difference", "ratio"])
      .describe("`ratio` for latency and cost, where the margin is the accepted share of increase."),
    margin: z.number(),
    baseline: z.number().nullable(),
    candidate: z.number().nullable(),
    effect: z
      .number()
      .nullable()
      .describe(
        "Mean of candidate - baseline over scenarios; for a ratio, mean of the candidate / mean of the baseline.",
      ),
    bound: z
      .number()
      .nullable()
      .describe(
        "End of the one-sided 95 % interval of `effect`: the lower end of a difference, the upper end of a ratio.",
      ),
    p: z.number().nullable().describe("Of the hypothesis that the loss is the margin or more."),
    p_adjusted: z.number().nullable().describe("Corrected (Hochberg) for the number of measures."),
    scenarios: z.int(),
    method: z.string().describe("Method of the bound, or the reason there is none."),
    verdict: NotWorseVerdict,
    missing_as_zero: z.int().optional().describe("Replies that the candidate is missing; they count as 0."),
    missing_in_baseline: z
      .int()
      .optional()
      .describe("Replies that the baseline is missing; the same attempts of the candidate are left out."),
    scenarios_left_out: z.int().optional().describe("Shared scenarios in which only one run has the score."),
    undetected_failures: z
      .number()
      .optional()
      .describe(
        "Set when `not_worse` rests on the spread between the scenarios: the largest share of complete failures that so few scenarios do not exclude. Absent when the verdict holds for any distribution.",
      ),
    would_decide: WouldDecide.nullable().describe("Set when undecided."),
    sentence: z.string(),
  })
  .meta({ id: "NotWorseMeasure" });
export type NotWorseMeasure = z.infer<typeof NotWorseMeasure>;

/** "Is it safe to switch?": whether the candidate is shown not to be worse by a margin. */
export const NotWorse = z
  .object({
    verdict: NotWorseVerdict.describe("`not_worse` if all measures are, `worse` if one is."),
    sentence: z.string(),
    family_error: z
      .number()
      .describe("Probability, at most, that a measure is called not worse although it loses its margin."),
    measures: z.array(NotWorseMeasure),
    next: z.string().nullable().describe("What to run when undecided, and the commands for it; null otherwise."),
  })
  .meta({ id: "NotWorse" });
export type NotWorse = z.infer<typeof NotWorse>;

/** One interaction whose score changed between two runs. */
export const ChangedInteraction = z
  .object({
    scenario_id: z.string(),
    interaction_id: z.string(),
    user_message: z.string(),
    score: z
      .string()
      .describe("`overall`; `success` when `overall` is missing in one of the runs, or when only `success` fell."),
    baseline: z.number(),
    candidate: z.number(),
    difference: z.number(),
  })
  .meta({ id: "ChangedInteraction" });
export type ChangedInteraction = z.infer<typeof ChangedInteraction>;

/** A setting in which the two runs differ. */
export const SettingChange = z
  .object({
    setting: z.string().describe("`system_prompt`, `parameters.temperature`, `scenarios.<id>.system_prompt` …"),
    baseline: z.json().describe("null when it was not set."),
    candidate: z.json(),
  })
  .meta({ id: "SettingChange" });
export type SettingChange = z.infer<typeof SettingChange>;

const Unpaired = z.object({
  baseline_only: z.int(),
  candidate_only: z.int(),
  changed: z.int().describe("Same ids, but the user message or the expectation differs."),
});

/** Identifies a run among those it is compared with. */
export const ComparedRun = z.object({
  run_id: z.string(),
  test_name: z.string(),
  model_id: z.string(),
  endpoint: z.string(),
  demo: z.boolean(),
});
export type ComparedRun = z.infer<typeof ComparedRun>;

/** Body of GET /compare: paired by scenario and interaction, with the scenario as the statistical unit. */
export const RunComparison = z
  .object({
    comparable: z.boolean(),
    reason: z.string().nullable().describe("The reason the runs cannot be compared."),
    verdict: Verdict.nullable().describe(
      "Verdict on `overall`, or on the first available score; on `outcome` where `overall` only says how close replies are to their references.",
    ),
    sentence: z.string(),
    baseline: ComparedRun,
    candidate: ComparedRun,
    settings: z
      .array(SettingChange)
      .optional()
      .describe("Settings of the model under test that differ; empty when none do."),
    scores: z.array(ScoreComparison),
    unpaired: Unpaired,
    notes: z.array(z.string()).describe("Scores and attempts that were excluded, and the reasons."),
    changed: z.array(ChangedInteraction).describe("Regressions first, sorted by size; at most 200."),
    regressions: z.int().describe("Total number, including those not listed in `changed`."),
    improvements: z.int(),
    not_worse: NotWorse.optional().describe("Set when a `margin` was given and the runs can be compared."),
    corrected: z
      .array(CorrectedEffect)
      .optional()
      .describe("Differences in the judge's scores, corrected by people's verdicts. Set when a run has verdicts."),
    win_rate: CorrectedMean.optional().describe(
      "How often people would prefer the candidate's reply, from their choices between replies of both runs; a tie counts half. `raw` counts the reply with the higher score of the judge, or `overall`, as preferred. Set when there are such choices.",
    ),
    simulated_users: z
      .object({ baseline: SimulatedUsers.nullable(), candidate: SimulatedUsers.nullable() })
      .optional()
      .describe("Attempts with simulated users, and those left out because the simulator failed."),
  })
  .meta({ id: "RunComparison" });
export type RunComparison = z.infer<typeof RunComparison>;

/** The difference between two runs of the same setup that is expected by chance. */
export const NoiseFloor = z
  .object({
    runs: z.int(),
    mean: z.number().nullable(),
    sd: z.number().nullable(),
    floor: z.number().nullable().describe("Differences between two single runs below this are within the noise."),
    method: z.string(),
  })
  .meta({ id: "NoiseFloor" });
export type NoiseFloor = z.infer<typeof NoiseFloor>;

/** Pairwise judgement of the replies of two runs, each pair in both orders. */
export const PairwiseComparison = z
  .object({
    pairs: z.int().describe("Pairs with a verdict in both orders."),
    unreadable: z.int(),
    wins: z.int().describe("Pairs won by the candidate."),
    losses: z.int(),
    ties: z.int().describe("Pairs judged a tie, or whose verdict changed with the order."),
    position_flip_rate: z.number().nullable(),
    win_rate: z.number().nullable().describe("Share of wins plus half of the ties, averaged over scenarios."),
    ci_lower: z.number().nullable(),
    ci_upper: z.number().nullable(),
    p: z.number().nullable().describe("Sign test over scenarios."),
    sentence: z.string(),
    limited: z
      .literal(true)
      .optional()
      .describe(
        "Set when there are more pairs than `limit`: only the first pairs, in the order of the candidate's scenarios, were judged.",
      ),
    judge_audited: z.boolean(),
    corrected: CorrectedMean.optional().describe(
      "The win rate corrected by people's choices between the same replies. Set when there are some.",
    ),
    helper_usage: HelperUsage.optional().describe("Usage of the judge's calls."),
    warnings: z.array(Warning).optional().describe("Unknown fields, which were ignored. Absent when there are none."),
  })
  .meta({ id: "PairwiseComparison" });
export type PairwiseComparison = z.infer<typeof PairwiseComparison>;

/** `best`: significantly better than every other run. `may_be_best`: no other run is significantly better. `behind`: another run is. */
export const RankPlace = z.enum(["best", "may_be_best", "behind"]).meta({ id: "RankPlace" });
export type RankPlace = z.infer<typeof RankPlace>;

/** The distance of a run to the first one of a ranking. */
export const RankDistance = z
  .object({
    effect: z.number().describe("Mean of this run - the first run over scenarios."),
    ci_lower: z.number().nullable(),
    ci_upper: z.number().nullable(),
    ci_lower_adjusted: z
      .number()
      .nullable()
      .optional()
      .describe("Lower end of the 95 % interval corrected like `p_adjusted`."),
    ci_upper_adjusted: z.number().nullable().optional(),
    p: z.number().nullable().optional().describe("Of this pair alone, as in a comparison of the two runs."),
    p_adjusted: z.number().nullable().describe("Corrected (Holm) for the number of pairs of runs."),
    adjusted_for: z.int().optional().describe("Number of pairs that the correction covers."),
  })
  .meta({ id: "RankDistance" });
export type RankDistance = z.infer<typeof RankDistance>;

/** One run of a ranking, with its failures, cost and latency. */
export const RankedRun = ComparedRun.extend({
  place: RankPlace,
  mean: z.number().describe("Mean over the turns that all runs share."),
  ci_lower: z.number().nullable(),
  ci_upper: z.number().nullable(),
  to_first: RankDistance.nullable().describe("null for the first."),
  worse_than: z.array(z.string()).describe("Ids of the runs that are significantly better."),
  failed: z.int().min(0).describe("Turns without a reply."),
  cost_per_1000_turns: z.number().nullable().describe("US dollars, judging included; null when a price is unknown."),
  latency_ms: z.number().nullable().describe("Median duration of the replies."),
}).meta({ id: "RankedRun" });
export type RankedRun = z.infer<typeof RankedRun>;

/** Body of GET /rank: several runs of one suite by one score, with the scenario as the statistical unit. */
export const RunRanking = z
  .object({
    comparable: z.boolean(),
    reason: z.string().nullable().describe("The reason the runs cannot be ranked."),
    score: z.string(),
    closeness: z
      .literal(true)
      .optional()
      .describe("Set when the score only says how close replies are to their references: first is closest, not best."),
    sentence: z.string(),
    runs: z.array(RankedRun).describe("Highest mean first. Empty when the runs cannot be ranked."),
    scenarios: z.int().describe("Number of scenarios that all runs share."),
    interactions: z.int(),
    scenarios_needed: z
      .int()
      .nullable()
      .describe(
        "Number of scenarios that would detect a difference of 0.05 between the first two runs with 80 % power.",
      ),
    notes: z.array(z.string()).describe("Exclusions and the reasons for them."),
  })
  .meta({ id: "RunRanking" });
export type RunRanking = z.infer<typeof RunRanking>;

/** Body of POST /compare: a judge chooses between the replies of two runs. */
export const PairwiseRequest = z
  .object({
    baseline: z.string().min(1).max(200),
    candidate: z.string().min(1).max(200),
    judge: JudgeSettings.pick({ endpoint: true, model_id: true, protocol: true, rubric: true, votes: true })
      .meta({ id: "PairwiseJudge" })
      .optional()
      .describe("Default: the operator's judge (JUDGE_*). `rubric` states what makes a reply better."),
    limit: z
      .int()
      .min(1)
      .max(1_000)
      .default(200)
      .describe("Maximum number of pairs. Each pair takes two calls per vote."),
  })
  .meta({ id: "PairwiseRequest" });

export type PairwiseRequest = z.infer<typeof PairwiseRequest>;
