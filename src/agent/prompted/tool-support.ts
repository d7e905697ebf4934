import { compact } from "../../base/compact.ts";
import type { ChatModel, ChatRequest, FailedReply, SuccessfulReply } from "../../contract/ports/chat-model.ts";
import { newCallId } from "../messages/tool-call-id.ts";
import { holdBackCalls } from "./hold-back-calls.ts";
import { parseActions, parseLeftCalls, type ParsedActions } from "./parse-actions.ts";
import { toPromptedRequest } from "./to-prompted-request.ts";
import type { KnownTools } from "./trained-calls.ts";

/** How one model uses tools, as learned from its endpoint. */
interface ToolSupportFinding {
  readonly provider: string;
  readonly model_id: string;
  /** `prompted`: the endpoint refused tools, so they are described in the prompt. */
  readonly mode: "native" | "prompted";
  /** Milliseconds since 1970. */
  readonly found_at: number;
}

interface PromptedTarget {
  readonly provider: string;
  readonly model_id: string;
}

/** Learns for each model whether its endpoint accepts tools. */
export interface ToolSupport {
  /**
   * The model with tools, native or in the prompt. `clientTools`: some of the tools come from the client; a refusal of those is not
   * remembered for others.
   */
  wrap(target: PromptedTarget & { readonly model: ChatModel; readonly clientTools?: boolean }): ChatModel;
  /** The findings so far, for the page. */
  list(): readonly ToolSupportFinding[];
}

/**
 * A call that an endpoint rejects because of its tools, or without a reason, is repeated with the tools in the prompt. If that works, the
 * model is remembered as one without tools for a day, because the endpoint may change. Any other rejection is returned unchanged. Some
 * endpoints accept tools, but not together with JSON output (Groq, Gemini) or a reasoning effort (OpenAI): a finding with such fields
 * applies only to calls with the same fields.
 */
export function createToolSupport(options: Partial<FindingsOptions> = {}): ToolSupport {
  const findings = createFindings(options);

  return {
    wrap: ({ model, clientTools = false, ...target }) => {
      const prompted = withPromptedTools(model);
      return async (request, callOptions) => {
        const fields = requestFields(request);
        const general = findings.modeOf(target);
        const mode = general === "prompted" || fields === "" ? general : findings.modeOf(target, fields);
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

/** The additional fields of a request, as one text. A response format of plain text is the default and does not count. */
function requestFields(request: ChatRequest): string {
  const names = Object.keys(request.parameters?.extra ?? {});
  const counted = names.filter((name) => name !== "response_format" || asksJson(request));
  return counted.toSorted().join(" ").slice(0, 256);
}

/** True when the call may succeed with the tools in the prompt. `isNew`: the endpoint has not accepted such a call yet. */
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

/** Findings per model, and per model with certain fields. */
function createFindings({ now = Date.now, maximumAgeMs = 24 * 3600 * 1000 }: Partial<FindingsOptions>) {
  const findings = new Map<string, { readonly fields: string; readonly finding: ToolSupportFinding }>();
  const keyOf = ({ provider, model_id }: PromptedTarget, fields: string) =>
    JSON.stringify([provider, model_id, fields]);
  const isFresh = ({ found_at }: ToolSupportFinding) => now() - found_at <= maximumAgeMs;

  return {
    modeOf(target: PromptedTarget, fields = ""): ToolSupportFinding["mode"] | null {
      const known = findings.get(keyOf(target, fields));
      return known && isFresh(known.finding) ? known.finding.mode : null;
    },
    remember({ provider, model_id }: PromptedTarget, mode: ToolSupportFinding["mode"], fields = ""): void {
      const key = keyOf({ provider, model_id }, fields);
      // Deleted first, so that the first entry is always the oldest.
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
 * Many endpoints reject tools without saying so. For an unknown model and our own, valid tools, another try is worthwhile. Not so for an
 * empty account, a content filter, or a limit on the number of tools, which is not about tools as such.
 */
function isVagueRejection({ error }: FailedReply): boolean {
  if (error.refuses_content || error.too_many_tools || error.lacks_credit) return false;
  return error.code === "upstream_rejected";
}

function mentionsTools({ tools, messages }: ChatRequest): boolean {
  return Boolean(tools?.length) || messages.some((message) => message.role === "tool");
}

/**
 * Lets a model without native tools use them: they are described in the prompt, and calls are parsed from its text. To the caller it
 * looks like any other model. Text streams up to where a call may begin.
 */
export function withPromptedTools(model: ChatModel): ChatModel {
  return async (request, { onText, ...options }) => {
    const known = knownTools(request);
    const prompted = toPromptedRequest(request);
    if (known.size === 0) return model(prompted, compact({ ...options, onText }));
    const held = onText && holdBackCalls(onText);
    const reply = await model(prompted, compact({ ...options, onText: held ? held.onText : undefined }));
    if (!reply.ok) return reply;
    const read = withCalls(reply, known);
    held?.finish(read.text);
    return read;
  };
}

/** The reply with the calls that its server left in the text. */
function withLeftCalls(reply: SuccessfulReply, { tools = [] }: ChatRequest): SuccessfulReply {
  if (reply.tool_calls.length > 0 || tools.length === 0) return reply;
  const read = parseLeftCalls(reply.text, new Map(tools.map(({ name, parameters }) => [name, parameters])));
  return read ? withToolCalls(reply, read) : reply;
}

/** Includes tools of the history: a model that saw calls may write another even when no tool is offered. */
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
  return read.tool_calls.length === 0 ? reply : withToolCalls(reply, read);
}

/** Calls in text have no ids. Numbered ids would repeat across conversations and could be confused. */
function withToolCalls(reply: SuccessfulReply, { text, tool_calls }: ParsedActions): SuccessfulReply {
  const finish_reason = reply.finish_reason === "length" ? "length" : "tool_calls";
  return { ...reply, text, tool_calls: tool_calls.map((call) => ({ ...call, id: newCallId() })), finish_reason };
}

const jsonFormats = new Set<unknown>(["json_object", "json_schema"]);

/** True when a `response_format` of OpenAI makes the reply JSON. */
export function asksForJson(format: unknown): boolean {
  return typeof format === "object" && format !== null && "type" in format && jsonFormats.has(format.type);
}
