import { z } from "zod";
import { RunEstimate } from "../schemas/budget.ts";
import { NoiseFloor, PairwiseComparison, PairwiseRequest, RunComparison, RunRanking } from "../schemas/comparison.ts";
import { EvaluationRequest, RescoreRequest } from "../schemas/evaluation-request.ts";
import { EvaluationResponse } from "../schemas/evaluation-response.ts";
import { JudgeAudit, JudgeAuditRequest } from "../schemas/judge-audit.ts";
import {
  Agreement,
  AgreementQuery,
  Corrections,
  ReviewQuery,
  ReviewQueue,
  RunAuditRequest,
  StoredVerdicts,
  VerdictList,
  VerdictsQuery,
  VerdictsRequest,
} from "../schemas/judging/human-verdict.ts";
import { Experiment, ExperimentQuery } from "../schemas/experiment.ts";
import { marginsPattern, parseMargins } from "../schemas/margins.ts";
import { Run } from "../schemas/run.ts";
import { ScoreAgreementRequest, ScoreAgreements } from "../schemas/judging/score-agreement.ts";
import { RunSequence } from "../schemas/sequence.ts";
import { defineOperation } from "./operation.ts";

/** Query of GET /compare. */
export const CompareQuery = z
  .object({
    baseline: z.string().min(1).max(200),
    candidate: z.string().min(1).max(200),
    margin: z
      .string()
      .min(1)
      .max(1_000)
      .superRefine((text, context) => {
        const margins = parseMargins(text);
        if (typeof margins === "string") context.addIssue({ code: "custom", message: margins });
      })
      .meta({ pattern: marginsPattern })
      .optional()
      .describe(
        "Asks whether the candidate is shown not to be worse by this margin (`not_worse`): `0.02` for `overall`, or `overall=0.02,success=5%,latency_ms=10%`.",
      ),
  })
  .meta({ id: "CompareQuery" });

/** Query of GET /rank. */
export const RankQuery = z
  .object({
    runs: z
      .string()
      .min(1)
      .max(4000)
      .regex(/[^,\s]\s*,[\s,]*[^,\s]/, "must name at least two runs")
      .describe("Comma-separated ids of two or more runs of one suite."),
    score: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Default: `overall` when every run has it, otherwise `success`."),
  })
  .meta({ id: "RankQuery" });

/** Query of GET /noise. */
export const NoiseQuery = z
  .object({
    runs: z
      .string()
      .min(1)
      .max(4000)
      .regex(/[^,\s]/, "must name at least one run")
      .describe("Comma-separated ids of runs with the same setup."),
  })
  .meta({ id: "NoiseQuery" });

/** Query of GET /runs/{run_id}/export. */
export const ExportQuery = z
  .object({
    format: z.enum(["json", "jsonl", "csv", "junit", "markdown", "html", "sft", "dpo"]).default("json"),
    model_name: z
      .string()
      .max(200)
      .optional()
      .describe("Shown in an `html` report instead of the model id, for models whose names only the client knows."),
  })
  .meta({ id: "ExportQuery" });

const NoiseFloors = z.record(z.string(), NoiseFloor).meta({ id: "NoiseFloors" });

const runParameter = { run_id: { description: "The run's id." } };

const exampleJudge = { endpoint: "http://127.0.0.1:8000/demo/v1", model_id: "demo/scripted" };

export const compareRuns = defineOperation("compareRuns", {
  summary: "Compare two runs and test whether the difference is significant",
  description:
    "Pairs the runs by scenario and interaction, clusters by scenario and corrects for the number of scores. Gives the reason when runs cannot be compared.",
  tag: "Analysis",
  scope: "runs:read",
  query: CompareQuery,
  responses: { 200: { description: "The verdict with its evidence.", schema: RunComparison } },
  errors: ["validation_failed", "run_not_found"],
});

export const judgePairs = defineOperation("judgePairs", {
  summary: "Let a judge choose between the replies of two runs",
  description:
    "The judge sees every pair in both orders; a choice that changes with the order is a tie. Uses the first attempt of each " +
    "scenario and the turns that both runs share. Calls the judge, never a model under test.",
  tag: "Analysis",
  scope: "evaluate",
  body: PairwiseRequest,
  example: {
    baseline: "01989a4e-2f01-7a6b-9c1d-000000000001",
    candidate: "01989a4e-2f01-7a6b-9c1d-000000000002",
    judge: exampleJudge,
    limit: 20,
  },
  responses: { 200: { description: "Wins, losses and ties with their interval.", schema: PairwiseComparison } },
  errors: ["validation_failed", "endpoint_invalid", "endpoint_not_allowed", "run_not_found", "run_not_finished"],
});

export const rankRuns = defineOperation("rankRuns", {
  summary: "Rank several runs and test whether the differences are significant",
  description:
    "Helps to choose a model: ranks runs of the same scenarios by one score. Compares each pair of runs over the turns that all runs share, " +
    "paired by scenario and corrected for the number of comparisons. Gives the reason when runs cannot be ranked.",
  tag: "Analysis",
  scope: "runs:read",
  query: RankQuery,
  responses: { 200: { description: "The runs, best first, with the evidence.", schema: RunRanking } },
  errors: ["validation_failed", "run_not_found"],
});

