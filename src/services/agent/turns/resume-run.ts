import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors.ts";
import type { AgentMemory, ThreadKey, WaitingRuns } from "../../../contract/ports/agent-memory.ts";
import { retryStoreWrite } from "../../../runs/execute/store-outage.ts";
import type { Resumption } from "./agent-turn.ts";
import { createResumeJournal, type ResumeEntry } from "./resume-journal.ts";
import type { WaitingState } from "./store-turns.ts";
import type { Turn, TurnRequest } from "./turn.ts";

/**
 * Resumes a run whose tool calls waited for approval. Of two requests that decide about the same run, one resumes it. The run
 * waits again only when its process dies or the store fails before it has ended.
 */
export type ResumeRun = (options: ResumeOptions) => Promise<Turn>;

interface ResumeOptions {
  readonly runId: string;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
  readonly headers: Pick<TurnRequest, "owner" | "requestId" | "trace">;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

interface RunResumerOptions {
  readonly memory: Pick<AgentMemory, "runLog" | "waitingRuns">;
  readonly tools: () => readonly Tool[];
  /** Aborts when the process stops. */
  readonly overdue: AbortSignal;
  readonly inThread: (key: ThreadKey, signal: AbortSignal, resume: () => Promise<Turn>) => Promise<Turn>;
  /** Rejects when the decisions do not fit the run; nothing has happened then. */
  readonly start: (request: TurnRequest, options: { runId: string; resumption: Resumption }) => Promise<Turn>;
}

export function createRunResumer({ memory, tools: toolsNow, overdue, inThread, start }: RunResumerOptions): ResumeRun {
  const { runLog } = memory;
  // Only `storeTurns` and this function write there.
  const waitingRuns = memory.waitingRuns as WaitingRuns<WaitingState, ResumeEntry>;
  const returns = createReturns({ signal: overdue });

  async function stillWaiting<Found>(found: Found | null, runId: string, owner: string | null): Promise<Found> {
    if (found) return found;
    if (!(await runLog.get(runId, owner))) unknownRun(runId);
    throw new ServiceError("run_already_finished", `The run ${runId} no longer waits for approval.`, {
      hint: "Each approval counts once and expires; read the run with GET /agent/runs/{run_id}. If its process was killed just now, try again in 15 seconds.",
    });
  }

  async function resume({ runId, decisions, headers, stream }: ResumeOptions): Promise<Turn> {
    const { owner, requestId, trace } = headers;
    const { run, done } = await stillWaiting(await waitingRuns.take(runId, owner), runId, owner);
    const { state } = run;
    const offered = new Set(state.tools);
    const request: TurnRequest = {
      owner,
      requestId,
      trace,
      wire: state.wire,
      modelId: state.model_id,
      fallbacks: state.fallbacks,
      messages: state.pending.history,
      tools: toolsNow().filter(({ definition }) => offered.has(definition.name)),
      clientTools: state.client_tools,
      parameters: state.parameters ?? undefined,
      stream,
      thread: state.thread,
    };
    try {
      const journal = createResumeJournal({ done, decisions, note: (entry) => waitingRuns.note(runId, entry) });
      const resumption: Resumption = {
        pending: state.pending,
        decisions,
        journal,
        drop: () => waitingRuns.drop(runId),
        giveBack: () => returns.begin(runId, () => journal.catchUp().then(() => waitingRuns.giveBack(runId))),
      };
      return await start(request, { runId, resumption });
    } catch (error) {
      // Nothing has run: the decisions do not fit, or the model is not available. The run keeps waiting.
      await waitingRuns.giveBack(runId);
      throw error;
    }
  }

  return async (options) => {
    const { runId, headers, signal } = options;
    const { owner } = headers;
    await returns.finish(runId);
    const { thread } = (await stillWaiting(await waitingRuns.get(runId, owner), runId, owner)).state;
    // The run is taken only after its thread is held, so that no other turn comes between the two.
    return thread ? inThread({ owner, id: thread.id }, signal, () => resume(options)) : resume(options);
  };
}

export function unknownRun(id: string): never {
  throw new ServiceError("run_not_found", `There is no agent run ${JSON.stringify(id.slice(0, 64))}.`, {
    hint: "GET /agent/runs lists the runs you can read; old runs are deleted.",
  });
}

/** Runs that continued after a decision until the store failed. They wait again as soon as the store accepts that. */
interface Returns {
  /** Retries until the store has accepted the run back. */
  begin(runId: string, giveBack: () => Promise<void>): void;
  /** Tries once more now, for a client that decides about the run. Rejects while the store still fails. */
  finish(runId: string): Promise<void>;
}

interface Return {
  readonly giveBack: () => Promise<void>;
  trying: Promise<void> | null;
}

/** `signal` aborts when the process stops; the next process then finds its runs as after a kill. */
function createReturns({ signal }: { signal: AbortSignal }): Returns {
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
