import { isDeepStrictEqual } from "node:util";
import type { ToolCallEnd, CallJournal } from "../../../agent/loop/agent-run.ts";
import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors.ts";
import type { ChatModel, SuccessfulReply } from "../../../contract/ports/chat-model.ts";

type Decisions = Readonly<Record<string, ApprovalDecision>>;

/** One step of a resumed run: plain JSON. */
export type ResumeEntry =
  | { readonly type: "decided"; readonly decisions: Decisions }
  | { readonly type: "reply"; readonly call: number; readonly reply: SuccessfulReply }
  | { readonly type: "call-start"; readonly id: string }
  | { readonly type: "call-end"; readonly id: string; readonly ended: ToolCallEnd };

export interface ResumeJournal {
  readonly calls: CallJournal;
  /** The model with its stored replies: a new reply could contain other tool calls. */
  remember(model: ChatModel): ChatModel;
  /** Stores the steps that could not be stored before. Rejects while the store still fails. */
  catchUp(): Promise<void>;
}

interface ResumeJournalOptions {
  /** The steps that an earlier process stored before it died. */
  readonly done: readonly ResumeEntry[];
  readonly decisions: Decisions;
  /** Stores one step. Rejects when another process has taken the run over. */
  readonly note: (entry: ResumeEntry) => Promise<void>;
}

/**
 * Stores each step of a resumed run before the next one starts, so that a client whose run was killed can send its decisions again
 * and no step is repeated. Throws when the decisions differ from those that an earlier process has begun to carry out.
 */
export function createResumeJournal({ done, decisions, note }: ResumeJournalOptions): ResumeJournal {
  const earlier = done.find((entry) => entry.type === "decided");
  if (earlier && !isDeepStrictEqual(toPlain(earlier.decisions), toPlain(decisions))) throw otherDecisions(earlier);
  const started = new Set(done.flatMap((entry) => (entry.type === "call-start" ? entry.id : [])));
  const ended = new Map(done.flatMap((entry) => (entry.type === "call-end" ? [[entry.id, entry.ended] as const] : [])));
  // Indexed by number: a reply may be stored twice when the result of a commit was unknown.
  const replies = new Map(
    done.flatMap((entry) => (entry.type === "reply" ? [[entry.call, entry.reply] as const] : [])),
  );
  let decided: Promise<void> | null = earlier ? Promise.resolve() : null;
  let unstored: ResumeEntry[] = [];
  let failure: { readonly error: unknown } | null = null;

  /** The decisions are stored first: all steps follow from them. */
  async function append(entry: ResumeEntry): Promise<void> {
    try {
      await (decided ??= note({ type: "decided", decisions }));
      await note(entry);
    } catch (error) {
      failure = { error };
      throw error;
    }
  }

  /** For completed steps: they are kept in memory when the store fails. */
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
        // The run has failed; further calls would run beside those of the process that resumes it.
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
      // Written again in case this write was the one that failed; the first entry counts.
      await note({ type: "decided", decisions });
      for (const entry of unstored) await note(entry);
      unstored = [];
    },
  };
}

/** The decisions as the store returns them. */
const toPlain = (decisions: Decisions): unknown => JSON.parse(JSON.stringify(decisions));

function otherDecisions({ decisions }: { decisions: Decisions }): ServiceError {
  return new ServiceError(
    "validation_failed",
    "The run was resumed with other decisions before its process ended, and some of them have been carried out.",
    { hint: `Send these again: ${JSON.stringify(decisions).slice(0, 1000)}` },
  );
}
