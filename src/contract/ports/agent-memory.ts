import type { ErrorCode } from "../errors/errors.ts";
import type { AgentReply, AgentThread, AgentThreadSummary, ThreadMessage } from "../schemas/agent/agent-message.ts";
import type { AgentRunEntry, AgentRunState, AgentRunSummary, AgentWire } from "../schemas/agent/agent-run.ts";

/** How long recorded runs and threads are kept; null keeps them forever. */
export interface AgentRetention {
  readonly runMs: number | null;
  /** Counted from the last turn of a thread. */
  readonly threadMs: number | null;
}

/** The agent's stored state, shared by every process on the same database. */
export interface AgentMemory {
  readonly runLog: AgentRunLog;
  readonly threads: AgentThreads;
  readonly openRuns: OpenRuns;
  readonly answers: AgentAnswers;
  readonly handovers: AgentHandovers;
  readonly responses: AgentResponses;
  /**
   * Stores a turn before its first model call: from now on any process can finish it. Rejects when another process considered this
   * one dead and took over its key or its thread.
   */
  acceptTurn(runId: string, run: AcceptedRun): Promise<void>;
  /**
   * Stores the result of a turn in one transaction and releases its thread. False, with nothing stored and the thread still held,
   * when the key is already answered, or when another process considered this one dead and took over the key, the thread or the
   * stored run. Rejects with `not_found` when the run would wait in a thread that was deleted during the turn.
   */
  endTurn(result: AgentTurnResult): Promise<boolean>;
  /** One short step: deletes expired data and ends the runs of dead processes. True when there is more to do. */
  tidy(retention: AgentRetention): Promise<boolean>;
}

export interface ThreadKey {
  readonly owner: string | null;
  readonly id: string;
}

interface AgentThreadFilter {
  readonly owner: string | null;
  readonly limit: number;
  /** Opaque, from the previous page. */
  readonly cursor?: string | undefined;
}

interface AgentThreadPage {
  readonly threads: readonly AgentThreadSummary[];
  readonly next_cursor: string | null;
}

/** A message of a thread. `sent`: the same message as its wire said it, when that is more: images, or a text of arguments. */
export type StoredMessage = ThreadMessage & { readonly sent?: unknown };

export interface StoredThread extends Omit<AgentThread, "messages"> {
  readonly messages: readonly StoredMessage[];
}

/** Stored threads. A thread is created when its first turn ends: see `AgentMemory.endTurn`. */
export interface AgentThreads {
  get(key: ThreadKey): Promise<StoredThread | null>;
  /** The owner's threads, the one with the latest turn first. */
  list(filter: AgentThreadFilter): Promise<AgentThreadPage>;
  /**
   * Locks the thread for one turn, so that its turns follow each other across processes. False while another process holds it;
   * the locks of a dead process are free. Within one process the caller keeps the order.
   */
  hold(key: ThreadKey): Promise<boolean>;
  /** Releases the thread without adding to it. */
  release(key: ThreadKey): Promise<void>;
  /**
   * Deletes the thread with its recorded and waiting runs. A run in progress continues, but its turn is not added to the thread.
   * False when there was nothing to delete.
   */
  remove(key: ThreadKey): Promise<boolean>;
}

/** The response to a turn, stored for requests that repeat its Idempotency-Key. */
export type StoredAnswer = StoredReply | StoredFailure;

export interface StoredReply {
  readonly reply: AgentReply;
  readonly headers: Readonly<Record<string, string>>;
}

/** A failure that must not be tried again under its key: it would repeat, or a tool had been called. */
export interface StoredFailure {
  readonly failure: { readonly code: ErrorCode; readonly detail: string; readonly hint?: string };
  readonly headers: Readonly<Record<string, string>>;
}

/** Keys are scoped by owner; `hash` is the hash of the request body. */
export interface AnswerKey {
  readonly owner: string | null;
  readonly key: string;
  readonly hash: string;
}

