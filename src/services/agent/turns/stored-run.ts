import type { PendingRun } from "../../../agent/loop/agent-outcome.ts";
import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { compact } from "../../../base/compact.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors/errors.ts";
import type { OpenRuns } from "../../../contract/ports/agent-memory.ts";
import type { ModelParameters, ToolDefinition } from "../../../contract/ports/chat-model.ts";
import type { AgentWire } from "../../../contract/schemas/agent/agent-run.ts";
import { retryStoreWrite } from "../../../runs/stored/store-outage.ts";
import { createTurnJournal, type TurnJournalEntry, type TurnJournal } from "./turn-journal.ts";
import type { TurnRequest } from "./turn.ts";

/** The parts of a request that are needed to continue its run: plain JSON. */
export interface StoredRequest {
  readonly wire: AgentWire;
  readonly model_id: string;
  readonly fallbacks: readonly string[];
  /** Names of the built-in and configured tools that the request may use. */
  readonly tools: readonly string[];
  readonly client_tools: readonly ToolDefinition[];
  readonly parameters: ModelParameters | null;
  readonly thread: TurnRequest["thread"];
  readonly response?: NonNullable<TurnRequest["response"]>;
}

/** A run that waits for approval. */
export interface WaitingState extends StoredRequest {
  readonly pending: PendingRun;
}

/** A turn that was accepted: its whole request. */
export interface AcceptedState extends StoredRequest {
  readonly messages: TurnRequest["messages"];
  readonly hides_steps?: boolean;
  readonly world: string | null;
  readonly stream: boolean;
  readonly is_async: boolean;
  readonly answer_key: TurnRequest["answerKey"] | null;
  readonly request_id: string;
  readonly trace: TurnRequest["trace"] | null;
  /** Milliseconds since 1970. */
  readonly accepted_at: number;
}

/** The open runs as this service stores them. */
export type TurnStorage = OpenRuns<WaitingState, AcceptedState, TurnJournalEntry>;

export function toStoredRequest(request: TurnRequest): StoredRequest {
  return {
    wire: request.wire,
    model_id: request.modelId ?? "",
    fallbacks: request.fallbacks,
    tools: request.tools.map((tool) => tool.definition.name),
    client_tools: request.clientTools ?? [],
    parameters: request.parameters ?? null,
    thread: request.thread,
    ...compact({ response: request.response }),
  };
}

/** The stored state of a run in the hands of the turn that executes it. */
export interface StoredRun {
  readonly journal: TurnJournal;
  /** The run waited for approval, and these are the decisions. */
  readonly resumed?: {
    readonly pending: PendingRun;
    readonly decisions: Readonly<Record<string, ApprovalDecision>>;
  };
  /** The run began in another process. */
  readonly recovered?: true;
  /** Milliseconds since 1970. */
  readonly startedAt?: number;
  /** Lets the run be taken again, by any process, once the store accepts that. */
  readonly giveBack: () => void;
}

export interface StoredRuns {
  /** The run of `runId`, which this process has taken or accepted. */
  open(
    runId: string,
    options: Omit<StoredRun, "journal" | "giveBack"> & { done: readonly TurnJournalEntry[] },
  ): StoredRun;
  /** Tries once more to give the run back now. Rejects while the store still fails. */
  finishReturn(runId: string): Promise<void>;
}

/** `signal` aborts when the process stops; the next process then finds its runs as after a kill. */
export function createStoredRuns(openRuns: TurnStorage, signal: AbortSignal): StoredRuns {
  const returns = createReturns(signal);
  return {
    open(runId, { done, ...rest }) {
      const journal = createTurnJournal({
        done,
        ...(rest.resumed && { decisions: rest.resumed.decisions }),
        note: (entry) => fromStore(openRuns.note(runId, entry)),
      });
      const giveBack = () => returns.begin(runId, () => journal.catchUp().then(() => openRuns.giveBack(runId)));
      return { ...rest, journal, giveBack };
    },
    finishReturn: returns.finish,
  };
}

/** Whatever the store fails with, the run is intact and is continued later. */
export async function fromStore<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("storage_unavailable", "The run could not be stored. It is continued later.", { cause });
  }
}

/** Runs that continued until the store failed. They can be taken again as soon as the store accepts that. */
interface Returns {
  /** Retries until the store has accepted the run back. */
  begin(runId: string, giveBack: () => Promise<void>): void;
  finish(runId: string): Promise<void>;
}

interface Return {
  readonly giveBack: () => Promise<void>;
  trying: Promise<void> | null;
}

function createReturns(signal: AbortSignal): Returns {
  const open = new Map<string, Return>();

  // One try at a time: a second one could return a run that another client has taken since the first.
  function finish(runId: string): Promise<void> {
    const run = open.get(runId);
    if (!run) return Promise.resolve();
    return (run.trying ??= tryOnce(runId, run));
  }

  async function tryOnce(runId: string, run: Return): Promise<void> {
    try {
      await run.giveBack();
      open.delete(runId);
    } catch (error) {
      run.trying = null;
      // Any other error means that another process has taken the run over, because this one seemed dead.
      if (!isStoreFailure(error)) open.delete(runId);
      throw error;
    }
  }

  return {
    begin(runId, giveBack) {
      open.set(runId, { giveBack, trying: null });
      void retryStoreWrite(() => finish(runId), { signal, onRefused() {} }).catch(() => {});
    },
    finish,
  };
}
