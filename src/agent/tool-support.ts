import type { ChatModel, ChatRequest, FailedReply, SuccessfulReply } from "../contract/ports/chat-model.ts";
import { asksForJson } from "./asks-for-json.ts";
import { holdBackCalls } from "./prompted/hold-back-calls.ts";
import { parseActions, parseLeftCalls, type ParsedReply } from "./prompted/parse-actions.ts";
import { toPromptedRequest } from "./prompted/to-prompted-request.ts";
import type { KnownTools } from "./prompted/trained-calls.ts";
import { newCallId } from "./tool-call-id.ts";

/** How one model uses tools, as its endpoint showed. */
interface ToolSupportFinding {
  readonly provider: string;
  readonly model_id: string;
  /** `prompted`: the endpoint refused tools, so they are described in the prompt. */
  readonly mode: "native" | "prompted";
  /** Milliseconds since 1970. */
  readonly found_at: number;
}

interface Target {
  readonly provider: string;
  readonly model_id: string;
}

/** Finds out for each model whether its endpoint takes tools. */
export interface ToolSupport {
  /**
   * The model, able to use tools one way or the other. `clientTools`: some of the tools are the client's own, which decide
   * nothing for anybody else.
   */
  wrap(target: Target & { readonly model: ChatModel; readonly clientTools?: boolean }): ChatModel;
  /** What was found so far, for the page. */
  list(): readonly ToolSupportFinding[];
}

/**
 * A call that an endpoint rejects because it takes no tools, or without a word why, is made once more with the tools in the
 * prompt. When that works, the model is remembered as one without tools for a day: the endpoint may have been changed since.
 * Any other rejection is told as it is. Some endpoints take tools, but not beside a wish for JSON (Groq, Gemini) or for an effort
 * (OpenAI): what a call with fields of its client's finds out holds for calls with the same fields.
 */
export function createToolSupport(options: Partial<FindingsOptions> = {}): ToolSupport {
  const findings = createFindings(options);

  return {
    wrap: ({ model, clientTools = false, ...target }) => {
      const prompted = withPromptedTools(model);
      return async (request, callOptions) => {
        const fields = fieldsOf(request);
        const general = findings.modeOf(target);
        const mode = general === "prompted" ? general : findings.modeOf(target, fields);
        if (mode === "prompted") return prompted(request, callOptions);
        const reply = await model(request, callOptions);
        const hasTools = Boolean(request.tools?.length);
        if (reply.ok) {
          if (general === null && hasTools) findings.remember(target, "native");
          if (mode === null && hasTools) findings.remember(target, "native", fields);
          return withLeftCalls(reply, request);
        }
        if (
          !mayBeTools(reply, { request, clientTools, isNew: mode === null && (general === null || asksJson(request)) })
        )
          return reply;
        const second = await prompted(request, callOptions);
        if (!second.ok) return reply;
        if (hasTools && !clientTools) findings.remember(target, "prompted", fields);
        return second;
      };
    },
    list: findings.list,
  };
}

const asksJson = ({ parameters }: ChatRequest) => asksForJson(parameters?.extra?.["response_format"]);

/** The fields a client asks for beside what every request has, as one text. Plain text is what comes anyway. */
function fieldsOf(request: ChatRequest): string {
  const names = Object.keys(request.parameters?.extra ?? {});
  const telling = names.filter((name) => name !== "response_format" || asksJson(request));
  return telling.toSorted().join(" ").slice(0, 256);
}

/** Whether the same may be taken with the tools in the prompt. `isNew`: the endpoint has not shown yet that it takes them so. */
function mayBeTools(
  reply: FailedReply,
  { request, clientTools, isNew }: { request: ChatRequest; clientTools: boolean; isNew: boolean },
): boolean {
  if (!mentionsTools(request)) return false;
  if (reply.error.refuses_tools || (reply.error.refuses_format && asksJson(request))) return true;
  return isNew && !clientTools && isVagueRejection(reply);
}

const mostFindings = 1000;

interface FindingsOptions {
  readonly now: () => number;
  readonly maximumAgeMs: number;
}

