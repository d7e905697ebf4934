import type { Lease, NewTurn } from "./store.ts";
import type { Scores } from "../schemas/score.ts";

export interface ClaimedAttempt {
  readonly lease: Lease;
  readonly run_id: string;
  readonly scenario_index: number;
  readonly attempt: number;
  /** How often it has been claimed, this time included. */
  readonly tries: number;
  /** How often its execution has broken before: not counted are stops, kills, lost leases and waits. */
  readonly breaks: number;
  /** It was under way when a process ran out of memory, twice in a row: whoever carries it out takes nothing else meanwhile. */
  readonly alone?: boolean;
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly average_scores: Scores;
  /** Its last turn, if that is not stored yet: both are written, or neither. */
  readonly turn?: NewTurn;
}

export interface ClaimOptions {
  readonly worker: string;
  /** Read when the claim is carried out, which may be later than it was asked for. */
  readonly limit: number;
  /**
   * So many more, for owners that have fewer attempts under way than are left of them: whoever fills the places with calls that take
   * long does not keep others waiting. Default: none.
   */
  readonly spare?: number;
  readonly perRun: number;
  /** The worker holds something: what is to be carried out alone is not for it yet, and nothing else is before that. */
  readonly busy?: boolean | undefined;
  /** Only attempts of these runs. Default: of any that is not tied to a process. */
  readonly runs?: ReadonlySet<string> | undefined;
}

/** Says who works on which attempt. The store says what is true; a lost queue could be rebuilt from it. */
export interface Queue {
  /**
   * Takes up to `limit` ready attempts, fairly: by priority, then the owner, then the run with the fewest running attempts,
   * never more of one run than its `concurrency` (or `perRun`) allows. Expired leases are taken back first.
   */
  claim(options: ClaimOptions): Promise<readonly ClaimedAttempt[]>;
  /** True when a claim that is asked for right after a finish can already take the place that becomes free. */
  readonly claimsFollowEnds?: boolean;
  /** Renews every lease of the worker. Returns the attempts that are no longer its own (taken over, cancelled). */
  heartbeat(worker: string, leases: readonly Lease[]): Promise<readonly string[]>;
  /** Ends an attempt. Tells whether the lease was still good and whether the run has nothing left to do. */
  finish(lease: Lease, end: AttemptEnd): Promise<{ finished: boolean; run_drained: boolean }>;
  /** Gives an attempt back, ready again after `delay_ms`: for a worker that stops, or, with `broke`, that could not carry it out. */
  release(lease: Lease, options?: { delay_ms?: number; broke?: boolean }): Promise<void>;
  /**
   * Takes back at once what workers of this host hold whose process has died. What was under way when memory ran out twice in a
   * row is carried out alone from then on; what was alone then counts as broken.
   */
  recover(): Promise<number>;
  /** Calls back when work may be waiting. Returns the unsubscriber. A poll stays as the floor. */
  onWork(wake: () => void): () => void;
  /**
   * Calls back, within 100 ms or so, when a run is being cancelled, by whichever process. Returns the unsubscriber.
   * Heartbeats stay as the floor.
   */
  onCancel(listener: (runId: string) => void): () => void;
}
