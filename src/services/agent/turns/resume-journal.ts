import { isDeepStrictEqual } from "node:util";
import type { ToolCallEnd, CallJournal } from "../../../agent/loop/agent-run.ts";
import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors.ts";
import type { ChatModel, SuccessfulReply } from "../../../contract/ports/chat-model.ts";

type Decisions = Readonly<Record<string, ApprovalDecision>>;

/** One thing that was done after a decision: plain JSON. */
export type ResumeEntry =
  | { readonly type: "decided"; readonly decisions: Decisions }
  | { readonly type: "reply"; readonly call: number; readonly reply: SuccessfulReply }
  | { readonly type: "call-start"; readonly id: string }
  | { readonly type: "call-end"; readonly id: string; readonly ended: ToolCallEnd };

export interface ResumeJournal {
  readonly calls: CallJournal;
  /** The model, whose stored replies are given again instead of asking for new ones: those would make other calls. */
  remember(model: ChatModel): ChatModel;
  /** Stores what was done and could not be stored then. Rejects while that still cannot be. */
  catchUp(): Promise<void>;
}

interface ResumeJournalOptions {
  /** What was done before the process that did it died. */
  readonly done: readonly ResumeEntry[];
  readonly decisions: Decisions;
  /** Stores one thing more. Rejects when the run is not ours any more. */
  readonly note: (entry: ResumeEntry) => Promise<void>;
}

/**
 * What happens after a decision, step by step on the disk, so that a client whose run was killed can send its decisions again: what
 * was done is not done twice. Throws when these are others than those that were carried out.
 */
export function createResumeJournal({ done, decisions, note }: ResumeJournalOptions): ResumeJournal {
  const earlier = done.find((entry) => entry.type === "decided");
  if (earlier && !isDeepStrictEqual(toPlain(earlier.decisions), toPlain(decisions))) throw otherDecisions(earlier);
  const started = new Set(done.flatMap((entry) => (entry.type === "call-start" ? entry.id : [])));
  const ended = new Map(done.flatMap((entry) => (entry.type === "call-end" ? [[entry.id, entry.ended] as const] : [])));
  // By their number: what was written by a commit of which nobody knew whether it took place may be there twice.
  const replies = new Map(
    done.flatMap((entry) => (entry.type === "reply" ? [[entry.call, entry.reply] as const] : [])),
  );
  let decided: Promise<void> | null = earlier ? Promise.resolve() : null;
  let unstored: ResumeEntry[] = [];
  let failure: { readonly error: unknown } | null = null;

  /** The decisions come first: whatever was done was done because of them. */
  async function append(entry: ResumeEntry): Promise<void> {
    try {
      await (decided ??= note({ type: "decided", decisions }));
      await note(entry);
    } catch (error) {
      failure = { error };
      throw error;
    }
  }

  /** For what has been done already: a store that fails loses nothing of it. */
  async function appendDone(entry: ResumeEntry): Promise<void> {
    try {
      await append(entry);
    } catch (error) {
      if (isStoreFailure(error)) unstored.push(entry);
      throw error;
    }
  }

  return {
    calls: {
      async begin(id) {
        const known = ended.get(id);
        if (known) return known;
        if (started.has(id)) return "unknown";
        // The run has broken off: calls of it that were to come would be made beside those of whoever goes on with it.
        if (failure) throw failure.error;
        await append({ type: "call-start", id });
        return null;
      },
      end: (id, end) => appendDone({ type: "call-end", id, ended: end }),
    },
    remember(model) {
      let calls = 0;
      return async (request, options) => {
        calls += 1;
        const call = calls;
        const known = replies.get(call);
        if (known) return known;
        const reply = await model(request, options);
        if (reply.ok) await appendDone({ type: "reply", call, reply });
        return reply;
      };
    },
    async catchUp() {
      if (unstored.length === 0) return;
      // Written again in case it was this that failed: the first one counts.
      await note({ type: "decided", decisions });
      for (const entry of unstored) await note(entry);
      unstored = [];
    },
  };
}

/** As it comes back from the store. */
const toPlain = (decisions: Decisions): unknown => JSON.parse(JSON.stringify(decisions));

function otherDecisions({ decisions }: { decisions: Decisions }): ServiceError {
  return new ServiceError(
    "validation_failed",
    "The run went on with other decisions before its process ended, and part of them has been carried out.",
    { hint: `Send these again: ${JSON.stringify(decisions).slice(0, 1000)}` },
  );
}
