import type { JournalPart } from "./journal.ts";
import type { SpanStore, TraceKey } from "./spans.ts";
import type { RunPolicy } from "../schemas/shared/endpoint-policy.ts";
import type { RunSettings } from "../schemas/evaluation-request.ts";
import type { StoredReply, StoredScores } from "../schemas/interaction-result.ts";
import type { Progress, RunChanges, RunState, RunSummary } from "../schemas/run.ts";
import type { ScenarioTotals } from "../schemas/run-scenarios.ts";
import type { Scenario } from "../schemas/scenario.ts";
import type { Scores } from "../schemas/scores/score.ts";
import type { Sampling } from "../schemas/judging/human-verdict.ts";
import type { Warning } from "../errors/problem.ts";

/** Times in this file are milliseconds since 1970. Ids are UUIDv7 text. */
export interface NewRun {
  readonly id: string;
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  readonly warnings: readonly Warning[];
  readonly demo: boolean;
  readonly created_at: number;
  readonly priority?: number;
  /** The same key with the same hash returns the same run. Keys are scoped by `owner`. */
  readonly idempotency?: { readonly key: string; readonly hash: string } | undefined;
  readonly owner?: string | null;
  /** The system under test lives in one process: only claims that name this run get its attempts. */
  readonly tied?: boolean;
  /** Restricts the endpoints it may call. Default: the policy of the executing process alone. */
  readonly policy?: RunPolicy | null;
}

export interface RunRecord {
  readonly id: string;
  readonly settings: RunSettings;
  readonly warnings: readonly Warning[];
  /** Calls of agents in their worlds that were refused, because no turn of the attempt was under way. */
  readonly late_calls: number;
  /** Null for a run from before traces. */
  readonly trace_key: TraceKey | null;
  /** True once an agent has sent spans of it. */
  readonly spans_seen: boolean;
  /** Spans that came after their attempt had been scored. */
  readonly late_spans: number;
  readonly demo: boolean;
  readonly owner: string | null;
  readonly priority: number;
  readonly tied: boolean;
  readonly policy: RunPolicy | null;
  /** True when the run has not ended and the only process that could execute it is gone. */
  readonly interrupted: boolean;
  readonly state: RunState;
  /** "" until the run ends. */
  readonly message: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly progress: Progress;
  readonly summary: RunSummary | null;
}

export type CreatedRun =
  | { readonly outcome: "created"; readonly run: RunRecord }
  | { readonly outcome: "replayed"; readonly run: RunRecord }
  | { readonly outcome: "mismatch" }
  /** The limit of unfinished runs is reached, for this owner or in total. */
  | { readonly outcome: "full"; readonly of: "owner" | "all" };

/** Maximum number of unfinished runs; 0: unlimited. */
export interface UnfinishedLimits {
  readonly all: number;
  /** Per owner. Runs without an owner count only against `all`. */
  readonly perOwner: number;
}

export interface RunFilter {
  readonly state?: RunState | undefined;
  readonly test_name?: string | undefined;
  readonly model_id?: string | undefined;
  /** Part of the test name or the model id, ignoring case. */
  readonly search?: string | undefined;
  /** A search also finds the runs of these models. */
  readonly search_model_ids?: readonly string[] | undefined;
  /** Exact tag of the run. */
  readonly tag?: string | undefined;
  /** A key of the run's metadata, or `key=value`. */
  readonly label?: string | undefined;
  /** Id of the experiment that the run belongs to. */
  readonly experiment?: string | undefined;
  /** The mean of a score; runs without it are left out. */
  readonly scoreRange?: { readonly name: string; readonly minimum: number; readonly maximum: number } | undefined;
  /** First and last moment of creation, both included. */
  readonly createdRange?: { readonly from: number; readonly to: number } | undefined;
  readonly owner?: string | null;
  readonly limit: number;
  /** Opaque, from the previous page. Pages are newest first. */
  readonly cursor?: string | undefined;
}

