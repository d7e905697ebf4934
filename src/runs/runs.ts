import type { z } from "zod";
import type { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import type { FreezeRequest } from "../contract/schemas/library.ts";
import type { ScenarioInput } from "../contract/schemas/scenario.ts";
import type { Margins } from "../contract/schemas/margins.ts";
import type { RunEstimate } from "../contract/schemas/budget.ts";
import type { CreatedRun, RunFilter, RunPage, RunRecord } from "../contract/ports/store.ts";
import type {
  NoiseFloor,
  PairwiseComparison,
  RunComparison,
  RunRanking,
  PairwiseRequest,
} from "../contract/schemas/comparison.ts";
import type { EvaluationResponse, ScenarioResult } from "../contract/schemas/evaluation-response.ts";
import type { JudgeAudit, JudgeAuditRequest } from "../contract/schemas/judge-audit.ts";
import type { RunScenarioList, RunScenariosQuery } from "../contract/schemas/run-scenarios.ts";
import type { PersonVerdict, ScoreAgreements } from "../contract/schemas/judging/score-agreement.ts";
import type { RunSequence } from "../contract/schemas/sequence.ts";
import type { RunChanges, RunEvent } from "../contract/schemas/run.ts";
import type { Warning } from "../contract/errors/problem.ts";
import type { Experiment } from "../contract/schemas/experiment.ts";
import type { ExperimentOptions } from "./experiments/read-experiment.ts";
import type { RunPlan } from "./plan/plan-run.ts";
import type { PlannedRuns } from "./plan/plan-variants.ts";
import type { ReadAttempt } from "./results/read-results.ts";
import type { Reviews } from "./review/create-reviews.ts";
import type { Rescore } from "./rescore/rescore-run.ts";
import type { RepeatRequest } from "./plan/to-request.ts";

export interface NewRunOptions {
  readonly warnings: readonly Warning[];
  readonly idempotency?: { readonly key: string; readonly hash: string } | undefined;
  readonly owner: string | null;
}

/** The owner of judge calls, and the signal of the caller who waits. */
interface AskingOptions {
  readonly owner: string | null;
  readonly signal: AbortSignal;
}

/** All operations on runs. A run of another owner is treated as missing. */
export interface Runs {
  /** Rejects with `overloaded` when there are too many unfinished runs. */
  create(plan: RunPlan, options: NewRunOptions): Promise<Exclude<CreatedRun, { outcome: "full" }>>;
  /** Creates the run of a request, or one for each variant. The answer is about the first. */
  createPlanned(planned: PlannedRuns, options: NewRunOptions): Promise<Exclude<CreatedRun, { outcome: "full" }>>;
  get(id: string, owner: string | null): Promise<RunRecord>;
  list(filter: RunFilter): Promise<RunPage>;
  /** Resolves when the run has ended. */
  wait(id: string, signal: AbortSignal): Promise<RunRecord>;
  /** The evaluation response in chunks of JSON, one attempt in memory at a time. */
  results(run: RunRecord, options?: { scenarioId?: string | undefined }): AsyncIterable<string>;
  /** The evaluation response as one value. */
  wholeResults(run: RunRecord): Promise<EvaluationResponse>;
  /** The same without its scenarios, which are passed to `onScenario` one by one. */
  readResponse(
    run: RunRecord,
    onScenario: (scenario: ScenarioResult) => void,
  ): Promise<Omit<EvaluationResponse, "results">>;
  /** One page of the run's scenarios, failures first. */
  scenarios(run: RunRecord, query: RunScenariosQuery): Promise<RunScenarioList>;
  /** The results by scenario; `shortened` truncates replies to the length shown in a report. */
  scenarioResults(run: RunRecord, options?: { shortened?: boolean | undefined }): AsyncIterable<ScenarioResult>;
  /** The attempts, one in memory at a time; `look` receives all attempts of a scenario before the first is yielded. */
  attemptResults(
    run: RunRecord,
    options?: { look?: ((read: ReadAttempt) => void) | undefined },
  ): AsyncIterable<ReadAttempt>;
  /** A scripted scenario with the user's messages of one attempt. */
  freeze(run: RunRecord, options: FreezeRequest): Promise<z.output<typeof ScenarioInput>>;
  /** The request with the recorded users of the run that its `replay_users` names; others are returned as they are. */
  withRecordedUsers(request: EvaluationRequest, owner: string | null): Promise<EvaluationRequest>;
  /** The request that repeats the run, without the operator's defaults. */
  request(run: RunRecord): Promise<RepeatRequest>;
  /** The comparison of a run that stops when it is decided, as far as it has come. */
  sequence(id: string, owner: string | null): Promise<RunSequence>;
  /** How every score agrees with people's verdicts: those given here, else those stored with the run. */
  scoreAgreement(id: string, owner: string | null, given?: readonly PersonVerdict[]): Promise<ScoreAgreements>;
  /** The events of the run after `after`, with the ended run last. Throws when this process stops before that. */
  follow(id: string, options: { after: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  /** No new call starts after this; calls in flight are aborted. */
  cancel(id: string, owner: string | null): Promise<RunRecord>;
  /** Renames the run or replaces its tags. */
  change(id: string, changes: RunChanges, owner: string | null): Promise<RunRecord>;
  /** Cancels the run if it has not ended, then deletes it. */
  remove(id: string, owner: string | null, signal: AbortSignal): Promise<void>;
  /** Rescores an ended run from its stored replies, optionally with a new scoring basis. Calls models only with `askModels`. */
  rescore: Rescore;
  /** `owner` undefined: of runs of any owner. */
  compare(
    baseline: string,
    candidate: string,
    owner: string | null | undefined,
    margins?: Margins,
  ): Promise<RunComparison>;
  /** Ranks runs by one score, `overall` by default. */
  rank(runs: { ids: readonly string[]; score?: string | undefined }, owner: string | null): Promise<RunRanking>;
  /** Estimates what a plan would take, with the warnings of its run. Calls no model. */
  estimate(plan: RunPlan, options: Pick<NewRunOptions, "warnings" | "owner">): Promise<RunEstimate>;
  /** The same for all runs of a request. Replies that will be used again count as calls. */
  estimatePlanned(planned: PlannedRuns, options: Pick<NewRunOptions, "warnings" | "owner">): Promise<RunEstimate>;
  /** The experiment that a run belongs to: its variants side by side. */
  experiment(id: string, owner: string | null, options?: ExperimentOptions): Promise<Experiment>;
  /** The chance difference between identical runs, by score. */
  noise(ids: readonly string[], owner: string | null): Promise<Record<string, NoiseFloor>>;
  /** Lets a judge choose between the replies of two ended runs. Calls the judge. */
  judgePairs(request: PairwiseRequest, options: AskingOptions): Promise<PairwiseComparison>;
  /** Measures a judge against human choices. Calls the judge. */
  auditJudge(request: JudgeAuditRequest, options: AskingOptions): Promise<JudgeAudit>;
  /** Verdicts of people on replies, and the figures that follow from them. */
  readonly reviews: Reviews;
  /** Counts a call that an agent made in its world while no turn was under way. */
  noteLateCall(id: string): void;
  start(): Promise<void>;
  stop(options: { graceMs: number }): Promise<void>;
}