export type AnswerClaim =
  | { readonly outcome: "claimed" }
  /** A process is working on it. The run is known once its turn is accepted. */
  | { readonly outcome: "running"; readonly runId?: string }
  /** The process of the accepted turn died, or gave it back. */
  | { readonly outcome: "lost"; readonly run: LostRun }
  | { readonly outcome: "answered"; readonly answer: StoredAnswer }
  | { readonly outcome: "mismatch" };

/** Answers by Idempotency-Key, kept for a day. A claim ends with its turn: see `AgentMemory.endTurn`. */
export interface AgentAnswers {
  /** Atomic: of two concurrent claims of one key, only one is `claimed`. */
  claim(key: AnswerKey): Promise<AnswerClaim>;
  /** Releases the claim of a turn that failed or was cancelled; the key may be used again. Keeps that of a stored run. */
  release(key: AnswerKey): Promise<void>;
}

/** A run that has not ended, with the state that any process needs to finish it: plain JSON that never leaves the server. */
export interface OpenRun<State = unknown> {
  readonly owner: string | null;
  readonly thread_id: string | null;
  readonly state: State;
}

/** A run that waits for approval. */
export interface WaitingRun<State = unknown> extends OpenRun<State> {
  /** Milliseconds since 1970. */
  readonly expires_at: number;
}

/** A turn that is executed by one process and, when that one dies, by another. */
export interface AcceptedRun<State = unknown> extends OpenRun<State> {
  /** The claimed Idempotency-Key. */
  readonly answer_key: AnswerKey | null;
  /** The response to store with the turn. */
  readonly response?: Pick<StoredResponse, "previous" | "request"> | undefined;
}

/** A run that this process took. `done` lists the steps that earlier processes carried out. */
interface TakenRun<Run, Step> {
  readonly run: Run;
  readonly done: readonly Step[];
}

/** An accepted run without a living process. */
export interface LostRun {
  readonly runId: string;
  readonly thread: ThreadKey | null;
}

/**
 * Runs that have not ended: accepted turns, and runs that wait for approval. Each is taken by one process at a time and stored until
 * it has ended. When the process of an accepted run dies, any process may recover it; a run that waited waits again.
 */
export interface OpenRuns<Waiting = unknown, Accepted = unknown, Step = unknown> {
  /** A waiting run that its owner could take now; null when there is none. */
  get(runId: string, owner: string | null): Promise<WaitingRun<Waiting> | null>;
  /** The first open run of this thread. The caller holds the thread. */
  ofThread(key: ThreadKey): Promise<{ readonly runId: string; readonly waits: boolean } | null>;
  /** Assigns a waiting run to this process. Null when its owner has none. */
  take(runId: string, owner: string | null): Promise<TakenRun<WaitingRun<Waiting>, Step> | null>;
  /** Accepted runs without a living process, the oldest first. */
  lost(): Promise<readonly LostRun[]>;
  /**
   * Assigns a lost run and its key to this process; null when another process was faster. `tries` counts the processes that took it
   * since its last step.
   */
  recover(runId: string): Promise<(TakenRun<OpenRun<Accepted>, Step> & { readonly tries: number }) | null>;
  /**
   * Stores one completed step of a run taken here. Rejects with `run_not_finished` when another process considered this one dead and
   * took the run, and with `run_cancelled` when the run is to end.
   */
  note(runId: string, step: Step): Promise<void>;
  /** Ends an accepted run before its next step, in whatever process. False when its owner has none. */
  cancel(runId: string, owner: string | null): Promise<boolean>;
  /** Returns a run taken here, for this or another process to take. Its completed steps, if any, have been noted. */
  giveBack(runId: string): Promise<void>;
}

/** A response of the Responses API, by the id of its run. Requests and bodies are plain JSON. */
export interface StoredResponse<Request = unknown, Body = unknown> {
  readonly runId: string;
  /** The run of the response that it continues. */
  readonly previous: string | null;
  readonly threadId: string | null;
  readonly request: Request;
  /** Null while the turn has not ended. */
  readonly body: Body | null;
}

