import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { AgentRunLog, ThreadKey } from "../../../contract/ports/agent-memory.ts";
import type { StoredRun, StoredRuns, TurnStorage } from "./stored-run.ts";
import type { Turn, TurnRequest } from "./turn.ts";

/**
 * Resumes a run whose tool calls waited for approval. Of two requests that decide about the same run, one resumes it. The run
 * waits again only when its process dies or the store fails before it has ended.
 */
export type ResumeRun = (options: ResumeTurnOptions) => Promise<Turn>;

interface ResumeTurnOptions {
  readonly runId: string;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
  readonly headers: Pick<TurnRequest, "owner" | "requestId" | "trace">;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

interface RunResumerOptions {
  readonly runLog: AgentRunLog;
  readonly openRuns: TurnStorage;
  readonly stored: StoredRuns;
  readonly tools: () => readonly Tool[];
  readonly inThread: (key: ThreadKey, signal: AbortSignal, resume: () => Promise<Turn>) => Promise<Turn>;
  /** Rejects when the decisions do not fit the run; nothing has happened then. */
  readonly start: (request: TurnRequest, options: { runId: string; stored: StoredRun }) => Promise<Turn>;
}

export function createRunResumer({
  runLog,
  openRuns,
  stored,
  tools: toolsNow,
  inThread,
  start,
}: RunResumerOptions): ResumeRun {
  async function stillWaiting<Found>(found: Found | null, runId: string, owner: string | null): Promise<Found> {
    if (found) return found;
    if (!(await runLog.get(runId, owner))) unknownRun(runId);
    throw new ServiceError("run_already_finished", `The run ${runId} no longer waits for approval.`, {
      hint: "Each approval counts once and expires; read the run with GET /agent/runs/{run_id}. If its process was killed just now, try again in 15 seconds.",
    });
  }

  async function resume({ runId, decisions, headers, stream }: ResumeTurnOptions): Promise<Turn> {
    const { owner, requestId, trace } = headers;
    const { run, done } = await stillWaiting(await openRuns.take(runId, owner), runId, owner);
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
      response: state.response,
    };
    try {
      const { pending } = state;
      return await start(request, { runId, stored: stored.open(runId, { done, resumed: { pending, decisions } }) });
    } catch (error) {
      // Nothing has run: the decisions do not fit, or the model is not available. The run keeps waiting.
      await openRuns.giveBack(runId);
      throw error;
    }
  }

  return async (options) => {
    const { runId, headers, signal } = options;
    const { owner } = headers;
    await stored.finishReturn(runId);
    const { thread } = (await stillWaiting(await openRuns.get(runId, owner), runId, owner)).state;
    // The run is taken only after its thread is held, so that no other turn comes between the two.
    return thread ? inThread({ owner, id: thread.id }, signal, () => resume(options)) : resume(options);
  };
}

export function unknownRun(id: string): never {
  throw new ServiceError("run_not_found", `There is no agent run ${JSON.stringify(id.slice(0, 64))}.`, {
    hint: "GET /agent/runs lists the runs you can read; old runs are deleted.",
  });
}