/** What was found out, of models as such and of models that are asked with certain fields. */
function createFindings({ now = Date.now, maximumAgeMs = 24 * 3600 * 1000 }: Partial<FindingsOptions>) {
  const findings = new Map<string, { readonly fields: string; readonly finding: ToolSupportFinding }>();
  const keyOf = ({ provider, model_id }: Target, fields: string) => JSON.stringify([provider, model_id, fields]);
  const isFresh = ({ found_at }: ToolSupportFinding) => now() - found_at <= maximumAgeMs;

  return {
    modeOf(target: Target, fields = ""): ToolSupportFinding["mode"] | null {
      const known = findings.get(keyOf(target, fields));
      return known && isFresh(known.finding) ? known.finding.mode : null;
    },
    remember({ provider, model_id }: Target, mode: ToolSupportFinding["mode"], fields = ""): void {
      const key = keyOf({ provider, model_id }, fields);
      // Taken out first, so that the oldest finding is always the first.
      findings.delete(key);
      const oldest = findings.keys().next();
      if (findings.size >= mostFindings && !oldest.done) findings.delete(oldest.value);
      findings.set(key, { fields, finding: { provider, model_id, mode, found_at: now() } });
    },
    list: () =>
      [...findings.values()].flatMap(({ fields, finding }) => (fields === "" && isFresh(finding) ? finding : [])),
  };
}

/**
 * Many endpoints reject tools without saying so. Of a model nothing is known about yet, and with tools that are ours and
 * therefore sound, that is worth a try. An empty account is about money, a filter about what was said, and who takes fewer tools takes tools.
 */
function isVagueRejection({ error }: FailedReply): boolean {
  if (error.refuses_content || error.too_many_tools || error.lacks_credit) return false;
  return error.code === "upstream_rejected";
}

function mentionsTools({ tools, messages }: ChatRequest): boolean {
  return Boolean(tools?.length) || messages.some((message) => message.role === "tool");
}

/**
 * Lets a model without native tools use them: they are described in the prompt, the calls are read out of its text.
 * To the caller it looks like any other model. Text streams up to the place where a call may begin.
 */
export function withPromptedTools(model: ChatModel): ChatModel {
  return async (request, { onText, ...options }) => {
    const known = knownTools(request);
    const prompted = toPromptedRequest(request);
    if (known.size === 0) return model(prompted, { ...options, ...(onText && { onText }) });
    const held = onText && holdBackCalls(onText);
    const reply = await model(prompted, { ...options, ...(held && { onText: held.onText }) });
    if (!reply.ok) return reply;
    const read = withCalls(reply, known);
    held?.finish(read.text);
    return read;
  };
}

/** The same reply, with the calls that its server left in the text. */
function withLeftCalls(reply: SuccessfulReply, { tools = [] }: ChatRequest): SuccessfulReply {
  if (reply.tool_calls.length > 0 || tools.length === 0) return reply;
  const read = parseLeftCalls(reply.text, new Map(tools.map(({ name, parameters }) => [name, parameters])));
  return read ? asking(reply, read) : reply;
}

/** Tools in the history count too: a model that saw calls may write another when none is offered, and that is no text. */
function knownTools({ tools = [], tool_choice, messages }: ChatRequest): KnownTools {
  const offered = tool_choice === "none" ? [] : tools;
  const called = messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
  return new Map([
    ...called.map(({ name }) => [name, null] as const),
    ...offered.map(({ name, parameters }) => [name, parameters] as const),
  ]);
}

function withCalls(reply: SuccessfulReply, known: KnownTools): SuccessfulReply {
  const read = parseActions(reply.text, known);
  return read.tool_calls.length === 0 ? reply : asking(reply, read);
}

/** Text has no ids. Counted, they would be the same in every conversation, and what belongs to one could be taken for another's. */
function asking(reply: SuccessfulReply, { text, tool_calls }: ParsedReply): SuccessfulReply {
  const finish_reason = reply.finish_reason === "length" ? "length" : "tool_calls";
  return { ...reply, text, tool_calls: tool_calls.map((call) => ({ ...call, id: newCallId() })), finish_reason };
}
