import type { AnswerKey, StoredAnswer } from "./agent-answers.ts";
import type { WaitingRun } from "./agent-approval.ts";
import type { AgentMessage } from "./agent-message.ts";
import type { ThreadKey } from "./agent-thread.ts";

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