export const measureNoise = defineOperation("measureNoise", {
  summary: "Measure how much scores vary between runs of the same setup",
  tag: "Analysis",
  scope: "runs:read",
  query: NoiseQuery,
  responses: { 200: { description: "The noise floor of each score.", schema: NoiseFloors } },
  errors: ["validation_failed", "run_not_found", "run_not_finished"],
});

export const estimateRun = defineOperation("estimateRun", {
  summary: "Estimate the calls, tokens, cost and time of a run",
  description: "Accepts the body of POST /evaluate. Calls no model and stores nothing.",
  tag: "Analysis",
  scope: "evaluate",
  body: EvaluationRequest,
  example: {
    test_batch: { id: "delivery", interactions: [{ id: "1", user_message: "How long does delivery take?" }] },
    endpoint: "http://127.0.0.1:8000/demo/v1",
    model_id: "demo/retrieval",
    attempts: 20,
  },
  responses: { 200: { description: "The estimate.", schema: RunEstimate } },
  errors: [
    "validation_failed",
    "endpoint_invalid",
    "endpoint_not_allowed",
    "pattern_unsupported",
    "too_many_interactions",
    "run_not_found",
  ],
});

export const auditJudge = defineOperation("auditJudge", {
  summary: "Measure a judge against the choices of people",
  tag: "Analysis",
  scope: "evaluate",
  body: JudgeAuditRequest,
  example: {
    judge: exampleJudge,
    items: [
      { user_message: "How long?", reply: "Two days.", reference_reply: "Two days.", human: "equivalent" },
      { user_message: "How long?", reply: "No idea.", reference_reply: "Two days.", human: "contradicts" },
    ],
  },
  responses: { 200: { description: "Kappa with its interval, consistency and bias.", schema: JudgeAudit } },
  errors: ["validation_failed", "endpoint_invalid", "endpoint_not_allowed", "storage_full"],
});

export const getRunSequence = defineOperation("getRunSequence", {
  summary: "Follow a run that stops when it is decided",
  description:
    'The comparison of a run with `attempts` {"until": "decided"}, as far as it has come: the interval after each batch, the verdict, and why it stopped. Both sides of a comparison of two models answer alike.',
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  responses: { 200: { description: "The comparison so far.", schema: RunSequence } },
  errors: ["not_found", "run_not_found"],
});

export const getExperiment = defineOperation("getExperiment", {
  summary: "Show the variants of an experiment side by side",
  description:
    "A table of scenarios and variants with their replies, a ranking of the variants, the effects of a grid, and which replies were taken from earlier runs. `experiment_id` may also be the id of one of its runs.",
  tag: "Analysis",
  scope: "runs:read",
  parameters: { experiment_id: { description: "The experiment's id, or that of one of its runs." } },
  query: ExperimentQuery,
  responses: { 200: { description: "The experiment as far as it has come.", schema: Experiment } },
  errors: ["validation_failed", "not_found", "run_not_found"],
});

export const getScoreAgreement = defineOperation("getScoreAgreement", {
  summary: "Correlate every score with the verdicts of people on the run",
  description: "Shows which score orders replies as people do, with an interval over scenarios.",
  tag: "Analysis",
  scope: "runs:read",
  parameters: runParameter,
  responses: { 200: { description: "The scores, highest correlation first.", schema: ScoreAgreements } },
  errors: ["run_not_found"],
});

export const correlateVerdicts = defineOperation("correlateVerdicts", {
  summary: "Correlate every score with given verdicts of people",
  description: "Nothing is stored. Several verdicts on one reply count as their mean.",
  tag: "Analysis",
  scope: "runs:read",
  parameters: runParameter,
  body: ScoreAgreementRequest,
  example: {
    verdicts: [
      { scenario_id: "delivery", attempt: 1, interaction_id: "1", value: 1 },
      { scenario_id: "delivery", attempt: 2, interaction_id: "1", value: 0 },
    ],
  },
  responses: { 200: { description: "The scores, highest correlation first.", schema: ScoreAgreements } },
  errors: ["validation_failed", "run_not_found"],
});

export const rescoreRun = defineOperation("rescoreRun", {
  summary: "Score a run again from its stored replies",
  description:
    "Never calls the model under test. The given settings and expectations replace those of the run and are stored with it. " +
    "An API key also needs the scope `evaluate` when the request names a judge or a labeller, or sets `ask_models`. " +
    "When the client disconnects, rescoring stops only if it calls models; finished turns keep their new scores, and `summary.rescored` reports it. " +
    "Unknown fields of the request are ignored and listed in `warnings` of the response.",
  tag: "Runs",
  scope: "runs:write",
  parameters: runParameter,
  body: RescoreRequest,
  example: { ask_models: false },
  bodyOptional: true,
  responses: { 200: { description: "The run with its new figures.", schema: Run } },
  errors: [
    "validation_failed",
    "endpoint_invalid",
    "endpoint_not_allowed",
    "pattern_unsupported",
    "run_not_found",
    "run_not_finished",
    "storage_full",
  ],
});

