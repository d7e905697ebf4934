import { z } from "zod";
import { ApprovalDecisionBody } from "./agent-run.ts";
import type { ThreadKey } from "./agent-thread.ts";

/** Body of POST /agent/runs/{run_id}/resume: one decision for each tool call that waits, by its id. */
export const ResumeRequest = z
  .object({
    decisions: z
      .record(z.string(), ApprovalDecisionBody)
      .describe("Call id → `approve`, `deny`, or `{ args }` to approve with other arguments."),
  })
  .meta({ id: "ResumeRequest" });
export type ResumeRequest = z.infer<typeof ResumeRequest>;

/** What a run that waits for approval needs to go on: plain JSON that only the server ever holds. */
export interface WaitingRun<State = unknown> {
  readonly owner: string | null;
  readonly state: State;
  /** Milliseconds since 1970. */
  readonly expires_at: number;
}

/** Runs that wait. Each can be taken once, before it expires, by whoever owns it. */
export interface WaitingRuns<State = unknown> {
  put(runId: string, run: WaitingRun<State>): Promise<void>;
  /** Null when there is none that its owner could take. */
  get(runId: string, owner: string | null): Promise<WaitingRun<State> | null>;
  /** The id of a run of this thread that waits. */
  ofThread(key: ThreadKey): Promise<string | null>;
  /** Removes and returns it, in one step. Null when there is none. */
  take(runId: string, owner: string | null): Promise<WaitingRun<State> | null>;
}