export interface RunPage {
  readonly runs: readonly RunRecord[];
  readonly next_cursor: string | null;
}

/** Counts of what is stored. */
export interface Workload {
  readonly runs: ReadonlyMap<RunState, number>;
  /** Attempts of runs that have not ended. */
  readonly attempts: ReadonlyMap<AttemptState, number>;
  /** Processes that execute an attempt. */
  readonly workers: number;
}

export type AttemptState = "ready" | "running" | "done" | "cancelled";

export interface AttemptRecord {
  readonly id: string;
  readonly run_id: string;
  readonly scenario_index: number;
  /** Counted from 1. */
  readonly attempt: number;
  readonly state: AttemptState;
  readonly average_scores: Scores | null;
}

export interface StoredInteraction {
  readonly attempt_id: string;
  readonly turn_index: number;
  readonly reply: StoredReply;
  /** null: the reply is stored but not scored yet. */
  readonly scores: StoredScores | null;
}

/** A turn to store for an attempt the writer holds. */
export type NewTurn = Omit<StoredInteraction, "attempt_id"> & {
  /**
   * Decides which progress counts the turn: `first` (default) those of its attempt and run, a planned `second` pass those of its run
   * only, an unplanned `replay` none.
   */
  readonly pass?: "first" | "second" | "replay";
};

/** A stored turn with its sequence number within the run and its position. */
export interface NumberedInteraction extends StoredInteraction {
  /**
   * Increases within a run, with gaps. Once a turn can be read, no turn with a smaller number appears later. Negative while the
   * scores are missing: the number is assigned with them, or when the run ends without them.
   */
  readonly seq: number;
  readonly scenario_index: number;
  readonly attempt: number;
}

export interface TurnPage {
  readonly turns: readonly NumberedInteraction[];
  /** True when there were more turns at the time of the read. */
  readonly more: boolean;
}

/** The scores of a stored turn, without its texts. */
export interface ScoredTurn {
  readonly scenario_index: number;
  readonly attempt: number;
  readonly turn_index: number;
  readonly scores: Scores;
  readonly stated?: StoredScores["stated"];
  readonly scoring_version: string;
  /** Scores of the whole conversation, stored with its last turn. */
  readonly conversation: { readonly scores: Scores } | null;
  /** Duration and cost of the call; only with the option `calls`. */
  readonly call?: { readonly latency_ms: number; readonly cost: number | null };
  /** The embedder behind `semantic_similarity` and its baseline; null when the score was not measured. */
  readonly embedder: string | null;
  readonly baseline: number | null;
}

/** New scores for one turn of a run that has ended. */
export interface RescoredTurn {
  readonly attempt_id: string;
  readonly turn_index: number;
  readonly scores: StoredScores;
}

export interface RunEnd extends Pick<NewFigures, "summary" | "totals" | "message"> {
  readonly state: RunState;
  readonly at: number;
}

/** New figures of a run that has ended, with the changed settings and scenarios, if any. */
export interface NewFigures {
  readonly summary: RunSummary;
  /** One per scenario, in their order. Default: not stored, and read from the attempts when needed. */
  readonly totals?: readonly ScenarioTotals[] | undefined;
  readonly message: string;
  readonly settings?: RunSettings;
  readonly scenarios?: readonly { readonly index: number; readonly scenario: Scenario }[];
}

/** The averages of an attempt, without its turns. */
export type AttemptAverages = Pick<AttemptRecord, "scenario_index" | "attempt" | "state" | "average_scores"> & {
  /** Number of stored turns of its first pass. */
  readonly interactions_done: number;
};

/** An attempt with its interactions in turn order. */
export interface AttemptWithInteractions extends AttemptRecord {
  readonly interactions: readonly StoredInteraction[];
}

/** Proof that a worker holds an attempt. A write with a stale fence changes nothing. */
export interface Lease {
  readonly attempt_id: string;
  readonly fence: number;
}