/**
 * Responses that clients continue, read and delete by their id. One is stored when its turn is accepted and completed when it ends. A
 * chain of responses is kept as long as a thread: from its last turn; those of a thread are deleted with it.
 */
export interface AgentResponses {
  get(runId: string, owner: string | null): Promise<StoredResponse | null>;
  /**
   * The response with all that it continues, the first one first. Null when its owner has none, or when one of those before it was
   * deleted.
   */
  chain(runId: string, owner: string | null): Promise<readonly StoredResponse[] | null>;
  /** The responses of these runs, as far as their owner has them. */
  many(runIds: readonly string[], owner: string | null): Promise<readonly StoredResponse[]>;
  /** False when its owner has none. A turn in progress continues, and is not stored. */
  remove(runId: string, owner: string | null): Promise<boolean>;
}

/** The log of one run. Its first entry is `run-start`. */
export interface AgentRunRecord {
  readonly id: string;
  readonly entries: readonly AgentRunEntry[];
}

export interface AgentRunFilter {
  readonly owner: string | null;
  readonly state?: AgentRunState | undefined;
  readonly wire?: AgentWire | undefined;
  /** The model id of the request, before it was resolved. */
  readonly model_id?: string | undefined;
  readonly thread_id?: string | undefined;
  readonly limit: number;
  /** Opaque, from the previous page. Pages are newest first. */
  readonly cursor?: string | undefined;
}

export interface AgentRunPage {
  readonly runs: readonly AgentRunSummary[];
  readonly next_cursor: string | null;
}

/**
 * The logs of the agent's runs. Append-only: each entry is stored once, so the cost of a run grows linearly with its length. Whole
 * runs are deleted by age. Ids are UUIDv7 text and sort by time.
 */
export interface AgentRunLog {
  /**
   * Contract: returns at once and never throws, because a turn must not wait for its log or fail with it. Entries of a run stay in
   * order, and later reads see them as soon as they can be stored. A killed process may lose its last entries.
   */
  append(runId: string, entry: AgentRunEntry): void;
  /** Resolves once the entries added to a run are stored or dropped. Until then they are in memory. */
  written(runId: string): Promise<void>;
  /** Stores all entries now. Rejects while that fails. */
  flush(): Promise<void>;
  /** Null when there is no such run of this owner. Rejects while entries of the run cannot be stored. */
  get(runId: string, owner: string | null): Promise<AgentRunRecord | null>;
  /** Lists stored runs, even while new entries cannot be stored. */
  list(filter: AgentRunFilter): Promise<AgentRunPage>;
}

/** The data to store at the end of a turn. */
export interface AgentTurnResult {
  /** The messages to add to its thread. */
  readonly thread?: { readonly key: ThreadKey; readonly messages: readonly StoredMessage[] } | undefined;
  /** The thread to release when the run waits and adds nothing yet. */
  readonly held?: ThreadKey | undefined;
  /** The id of the stored run that ends, unless `waiting` is set. */
  readonly ended?: string | undefined;
  /** The run, when it waits for approval. */
  readonly waiting?: { readonly runId: string; readonly run: WaitingRun } | undefined;
  /** The body of the response that was stored when the turn was accepted. */
  readonly response?: { readonly runId: string; readonly body: unknown } | undefined;
  /** The answer for the claimed Idempotency-Key. */
  readonly answer?: { readonly key: AnswerKey; readonly stored: StoredAnswer } | undefined;
}

/**
 * The agent's own tool steps behind a reply that hands tool calls to the client. `key` is a hash of the conversation up to those
 * calls, the calls and the owner; `state` is plain JSON.
 */
interface AgentHandover {
  readonly key: string;
  readonly owner: string | null;
  readonly runId: string;
  readonly state: unknown;
}

/** Handovers, kept for an hour so that the follow-up request finds the steps in any process and after a restart. */
export interface AgentHandovers {
  put(handover: AgentHandover): Promise<void>;
  /** States of the stored handovers by key. Each owner sees only its own. */
  get(owner: string | null, keys: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
}
