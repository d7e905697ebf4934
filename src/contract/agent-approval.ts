import { z } from "zod";
import { ApprovalDecisionBody } from "./agent-run.ts";
import type { ThreadKey } from "./agent-thread.ts";

/** Body of POST /agent/runs/{run_id}/resume: one decision for each tool call that waits, by its id. */
export const ResumeRequest = z
  .object({
    decisions: z
      .record(z.string(), ApprovalDecisionBody)
      .describe(
        "Call id → `approve`, `deny`, `{ deny }` with the reason, or `{ args }` to approve with other arguments.",
      ),
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