/** Proof that a process holds an ended run for rescoring. A write with a stale hold changes nothing. */
export interface RescoreHold {
  readonly run_id: string;
  readonly token: string;
}

/** The reply, question and person that a verdict belongs to. One verdict is stored for each. */
export interface VerdictKey {
  readonly scenario_index: number;
  readonly attempt: number;
  readonly turn_index: number;
  readonly question: string;
  /** Id of the other run of a pair; "" for a verdict on a single reply. */
  readonly against: string;
  readonly rater: string;
  /** A verdict that decides a conflict. A reply has one per question: the latest. */
  readonly adjudication: boolean;
}

/** A person's verdict on a reply of a run. */
export interface VerdictRecord extends VerdictKey {
  readonly choice: string;
  readonly value: number;
  readonly comment: string | null;
  readonly sampling: Sampling;
  /** Identifies the text and the choices of the question as they were asked. */
  readonly asked: string;
  readonly given_at: number;
}

/** A reply that was drawn to be judged and that a person skipped. */
export interface SkipRecord extends Omit<VerdictKey, "adjudication"> {
  readonly sampling: Sampling;
  readonly asked: string;
  readonly skipped_at: number;
}

/**
 * The source of truth about runs. A write is committed with fsync before it is acknowledged. Replies keep every code unit, NUL and
 * lone surrogates included.
 */
