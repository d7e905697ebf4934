import type { RunPolicy } from "../schemas/endpoint-policy.ts";
import type { RunSettings } from "../schemas/evaluation-request.ts";
import type { StoredReply, StoredScores } from "../schemas/interaction-result.ts";
import type { Progress, RunState, RunSummary } from "../schemas/run.ts";
import type { Scenario } from "../schemas/scenario.ts";
import type { Scores } from "../schemas/score.ts";
import type { Warning } from "../schemas/problem.ts";

/** Times are milliseconds since 1970. Ids are UUIDv7 text. */
export interface NewRun {
  readonly id: string;
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  readonly warnings: readonly Warning[];
  readonly demo: boolean;
  readonly created_at: number;
  readonly priority?: number;
  /** The same key with the same hash is the same run. Keys are scoped by `owner`. */
  readonly idempotency?: { readonly key: string; readonly hash: string } | undefined;
  readonly owner?: string | null;
  /** What it tests lives in one process: only who claims for this run by name gets its attempts. */
  readonly tied?: boolean;
  /** Where its calls may go. Default: wherever the process that carries it out may call. */
  readonly policy?: RunPolicy | null;
}

export interface RunRecord {
  readonly id: string;
  readonly settings: RunSettings;
  readonly warnings: readonly Warning[];
  readonly demo: boolean;
  readonly owner: string | null;
  readonly priority: number;
  readonly tied: boolean;
  readonly policy: RunPolicy | null;
  /** It has not ended, and the process that alone could carry it out has gone. */
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
  /** As many runs as there may be, of this owner or in all, have not ended. */
  | { readonly outcome: "full"; readonly of: "owner" | "all" };

/** Runs that may be unfinished at a time; 0: any number. */
export interface MostUnfinished {
  readonly all: number;
  /** Of one owner. Runs without one are limited as all are. */
  readonly perOwner: number;
}

export interface RunFilter {
  readonly state?: RunState | undefined;
  readonly test_name?: string | undefined;
  readonly model_id?: string | undefined;
  /** Part of the test name or the model id, in any case. */
  readonly search?: string | undefined;
  /** Models whose runs a search finds whatever their id. */
  readonly search_model_ids?: readonly string[] | undefined;
  readonly owner?: string | null;
  readonly limit: number;
  /** Opaque, from the page before. Newest first. */
  readonly cursor?: string | undefined;
}

export interface RunPage {
  readonly runs: readonly RunRecord[];
  readonly next_cursor: string | null;
}

export type AttemptState = "ready" | "running" | "done" | "cancelled";

export interface AttemptRecord {
  readonly id: string;
  readonly run_id: string;
  readonly scenario_index: number;
  /** 1-based. */
  readonly attempt: number;
  readonly state: AttemptState;
  readonly average_scores: Scores | null;
}

export interface StoredInteraction {
  readonly attempt_id: string;
  readonly turn_index: number;
  readonly reply: StoredReply;
  /** null: the reply is stored, scoring it is still to do. */
  readonly scores: StoredScores | null;
}

/** A turn of an attempt that its writer holds. */
export type NewTurn = Omit<StoredInteraction, "attempt_id"> & {
  /**
   * Where it is counted: a turn of the `first` pass, the default, for its attempt and its run, one of a planned `second` pass for its
   * run alone, and one of a `replay`, which nobody planned, for neither.
   */
  readonly pass?: "first" | "second" | "replay";
};

/** A stored turn with its number in the order the turns of a run were stored, and the place it belongs to. */
export interface NumberedInteraction extends StoredInteraction {
  /**
   * Grows within a run, with gaps. Once a turn can be read, none with a smaller number will appear. Below 0 while its scores are
   * to come: it is numbered with them, or when the run ends without.
   */
  readonly seq: number;
  readonly scenario_index: number;
  readonly attempt: number;
}

export interface TurnPage {
  readonly turns: readonly NumberedInteraction[];
  /** Whether there were more when it was read. */
  readonly more: boolean;
}

/** What a stored turn was scored with, without its texts. */
export interface ScoredTurn {
  readonly scenario_index: number;
  readonly attempt: number;
  readonly turn_index: number;
  readonly scores: Scores;
  readonly scoring_version: string;
  /** What was said of the whole conversation, with its last turn. */
  readonly conversation: { readonly scores: Scores } | null;
  /** What measured likeness of meaning, and from where on it counts; null when nothing did. */
  readonly embedder: string | null;
  readonly baseline: number | null;
}

/** New scores for one turn of a run that has ended. */
export interface RescoredTurn {
  readonly attempt_id: string;
  readonly turn_index: number;
  readonly scores: StoredScores;
}

/** New figures of a run that has ended; what it is scored by, where that is not as before. */
export interface NewFigures {
  readonly summary: RunSummary;
  readonly message: string;
  readonly settings?: RunSettings;
  readonly scenarios?: readonly { readonly index: number; readonly scenario: Scenario }[];
}

/** What an attempt came to, without its turns. */
export type AttemptAverages = Pick<AttemptRecord, "scenario_index" | "attempt" | "state" | "average_scores"> & {
  /** How many turns of its first pass are stored. */
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

/** Proof that a process scores an ended run again, alone. A write with one that another has taken over changes nothing. */
export interface RescoreHold {
  readonly run_id: string;
  readonly token: string;
}

/**
 * What is true about runs. Every write that a caller is told about has been committed with fsync.
 * Replies keep every code unit, NUL and lone surrogates included.
 */
export interface Store {
  readonly runs: {
    /** Run, scenarios and attempts in one transaction; none of it when there are as many runs as `mostUnfinished` says. A replay is no new run. */
    create(run: NewRun, options?: { mostUnfinished?: MostUnfinished | undefined }): Promise<CreatedRun>;
    get(id: string): Promise<RunRecord | null>;
    /** Its state alone, which is much cheaper to read than all of it. */
    state(id: string): Promise<RunState | null>;
    /** Fewer than `limit` where runs are long, but at least one as long as there are any. */
    list(filter: RunFilter): Promise<RunPage>;
    scenarios(id: string): Promise<readonly Scenario[]>;
    /** Those at `indexes`, in the order asked for. */
    scenariosAt(id: string, indexes: readonly number[]): Promise<readonly Scenario[]>;
    countScenarios(id: string): Promise<number>;
    /** This process carries the run out from now on, if it is a tied one, for as long as the store is open. */
    carry(id: string): Promise<void>;
    /** queued → running; changes nothing in any other state. */
    start(id: string, at: number): Promise<void>;
    /** cancelling → cancelled, queued/running → another final state. False when the run is not like that (any more). */
    finish(id: string, end: { state: RunState; message: string; summary: RunSummary; at: number }): Promise<boolean>;
    /**
     * New figures for a run that has ended, and what they are made by. False when it does not exist or has not ended, and when
     * `hold` is stale.
     */
    resummarize(id: string, figures: NewFigures, hold?: RescoreHold): Promise<boolean>;
    /**
     * Lets this process alone score a run again, until it releases the run or dies. Null when another one does, and when there is
     * no such run that has ended.
     */
    holdForRescore(id: string): Promise<RescoreHold | null>;
    releaseAfterRescore(hold: RescoreHold): Promise<void>;
    /** queued/running → cancelling; its ready attempts become cancelled. False when the run had ended. */
    cancel(id: string): Promise<boolean>;
    /** Deletes an ended run and all that belongs to it. False when it does not exist or has not ended. */
    remove(id: string): Promise<boolean>;
    /**
     * One short step of tidying: takes runs away that ended before `ended_before`, forgets the idempotency keys of ended runs
     * that were made before `keys_before` (null: none), and deletes a bounded part of what large removed runs left behind.
     * True when there is more to do.
     */
    tidy(options: { ended_before: number | null; keys_before: number | null }): Promise<boolean>;
    /** Unfinished runs whose attempts are all done or cancelled: what a crash left to be concluded. */
    unconcluded(): Promise<readonly string[]>;
  };
  readonly attempts: {
    get(id: string): Promise<AttemptRecord | null>;
    /** In order of scenario and attempt, a bounded number held in memory at a time. */
    withInteractions(runId: string, scenarioIndex?: number): AsyncIterable<AttemptWithInteractions>;
    /** Those with at least one stored turn, in order of scenario and attempt, some at a time. */
    averages(runId: string): AsyncIterable<readonly AttemptAverages[]>;
    averagesOf(runId: string, scenarioIndexes: readonly number[]): Promise<readonly AttemptAverages[]>;
    /** New averages for an attempt of a run that is scored again. False when the hold is stale. */
    reaverage(hold: RescoreHold, attempt: { attempt_id: string; average_scores: Scores }): Promise<boolean>;
  };
  readonly interactions: {
    ofAttempt(attemptId: string): Promise<readonly StoredInteraction[]>;
    /**
     * The turns of a run after the one numbered `seq`, oldest first. 0: from the first; `-Infinity`: with those still to be scored.
     * Fewer than `limit` where their texts are long, but at least one as long as there are any.
     */
    after(runId: string, seq: number, limit: number): Promise<TurnPage>;
    /** Every scored turn of a run, or those without a reply, in pages: many times quicker than reading whole turns. */
    scored(runId: string, options?: { failed?: boolean }): AsyncIterable<readonly ScoredTurn[]>;
    /** False when the lease is stale or the turn is stored already. */
    store(lease: Lease, turn: NewTurn): Promise<boolean>;
    /** Adds scores to a stored reply. False when the lease is stale. */
    score(lease: Lease, turn: { turn_index: number; scores: StoredScores }): Promise<boolean>;
    /** Replaces the scores of turns of a run, together. Tells how many were replaced; none when the hold is stale. */
    rescore(hold: RescoreHold, turns: readonly RescoredTurn[]): Promise<number>;
  };
  /** Resolves when the store answers a query. */
  check(): Promise<void>;
  /** Rejects when it has refused the last write and still takes none. */
  checkWrites(): Promise<void>;
  close(): Promise<void>;
}
