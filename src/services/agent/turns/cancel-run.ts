import { ServiceError } from "../../../contract/errors/errors.ts";
import type { AgentMemory } from "../../../contract/ports/agent-memory.ts";
import type { TurnStorage } from "./stored-run.ts";
import { unknownRun } from "./resume-run.ts";
import type { Turn } from "./turn.ts";

/** Ends a run of this owner that has not ended. An accepted turn of another process ends before its next step. */
export type CancelRun = (runId: string, owner: string | null) => Promise<void>;

/** A turn of this process; `turn` is null once it has ended. */
export interface RunningTurn {
  readonly owner: string | null;
  turn: Turn | null;
}

interface CancelRunOptions extends Pick<AgentMemory, "runLog" | "endTurn"> {
  readonly openRuns: TurnStorage;
  readonly running: (runId: string) => RunningTurn | undefined;
}

export function createCancelRun({ runLog, openRuns, endTurn, running }: CancelRunOptions): CancelRun {
  return async (runId, owner) => {
    const here = running(runId);
    const turn = here?.owner === owner ? here.turn : null;
    const isOpen = await openRuns.cancel(runId, owner);
    if (turn) {
      turn.cancel();
      await turn.outcome.catch(() => {});
      return;
    }
    if (isOpen) return;
    const waiting = await openRuns.take(runId, owner);
    if (waiting) {
      const { usage, model_calls, tool_calls, duration_ms } = waiting.run.state.pending.totals;
      const totals = { usage, cost: null, model_calls, tool_calls: tool_calls.length, duration_ms };
      const record = await runLog.get(runId, owner);
      const start = record?.entries.findLast((entry) => entry.type === "run-end");
      runLog.append(runId, {
        ...totals,
        type: "run-end",
        at: Date.now(),
        model_resolved: start?.model_resolved ?? waiting.run.state.model_id,
        state: "cancelled",
        finish_reason: null,
        text: null,
        error: null,
      });
      await endTurn({ ended: runId });
      return;
    }
    const record = await runLog.get(runId, owner);
    if (!record) unknownRun(runId);
    throw new ServiceError("run_already_finished", `The run ${runId} has ended, or only its client can end it.`);
  };
}
