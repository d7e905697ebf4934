import type { Lease, NewTurn } from "./store.ts";
import type { Scores } from "../schemas/scores/score.ts";

export interface ClaimedAttempt {
  readonly lease: Lease;
  readonly run_id: string;
  readonly scenario_index: number;
  readonly attempt: number;
  /** Number of claims, this one included. */
  readonly tries: number;
  /** Number of earlier executions that broke, not counting stops, kills, lost leases and waits. */
  readonly breaks: number;
  /** Set when a process broke down while it ran: the worker must run nothing else beside it. */
  readonly alone?: boolean;
  /** Set when a process broke down again while it ran alone: the worker must not execute it, but end its run. */
  readonly fatal?: boolean;
}

export interface AttemptEnd {
  readonly average_scores: Scores;
  /** The last turn, if it is not stored yet. It is written in the same transaction. */
  readonly turn?: NewTurn;
}

export interface ClaimOptions {
  readonly worker: string;
  /** A getter may be passed: it is read when the claim is carried out, which may be later than the call. */
  readonly limit: number;
  /**
   * Extra slots for owners with fewer running attempts than free slots, so that an owner with long calls does not block the
   * others. Default: none.
   */
  readonly spare?: number;
  readonly perRun: number;
  /** The worker holds other attempts: it gets none that must run `alone`, and nothing queued behind one. */
  readonly busy?: boolean | undefined;
  /** Only attempts of these runs. Default: all runs that are not tied to a process. */
  readonly runs?: ReadonlySet<string> | undefined;
}

/** Assigns attempts to workers. The store is the source of truth; a lost queue could be rebuilt from it. */
export interface Queue {
  /**
   * Takes up to `limit` ready attempts in fair order: by priority, then the owner, then the run with the fewest running attempts,
   * never more of one run than its `concurrency` (or `perRun`) allows. Expired leases are reclaimed first.
   */
  claim(options: ClaimOptions): Promise<readonly ClaimedAttempt[]>;
  /** True when a claim made right after a finish can already take the attempt it frees. */
  readonly claimsFollowEnds?: boolean;
  /** Renews every lease of the worker. Returns the attempts it has lost (taken over or cancelled). */
  heartbeat(worker: string, leases: readonly Lease[]): Promise<readonly string[]>;
  /** Ends an attempt. `finished`: the lease was still valid. `run_drained`: the run has no attempts left. */
  finish(lease: Lease, end: AttemptEnd): Promise<{ finished: boolean; run_drained: boolean }>;
  /** Returns an attempt to the queue, ready after `delay_ms`: for a worker that stops or, with `broke`, whose execution failed. */
  release(lease: Lease, options?: { delay_ms?: number; broke?: boolean }): Promise<void>;
  /**
   * Reclaims the attempts of dead worker processes on this host. One that was in progress when its process broke down (it ran out of
   * memory or stood still) runs `alone` the next time; one that already did is `fatal`.
   */
  recover(): Promise<number>;
  /** Runs whose workers died again and again, each reported until it has ended. Missing where that is not counted. */
  takeAbandoned?(): readonly string[];
  /** Calls back when work may be waiting. Returns the unsubscriber. Callers poll as well. */
  onWork(wake: () => void): () => void;
  /**
   * Calls back within about 100 ms when any process cancels a run. Returns the unsubscriber. Heartbeats report cancelled
   * attempts as well.
   */
  onCancel(listener: (runId: string) => void): () => void;
}
