import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { AskedToolCall } from "../../../agent/loop/agent-outcome.ts";
import type { ToolCallEnd, CallJournal } from "../../../agent/loop/agent-run.ts";
import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { canonicalJson } from "../../../base/json.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors/errors.ts";
import type { ChatModel, Reply } from "../../../contract/ports/chat-model.ts";

type JournalDecisions = Readonly<Record<string, ApprovalDecision>>;

/** One step of a stored run: plain JSON. */
export type TurnJournalEntry =
  | { readonly type: "decided"; readonly decisions: JournalDecisions }
  /** `resolved`: the model that answered, which may be a fallback. */
  | { readonly type: "reply"; readonly call: number; readonly resolved: string; readonly reply: Reply }
  | { readonly type: "call-start"; readonly call: string }
  | { readonly type: "call-end"; readonly call: string; readonly ended: ToolCallEnd };

export interface TurnJournal {
  readonly calls: CallJournal;
  /** True when an earlier process called a tool. */
  readonly calledTools: boolean;
  /** The model with its stored replies: a new reply could contain other tool calls. */
  remember(model: ChatModel, route: RouteInUse): ChatModel;
  /** Stores the steps that could not be stored before. Rejects while the store still fails. */
  catchUp(): Promise<void>;
}

/** The model that answers now. A stored reply restores the one that gave it. */
interface RouteInUse {
  readonly resolved: () => string;
  readonly restore: (resolved: string) => void;
}

interface TurnJournalOptions {
  /** The steps that an earlier process stored before it died. */
  readonly done: readonly TurnJournalEntry[];
  /** The decisions about a run that waited for approval. */
  readonly decisions?: JournalDecisions;
  /** Stores one step. Rejects when another process has taken the run over. */
  readonly note: (entry: TurnJournalEntry) => Promise<void>;
}

/**
 * Stores each step of a run before the next one starts, so that another process can continue the run and repeats no step. Throws
 * when the decisions differ from those that an earlier process has begun to carry out.
 */
export function createTurnJournal({ done, decisions, note }: TurnJournalOptions): TurnJournal {
  const earlier = done.find((entry) => entry.type === "decided");
  if (earlier && decisions && !isDeepStrictEqual(toPlain(earlier.decisions), toPlain(decisions)))
    throw otherDecisions(earlier);
  const started = new Set(done.flatMap((entry) => (entry.type === "call-start" ? entry.call : [])));
  const ended = new Map(
    done.flatMap((entry) => (entry.type === "call-end" ? [[entry.call, entry.ended] as const] : [])),
  );
  // Indexed by number: a reply may be stored twice when the result of a commit was unknown.
  const replies = new Map(done.flatMap((entry) => (entry.type === "reply" ? [[entry.call, entry] as const] : [])));
  let modelCalls = 0;
  /** False after the first call without a stored reply: its new reply may lead elsewhere. */
  let isReplaying = true;
  const name = createCallNames();
  const names = new Map<string, string>();
  let decided: Promise<void> | null = decisions && !earlier ? null : Promise.resolve();
  let unstored: TurnJournalEntry[] = [];
  let failure: { readonly error: unknown } | null = null;

  /** The decisions are stored first: all steps follow from them. */
  async function append(entry: TurnJournalEntry): Promise<void> {
    try {
      if (decisions) await (decided ??= note({ type: "decided", decisions }));
      await note(entry);
    } catch (error) {
      failure = { error };
      throw error;
    }
  }

  /** For completed steps: they are kept in memory when the store fails. */
  async function appendDone(entry: TurnJournalEntry): Promise<void> {
    try {
      await append(entry);
    } catch (error) {
      if (isStoreFailure(error)) unstored.push(entry);
      throw error;
    }
  }

  return {
    calledTools: started.size > 0,
    calls: {
      async begin(asked) {
        const call = name(asked);
        names.set(asked.id, call);
        const known = ended.get(call);
        if (known) return known;
        if (started.has(call)) return "unknown";
        // The run has failed; further calls would run beside those of the process that continues it.
        if (failure) throw failure.error;
        await append({ type: "call-start", call });
        return null;
      },
      end: (id, end) => appendDone({ type: "call-end", call: names.get(id) ?? id, ended: end }),
    },
    remember(model, { resolved, restore }) {
      return async (request, options) => {
        modelCalls += 1;
        const call = modelCalls;
        const known = isReplaying ? replies.get(call) : undefined;
        if (known) {
          restore(known.resolved);
          return known.reply;
        }
        isReplaying = false;
        const reply = await model(request, options);
        // Another process asks again: this one stops.
        if (!reply.ok && reply.error.code === "shutting_down")
          throw new ServiceError("shutting_down", reply.error.detail);
        await appendDone({ type: "reply", call, resolved: resolved(), reply });
        return reply;
      };
    },
    async catchUp() {
      if (unstored.length === 0) return;
      // Written again in case this write was the one that failed; the first entry counts.
      if (decisions) await note({ type: "decided", decisions });
      for (const entry of unstored) await note(entry);
      unstored = [];
    },
  };
}

/**
 * Names a call by its tool, its arguments and how often they were used before. Its id would not do: an agent of another framework
 * may make parallel calls in another order when its turn runs again.
 */
function createCallNames(): (call: AskedToolCall) => string {
  const used = new Map<string, number>();
  return ({ name, args }) => {
    const hash = createHash("sha256").update(canonicalJson(args)).digest("base64url").slice(0, 22);
    const call = `${name} ${hash}`;
    const number = (used.get(call) ?? 0) + 1;
    used.set(call, number);
    return `${call} ${number}`;
  };
}

/** The decisions as the store returns them. */
const toPlain = (decisions: JournalDecisions): unknown => JSON.parse(JSON.stringify(decisions));

function otherDecisions({ decisions }: { decisions: JournalDecisions }): ServiceError {
  return new ServiceError(
    "validation_failed",
    "The run was resumed with other decisions before its process ended, and some of them have been carried out.",
    { hint: `Send these again: ${JSON.stringify(decisions).slice(0, 1000)}` },
  );
}
