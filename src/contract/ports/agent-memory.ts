import type { AgentMessage, AgentReply, AgentThread } from "../schemas/agent-message.ts";
import type { AgentRunEntry, AgentRunState, AgentRunSummary, AgentWire } from "../schemas/agent-run.ts";

/** How long things are kept; null: for good. */
export interface AgentRetention {
  readonly runMs: number | null;
  /** Since their last turn. */
  readonly threadMs: number | null;
}

/** What the agent remembers, shared by every process on the same database. */
export interface AgentMemory {
  readonly runLog: AgentRunLog;
  readonly threads: AgentThreads;
  readonly waitingRuns: WaitingRuns;
  readonly answers: AgentAnswers;
  readonly handovers: AgentHandovers;
  /**
   * Keeps what a turn leaves behind, all of it or nothing, and gives its thread back. False when its key has its answer
   * already, or it, its thread or the run that was resumed has gone to another process, which took us for dead: nothing is kept then, and the thread is still held.
   * Rejects in the same way when its run would wait in a thread that was deleted during the turn.
   */
  endTurn(result: AgentTurnResult): Promise<boolean>;
  /** One short step: deletes what is too old, and ends the runs of processes that died. True when there is more to do. */
  tidy(retention: AgentRetention): Promise<boolean>;
}

export interface ThreadKey {
  readonly owner: string | null;
  readonly id: string;
}

/** Where threads are kept. A thread begins with the first turn that ends in it: see `AgentMemory.endTurn`. */
export interface AgentThreads {
  get(key: ThreadKey): Promise<AgentThread | null>;
  /**
   * Takes the thread for one turn, so that turns of one thread follow each other whichever process they come to. False
   * while another process has it; what a process held is free again once it has died. Within one process the caller
   * sees to the order.
   */
  hold(key: ThreadKey): Promise<boolean>;
  /** Gives the thread back, when nothing was added to it. */
  release(key: ThreadKey): Promise<void>;
  /**
   * Forgets it with its runs and what waits in it for approval, but for a run that is under way, whose turn is not added to it. False
   * when there was none of it.
   */
  remove(key: ThreadKey): Promise<boolean>;
}

/** A turn's answer, kept so that the same Idempotency-Key gets it again. */
export interface StoredAnswer {
  readonly reply: AgentReply;
  readonly headers: Readonly<Record<string, string>>;
}

/** Who asked for what: keys are scoped by owner, `hash` stands for the body. */
export interface AnswerKey {
  readonly owner: string | null;
  readonly key: string;
  readonly hash: string;
}

export type AnswerClaim =
  | { readonly outcome: "claimed" }
  /** Another process works on it. */
  | { readonly outcome: "running" }
  | { readonly outcome: "answered"; readonly answer: StoredAnswer }
  | { readonly outcome: "mismatch" };

/** Answers by Idempotency-Key, for a day. A claim ends with its turn: see `AgentMemory.endTurn`. */
export interface AgentAnswers {
  /** Atomic: of two that claim the same key at once, one is told `claimed`. */
  claim(key: AnswerKey): Promise<AnswerClaim>;
  /** Gives up a claim: the turn failed or was cancelled, and the key may be used again. */
  release(key: AnswerKey): Promise<void>;
}

/** What a run that waits for approval needs to go on: plain JSON that only the server ever holds. */
export interface WaitingRun<State = unknown> {
  readonly owner: string | null;
  readonly state: State;
  /** Milliseconds since 1970. */
  readonly expires_at: number;
}

/** A run that somebody decided about, with what was done of it before by a process that died. */
interface TakenRun<State = unknown, Entry = unknown> {
  readonly run: WaitingRun<State>;
  readonly done: readonly Entry[];
}

/**
 * Runs that wait. Each can be taken once, before it expires, by whoever owns it. It stays until it has ended: when the process
 * that took it dies before that, it waits again.
 */