export const exportRun = defineOperation("exportRun", {
  summary: "Export a run as a file",
  description:
    "`format` is `json` (default, the body of POST /evaluate), `jsonl`, `sft` and `dpo` (JSON lines), `csv`, `junit` (XML), " +
    "`markdown` or `html` (a page that needs no server). Only runs that have ended can be exported, because a file looks final. " +
    "With history `both`, only `json` and `html` contain the replies with reference history.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  query: ExportQuery,
  responses: {
    200: {
      description: "The file, streamed.",
      schema: EvaluationResponse,
      mediaTypes: [
        "application/json",
        "application/x-ndjson",
        "text/csv",
        "application/xml",
        "text/markdown",
        "text/html",
      ],
      headers: { "content-disposition": { description: "Suggested name of the file.", required: true } },
    },
  },
  errors: ["validation_failed", "run_not_found", "run_not_finished"],
});

export const listVerdicts = defineOperation("listVerdicts", {
  summary: "List or export people's verdicts on a run",
  description: "`format` is `json` (default), `jsonl` or `csv`. POST to the same path reads the files back.",
  tag: "Review",
  scope: "runs:read",
  parameters: runParameter,
  query: VerdictsQuery,
  responses: {
    200: {
      description: "The verdicts, in the order of the suite.",
      schema: VerdictList,
      mediaTypes: ["application/json", "application/x-ndjson", "text/csv"],
      headers: { "content-disposition": { description: "Suggested name of a file." } },
    },
  },
  errors: ["validation_failed", "run_not_found"],
});

export const storeVerdicts = defineOperation("storeVerdicts", {
  summary: "Store people's verdicts on replies of a run",
  description:
    "Takes a list, or a file (CSV or JSON lines) in `text`. Stores all verdicts or none. A person's earlier verdict on the same reply " +
    "and question is replaced; `choice: null` withdraws it. An `adjudication` decides a conflict and counts instead of the others. " +
    "An API key stores verdicts of its own rater only; with the scope `verdicts:adjudicate` also those of others, and adjudications.",
  tag: "Review",
  scope: "runs:write",
  parameters: runParameter,
  body: VerdictsRequest,
  example: {
    rater: "ada",
    verdicts: [{ scenario_id: "delivery", turn_index: 0, question: "review", choice: "pass", comment: "Clear." }],
  },
  responses: { 200: { description: "How many verdicts were stored.", schema: StoredVerdicts } },
  errors: ["validation_failed", "run_not_found", "run_not_finished", "storage_full"],
});

export const reviewRun = defineOperation("reviewRun", {
  summary: "Get the next replies for a person to judge",
  description:
    "Holds no score and no verdict of others. The people who gave a verdict in the last ten minutes share the replies, `raters` " +
    "people for each; two who start at the same moment may get the same one, which then has one verdict more.",
  tag: "Review",
  scope: "runs:read",
  parameters: runParameter,
  query: ReviewQuery,
  responses: { 200: { description: "The next replies, and the progress of everyone.", schema: ReviewQueue } },
  errors: ["validation_failed", "run_not_found", "run_not_finished"],
});

export const measureAgreement = defineOperation("measureAgreement", {
  summary: "Measure how far people agree with each other and with the judge",
  tag: "Review",
  scope: "runs:read",
  parameters: runParameter,
  query: AgreementQuery,
  responses: { 200: { description: "Coefficients with their intervals, and the conflicts.", schema: Agreement } },
  errors: ["validation_failed", "run_not_found"],
});

export const correctScores = defineOperation("correctScores", {
  summary: "Correct the judge's scores by people's verdicts",
  description:
    "Estimates the mean that people would give (prediction-powered inference). Needs verdicts on at least 20 replies that were chosen " +
    "at random. Calls no model.",
  tag: "Review",
  scope: "runs:read",
  parameters: runParameter,
  responses: { 200: { description: "A corrected mean for each score of the judge.", schema: Corrections } },
  errors: ["run_not_found", "run_not_finished"],
});

export const auditRunJudge = defineOperation("auditRunJudge", {
  summary: "Measure the run's judge against people's verdicts",
  description:
    "Like POST /judges/audit, with the stored verdicts on this run. Calls the judge, never the model under test.",
  tag: "Review",
  scope: "evaluate",
  parameters: runParameter,
  body: RunAuditRequest,
  example: { repeats: 1 },
  bodyOptional: true,
  responses: { 200: { description: "Kappa with its interval, consistency and bias.", schema: JudgeAudit } },
  errors: [
    "validation_failed",
    "endpoint_invalid",
    "endpoint_not_allowed",
    "run_not_found",
    "run_not_finished",
    "storage_full",
  ],
});
