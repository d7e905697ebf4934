import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import type { WaitingRuns } from "../../../contract/ports/agent-memory.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import type { TurnHeaders } from "./read-turn-headers.ts";
import { createResumeJournal, type ResumeEntry } from "./resume-journal.ts";
import type { Turn } from "./turn.ts";
import type { WaitingState } from "./waiting-state.ts";

interface ResumeOptions {
  readonly runId: string;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
  readonly headers: Pick<TurnHeaders, "owner" | "requestId" | "trace">;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

/**
 * Goes on with a run whose tool calls waited for approval. Each waits once: of two that decide, one goes on. Only when its process
 * dies or the store fails before it has ended does it wait again.
 */
export async function resumeWaitingRun(
  { tools: toolsNow }: Pick<AgentDependencies, "tools">,
  { turns, inThread, runLog, leftRuns, ...parts }: AgentParts,
  { runId, decisions, headers: { owner, requestId, trace }, stream, signal }: ResumeOptions,
): Promise<Turn> {
  // What is kept there was put there by `storeTurns` and by what follows, and by nothing else.
  const waitingRuns = parts.waitingRuns as WaitingRuns<WaitingState, ResumeEntry>;

  async function stillWaiting<Found>(found: Found | null): Promise<Found> {
    if (found) return found;
    if (!(await runLog.get(runId, owner))) unknownRun(runId);
    throw new ServiceError("run_already_finished", `The run ${runId} does not wait for approval any more.`, {
      hint: "Each approval counts once and expires; read the run with GET /agent/runs/{run_id}. If its process was killed just now, try again in 15 seconds.",
    });
  }

  async function resume(): Promise<Turn> {
    const { run: waiting, done } = await stillWaiting(await waitingRuns.take(runId, owner));
    const { state } = waiting;
    const tools = toolsNow();
    const offered = new Set(state.tools);
    try {
      const journal = createResumeJournal({ done, decisions, note: (entry) => waitingRuns.note(runId, entry) });
      return await turns.resume(waiting, {
        runId,
        decisions,
        journal,
        drop: () => waitingRuns.drop(runId),
        leave: () => leftRuns.leave(runId, () => journal.catchUp().then(() => waitingRuns.giveBack(runId))),
        owner,
        requestId,
        trace,
        wire: state.wire,
        modelId: state.model_id,
        fallbacks: state.fallbacks,
        tools: tools.filter(({ definition }) => offered.has(definition.name)),
        clientTools: state.client_tools,
        parameters: state.parameters ?? undefined,
        stream,
        thread: state.thread,
      });
    } catch (error) {
      // Nothing has run: the decisions did not fit, or the model is not there. The run can still be decided about.
      await waitingRuns.giveBack(runId);
      throw error;
    }
  }

  await leftRuns.settle(runId);
  // Taken only once its thread is ours: no other turn comes between the two.
  const { thread } = (await stillWaiting(await waitingRuns.get(runId, owner))).state;
  return thread ? inThread({ owner, id: thread.id }, signal, resume) : resume();
}

export function unknownRun(id: string): never {
  throw new ServiceError("run_not_found", `There is no run ${JSON.stringify(id.slice(0, 64))} of the agent.`, {
    hint: "GET /agent/runs lists the runs you can read; old ones are dropped.",
  });
}