export interface WaitingRuns<State = unknown, Entry = unknown> {
  put(runId: string, run: WaitingRun<State>): Promise<void>;
  /** Null when there is none that its owner could take. */
  get(runId: string, owner: string | null): Promise<WaitingRun<State> | null>;
  /** The id of a run of this thread that waits. */
  ofThread(key: ThreadKey): Promise<string | null>;
  /** Makes it one that this process carries out. Null when there is none. */
  take(runId: string, owner: string | null): Promise<TakenRun<State, Entry> | null>;
  /** Stores one thing that was done of a run that was taken here. Rejects when another process has it, which took us for dead. */
  note(runId: string, entry: Entry): Promise<void>;
  /** One that was taken here waits as before: nothing was done, or what was done is noted. */
  giveBack(runId: string): Promise<void>;
  /** One that was taken here has ended and leaves nothing behind. */
  drop(runId: string): Promise<void>;
}

/** One run as it is kept: its entries, the first of which is its `run-start`. */
export interface AgentRunRecord {
  readonly id: string;
  readonly entries: readonly AgentRunEntry[];
}

export interface AgentRunFilter {
  readonly owner: string | null;
  readonly state?: AgentRunState | undefined;
  readonly wire?: AgentWire | undefined;
  /** As it was asked for. */
  readonly model_id?: string | undefined;
  readonly thread_id?: string | undefined;
  readonly limit: number;
  /** Opaque, from the page before. Newest first. */
  readonly cursor?: string | undefined;
}

export interface AgentRunPage {
  readonly runs: readonly AgentRunSummary[];
  readonly next_cursor: string | null;
}

/**
 * What runs of the agent did. Entries are only ever added; each is stored once, so a run costs what it said, not the
 * square of it. Runs are dropped as a whole, by age. Ids are UUIDv7 text: their order is time.
 */
export interface AgentRunLog {
  /**
   * Contract: returns at once and never throws, since a turn must not wait for its own record or fail with it. Entries
   * of a run are kept in order, and a read that follows sees them as soon as they can be stored. A process that is killed may lose those of its last
   * moments.
   */
  append(runId: string, entry: AgentRunEntry): void;
  /** Resolves when what was added of a run is stored, or was given up. Until then it is in memory. */
  written(runId: string): Promise<void>;
  /** Null when there is none, or when it is another owner's. Rejects while entries of it cannot be stored. */
  get(runId: string, owner: string | null): Promise<AgentRunRecord | null>;
  /** What is stored, also while nothing more can be. */
  list(filter: AgentRunFilter): Promise<AgentRunPage>;
}

/** What a turn leaves behind. */
export interface AgentTurnResult {
  /** What it adds to its thread. */
  readonly thread?: { readonly key: ThreadKey; readonly messages: readonly AgentMessage[] } | undefined;
  /** Its thread, when it adds nothing to it yet, since its run waits. */
  readonly held?: ThreadKey | undefined;
  /** The id of its run, when that went on after a decision: it does not wait any more, unless it waits again. */
  readonly resumed?: string | undefined;
  /** Its run, when that waits for approval. */
  readonly waiting?: { readonly runId: string; readonly run: WaitingRun } | undefined;
  /** Its answer, for the Idempotency-Key it has claimed. */
  readonly answer?: { readonly key: AnswerKey; readonly stored: StoredAnswer } | undefined;
}

/**
 * The steps of own tools that belong to a reply which hands tool calls to the client. `key` is a hash of the conversation up to those
 * calls, the calls and the owner; `state` is plain JSON.
 */
interface AgentHandover {
  readonly key: string;
  readonly owner: string | null;
  readonly runId: string;
  readonly state: unknown;
}

/** Where hand-overs are kept for an hour, so that the follow-up finds the steps in any process and after a restart. */
export interface AgentHandovers {
  put(handover: AgentHandover): Promise<void>;
  /** The states of those that are still kept, by their keys. Each owner sees only its own. */
  get(owner: string | null, keys: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
}
