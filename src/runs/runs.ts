import type { RunEstimate } from "../contract/schemas/budget.ts";
import type { CreatedRun, RunFilter, RunPage, RunRecord } from "../contract/ports/store.ts";
import type { NoiseFloor, PairwiseComparison, RunComparison, RunRanking } from "../contract/schemas/comparison.ts";
import type { EvaluationResponse, ScenarioResult } from "../contract/schemas/evaluation-response.ts";
import type { JudgeAudit, JudgeAuditRequest } from "../contract/schemas/judge-audit.ts";
import type { PairwiseRequest } from "../contract/schemas/comparison.ts";
import type { RunScenarioList, RunScenariosQuery } from "../contract/schemas/run-scenarios.ts";
import type { RunEvent } from "../contract/schemas/run.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import type { PlannedRun } from "./placed-checks.ts";
import type { ReadAttempt } from "./read-results.ts";
import type { RescoreOptions } from "./rescore-run.ts";
import type { RequestAgain } from "./to-request.ts";

export interface NewRunOptions {
  readonly warnings: readonly Warning[];
  readonly idempotency?: { readonly key: string; readonly hash: string } | undefined;
  readonly owner: string | null;
}

/** Whose calls of a judge they are, and who waits for what it says. */
interface AskingOptions {
  readonly owner: string | null;
  readonly signal: AbortSignal;
}

/** Everything that can be done with runs. A run of another owner is as good as none. */
export interface Runs {
  /** Rejects with `overloaded` when there are too many unfinished runs. */
  create(plan: PlannedRun, options: NewRunOptions): Promise<Exclude<CreatedRun, { outcome: "full" }>>;
  get(id: string, owner: string | null): Promise<RunRecord>;
  list(filter: RunFilter): Promise<RunPage>;
  /** Resolves when the run has ended. */
  wait(id: string, signal: AbortSignal): Promise<RunRecord>;
  /** The evaluation response as pieces of JSON text, one attempt in memory at a time. */
  results(run: RunRecord, options?: { scenarioId?: string | undefined }): AsyncIterable<string>;
  /** The same as one value, for whoever needs all of it at once. */
  wholeResults(run: RunRecord): Promise<EvaluationResponse>;
  /** One page of the run's scenarios in short, failures first. */
  scenarios(run: RunRecord, query: RunScenariosQuery): Promise<RunScenarioList>;
  /** The results, scenario by scenario; `shortened`, of the replies no more than is shown in a report. */
  scenarioResults(run: RunRecord, options?: { shortened?: boolean | undefined }): AsyncIterable<ScenarioResult>;
  /** The attempts, one in memory at a time; all those of a scenario are given to `look` before the first. */
  attemptResults(
    run: RunRecord,
    options?: { look?: ((read: ReadAttempt) => void) | undefined },
  ): AsyncIterable<ReadAttempt>;
  /** The request that makes the same run again, without what the operator's helpers brought to it. */
  request(run: RunRecord): Promise<RequestAgain>;
  /** What happens in the run from `after` on, the ended run last. Fails when this process stops before that. */
  follow(id: string, options: { after: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  /** No new call starts after this; calls in flight are aborted. */
  cancel(id: string, owner: string | null): Promise<RunRecord>;
  /** Cancels if need be, then deletes. */
  remove(id: string, owner: string | null, signal: AbortSignal): Promise<void>;
  /** Scores an ended run again from its stored replies, by something else if asked to; no model is called unless `askModels` says so. */
  rescore(
    id: string,
    owner: string | null,
    options?: Pick<RescoreOptions, "askModels" | "replace" | "signal">,
  ): Promise<RunRecord>;
  compare(baseline: string, candidate: string, owner: string | null): Promise<RunComparison>;
  /** Which of several runs is best by one score: `overall` unless another is named. */
  rank(runs: { ids: readonly string[]; score?: string | undefined }, owner: string | null): Promise<RunRanking>;
  /** What a plan would take, and what its run would warn of. Calls no model. */
  estimate(plan: PlannedRun, options: Pick<NewRunOptions, "warnings" | "owner">): Promise<RunEstimate>;
  /** How far runs of the same thing differ by chance, by score. */
  noise(ids: readonly string[], owner: string | null): Promise<Record<string, NoiseFloor>>;
  /** Lets a judge choose between the replies of two ended runs. Calls the judge. */
  judgePairs(request: PairwiseRequest, options: AskingOptions): Promise<PairwiseComparison>;
  /** Measures a judge against people's choices. Calls the judge. */
  auditJudge(request: JudgeAuditRequest, options: AskingOptions): Promise<JudgeAudit>;
  start(): Promise<void>;
  stop(options: { graceMs: number }): Promise<void>;
}
