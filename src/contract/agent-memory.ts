import type { AgentAnswers } from "./agent-answers.ts";
import type { WaitingRuns } from "./agent-approval.ts";
import type { AgentRunLog } from "./agent-run-log.ts";
import type { AgentThreads } from "./agent-thread.ts";
import type { AgentTurnResult } from "./agent-turn-result.ts";

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
  /**
   * Keeps what a turn leaves behind, all of it or nothing, and gives its thread back. False when its key has its answer
   * already, or it, its thread or the run that was resumed has gone to another process, which took us for dead: nothing is kept then, and the thread is still held.
   * Rejects in the same way when its run would wait in a thread that was deleted during the turn.
   */
  endTurn(result: AgentTurnResult): Promise<boolean>;
  /** One short step: deletes what is too old, and ends the runs of processes that died. True when there is more to do. */
  tidy(retention: AgentRetention): Promise<boolean>;
}