export interface Store {
  readonly runs: {
    /** Stores run, scenarios and attempts in one transaction, unless `mostUnfinished` is reached. A replayed key does not count as a new run. */
    create(run: NewRun, options?: { mostUnfinished?: UnfinishedLimits | undefined }): Promise<CreatedRun>;
    get(id: string): Promise<RunRecord | null>;
    /** The state alone, which is much cheaper to read than the whole run. */
    state(id: string): Promise<RunState | null>;
    /** A page may hold fewer than `limit` when runs are large, but at least one while any are left. */
    list(filter: RunFilter): Promise<RunPage>;
    scenarios(id: string): Promise<readonly Scenario[]>;
    /** The scenarios at `indexes`, in that order. */
    scenariosAt(id: string, indexes: readonly number[]): Promise<readonly Scenario[]>;
    countScenarios(id: string): Promise<number>;
    /** Makes this process the executor of a tied run for as long as the store is open. */
    carry(id: string): Promise<void>;
    /** queued → running; changes nothing in any other state. */
    start(id: string, at: number): Promise<void>;
    /** cancelling → cancelled, queued/running → another final state. False when the run is not in such a state. */
    finish(id: string, end: RunEnd): Promise<boolean>;
    /** The totals that were stored with this summary of the run; null without them. */
    scenarioTotals(run: Pick<RunRecord, "id" | "summary">): Promise<readonly ScenarioTotals[] | null>;
    /** Replaces the figures of an ended run. False when it does not exist or has not ended, or when `hold` is stale. */
    resummarize(id: string, figures: NewFigures, hold?: RescoreHold): Promise<boolean>;
    /**
     * Reserves an ended run for rescoring by this process until it releases the run or dies. Null when another process holds it,
     * or when there is no such ended run.
     */
    holdForRescore(id: string): Promise<RescoreHold | null>;
    releaseAfterRescore(hold: RescoreHold): Promise<void>;
    /** queued/running → cancelling; ready attempts become cancelled. False when the run has ended. */
    cancel(id: string): Promise<boolean>;
    /** Renames a run or replaces its tags. False when it does not exist. */
    change(id: string, changes: RunChanges): Promise<boolean>;
    /** Adds to `late_calls` of a run, in any state. */
    addLateCalls(id: string, count: number): Promise<void>;
    /** Deletes an ended run with all its data. False when it does not exist or has not ended. */
    remove(id: string): Promise<boolean>;
    /**
     * One short clean-up step: removes runs that ended before `ended_before` and the idempotency keys of ended runs created before
     * `keys_before` (null: none), and deletes a bounded part of the data of large removed runs. True when there is more to do.
     */
    tidy(options: { ended_before: number | null; keys_before: number | null }): Promise<boolean>;
    /** Unfinished runs whose attempts are all done or cancelled: a crash prevented their conclusion. */
    unconcluded(): Promise<readonly string[]>;
  };
  readonly attempts: {
    get(id: string): Promise<AttemptRecord | null>;
    /** Sorted by scenario and attempt, with a bounded number in memory at a time. */
    withInteractions(runId: string, scenarioIndex?: number): AsyncIterable<AttemptWithInteractions>;
    /** Attempts with at least one stored turn, sorted by scenario and attempt, in pages. */
    averages(runId: string): AsyncIterable<readonly AttemptAverages[]>;
    averagesOf(runId: string, scenarioIndexes: readonly number[]): Promise<readonly AttemptAverages[]>;
    /** Replaces the averages of an attempt during rescoring. False when the hold is stale. */
    reaverage(hold: RescoreHold, attempt: { attempt_id: string; average_scores: Scores }): Promise<boolean>;
  };
  readonly interactions: {
    ofAttempt(attemptId: string): Promise<readonly StoredInteraction[]>;
    /**
     * The turns of a run after number `seq`, oldest first. 0: from the first; `-Infinity`: including unscored ones. A page may hold
     * fewer than `limit` when texts are long, but at least one while any are left.
     */
    after(runId: string, seq: number, limit: number): Promise<TurnPage>;
    /** The scores of every scored turn, or of those without a reply, in pages. Many times faster than reading whole turns. */
    scored(runId: string, options?: { failed?: boolean; calls?: boolean }): AsyncIterable<readonly ScoredTurn[]>;
    /** False when the lease is stale or the turn is already stored. */
    store(lease: Lease, turn: NewTurn): Promise<boolean>;
    /** Adds scores to a stored reply, or to the one given in its place. False when the lease is stale. */
    score(
      lease: Lease,
      turn: { turn_index: number; scores: StoredScores; reply?: StoredReply | undefined },
    ): Promise<boolean>;
    /** Replaces the scores of several turns in one transaction. Returns their number; 0 when the hold is stale. */
    rescore(hold: RescoreHold, turns: readonly RescoredTurn[]): Promise<number>;
  };
  /** The steps of turns in a world. They are kept and deleted with their run. */
  readonly journal: {
    /** In the order they were written. */
    ofAttempt(attemptId: string): Promise<readonly JournalPart[]>;
    /** Adds entries to the journal of a turn, once per number. False when the lease is stale or the run was cancelled. */
    append(lease: Lease, part: JournalPart): Promise<boolean>;
  };
  readonly spans: SpanStore;
  /** Verdicts of people. They are kept and deleted with their run, and rescoring does not change them. */
  readonly verdicts: {
    /** In the order of scenario, attempt, turn, question and time. */
    ofRun(runId: string): Promise<readonly VerdictRecord[]>;
    /**
     * Stores and withdraws verdicts in one transaction. A reply that was chosen at random stays so, however its verdict is
     * replaced. False when the run does not exist.
     */
    change(
      runId: string,
      changes: {
        readonly put: readonly VerdictRecord[];
        readonly withdraw: readonly VerdictKey[];
        readonly skip?: readonly SkipRecord[];
      },
    ): Promise<boolean>;
    /** The replies that were skipped, also those that were judged later. */
    skips(runId: string): Promise<readonly SkipRecord[]>;
  };
  /** What there is to do, and who does it. */
  workload(): Promise<Workload>;
  /** Resolves when the store answers a query. */
  check(): Promise<void>;
  /** Rejects when the last write failed and writes still fail. */
  checkWrites(): Promise<void>;
  close(): Promise<void>;
}
