import type { ErrorCode } from "../errors/errors.ts";
import type { ContextPassage } from "../schemas/acting/context.ts";
import type { Metadata } from "../schemas/scenario.ts";

/** One tool call requested by a model. `arguments` is the text the model wrote and may be invalid JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly echo?: OpaqueMetadata;
}

/**
 * Provider data that must be sent back unchanged with a tool call: Gemini's signatures, DeepSeek's reasoning, Claude's thinking.
 * These providers reject a conversation with tools that lacks it.
 */
export interface OpaqueMetadata {
  /** The provider it came from, the only one it is sent to. Absent when a client supplied it: then it is sent to any provider. */
  readonly from?: string;
  /** Fields of the call. */
  readonly call?: Readonly<Record<string, unknown>>;
  /** Fields of the message, kept with its first call. */
  readonly message?: Readonly<Record<string, unknown>>;
}

/** A tool call that the endpoint made and answered itself, as far as it reports it. `arguments` is text like those of `ToolCall`. */
export interface ReportedToolCall extends Omit<ToolCall, "echo"> {
  /** Absent when the call failed or its result is unknown. */
  readonly result?: unknown;
  readonly error?: string;
  readonly ms?: number;
  /** The report has no arguments where they are looked for: they are not known, which is not the same as none. */
  readonly arguments_unknown?: true;
}

/** An image in a user's message. Only the provider opens it. */
export interface ImagePart {
  readonly type: "image";
  /** An http(s) URL or a data URL. */
  readonly url: string;
  /** OpenAI's `detail`: the resolution at which the model reads the image. */
  readonly detail?: string;
  readonly cache_control?: CacheControl;
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: CacheControl;
}

export type UserPart = TextPart | ImagePart;

/** `parts` is set when the message has images. `content` always holds the text, for code that stores, counts or shows it. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string;
  readonly parts?: readonly UserPart[];
  readonly name?: string;
  readonly cache_marks?: readonly CacheMark[];
}

/**
 * One message of a conversation, in the form that every provider adapter translates. `name` distinguishes speakers of one role.
 * `cache_marks` are sorted by `end`; a message with `parts` has them there instead.
 */
export type ChatMessage =
  | {
      readonly role: "system";
      readonly content: string;
      readonly name?: string;
      readonly cache_marks?: readonly CacheMark[];
    }
  | UserMessage
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly tool_calls?: readonly ToolCall[];
      /** Calls that the agent answered itself. Sent only by protocols whose history has them. */
      readonly answered_calls?: readonly ReportedToolCall[];
      readonly name?: string;
      readonly cache_marks?: readonly CacheMark[];
      /** The unchanged content of a reply that its provider paused. The model continues when it is sent back. */
      readonly paused?: readonly unknown[];
    }
  | {
      readonly role: "tool";
      readonly content: string;
      readonly tool_call_id: string;
      readonly name?: string;
      readonly cache_marks?: readonly CacheMark[];
    };

/** A tool as the model sees it. `parameters` is a JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Asks the provider to enforce the schema for the model's arguments. */
  readonly strict?: boolean | undefined;
  /** Asks the provider to cache the tools up to this one. */
  readonly cache_control?: CacheControl;
}

/** Sampling settings passed to the model. `extra` is merged into the provider's body, as far as its API accepts it. */
export interface ModelParameters {
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly seed?: number | undefined;
  readonly stop?: string | readonly string[] | undefined;
  /** False: at most one tool call at a time. Sent only with tools, because providers reject it without. */
  readonly parallel_tool_calls?: boolean | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Requires the reply to be JSON that matches `schema`; adapters use the provider's structured output. */
export interface ReplyFormat {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolDefinition[];
  readonly tool_choice?: "auto" | "none" | "required";
  readonly parameters?: ModelParameters;
  readonly format?: ReplyFormat;
}

/** Tokens of one call as counted by the provider. The details are the provider's own objects. */
export interface TokenUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: Readonly<Record<string, unknown>> | null;
  readonly completion_tokens_details: Readonly<Record<string, unknown>> | null;
}

/** The reason a model gave no usable reply. `detail` never contains text of the provider; `upstream_…` does. */
export interface ReplyError {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly upstream_status: number | null;
  readonly tries: number;
  readonly retryable: boolean;
  readonly retry_after_ms?: number;
  /** The beginning of the answer, without secrets, for the owner of the call. Only where the operator allows it. */
  readonly upstream_message?: string;
  /** `message` and `param` of an error in OpenAI's form, under the same condition. */
  readonly upstream_error?: { readonly message: string; readonly param: string | null };
  /** The endpoint does not support tools for this model. */
  readonly refuses_tools?: true;
  /** The endpoint supports tools for this model, but fewer. */
  readonly too_many_tools?: true;
  /** The endpoint does not support structured output for this model. */
  readonly refuses_format?: true;
  /** A content filter of the endpoint rejected the conversation. */
  readonly refuses_content?: true;
  /** The account at the endpoint has no credit; the request itself may be fine. */
  readonly lacks_credit?: true;
  /** The provider could not parse the model's tool call. A retry may succeed. */
  readonly unreadable_call?: true;
}

export interface SuccessfulReply {
  readonly ok: true;
  readonly text: string;
  /** The model's reasoning, if the provider reports it. Shown, but never scored as part of the reply. */
  readonly reasoning?: string;
  readonly refusal: string | null;
  readonly tool_calls: readonly ToolCall[];
  /** Calls of an agent's own tools before this reply. Absent when the answer does not say which tools were called. */
  readonly reported_calls?: readonly ReportedToolCall[];
  /** Set when the answer shows that none of these calls repeats one of an earlier turn. */
  readonly calls_of_turn?: true;
  /** Set when the answer could not show tool calls: that it shows none does not mean that none were made. */
  readonly calls_unseen?: true;
  /** Passages that the endpoint retrieved for this reply, if it reports them. */
  readonly context?: readonly ContextPassage[] | undefined;
  readonly finish_reason: string;
  readonly usage: TokenUsage | null;
  readonly model: string;
  readonly completion_id: string;
  readonly system_fingerprint: string | null;
  readonly service_tier: string | null;
  readonly logprobs: Readonly<Record<string, unknown>> | null;
  /** Labels that the endpoint attached to the reply, if any. */
  readonly metadata: Metadata | null;
  readonly latency_ms: number;
  readonly first_token_ms: number | null;
  readonly tries: number;
  /** The session at the endpoint, where it keeps one. */
  readonly session_id?: string;
  /** What the agent said before the user's first message. */
  readonly greeting?: string;
  /** Set when the provider paused: the content to send back for the rest. Adapters do this themselves. */
  readonly paused?: readonly unknown[];
}

export interface FailedReply {
  readonly ok: false;
  readonly error: ReplyError;
  readonly latency_ms: number;
}

/** A model's answer. A provider failure is an answer too: the runner records it and continues. */
export type Reply = SuccessfulReply | FailedReply;

/** The conversation that a call belongs to, for endpoints that keep conversations themselves. */
export interface ChatSession {
  /** Ours: one for each pass through a scenario, the same after a restart. */
  readonly id: string;
  /** The id that the endpoint gave in an earlier turn. */
  readonly issued?: string | undefined;
  /** The address of a private MCP server with the tools of the attempt's world. */
  readonly world_url?: string | undefined;
}

/** W3C trace context of a call, as header values: the spans of whoever answers belong to the turn. */
export interface TraceContext {
  readonly traceparent: string;
  readonly baggage: string;
}

export interface ChatOptions {
  readonly signal: AbortSignal;
  /** Sent with every request of the call. Default: none. */
  readonly trace?: TraceContext | undefined;
  /** Default: the call belongs to no conversation. */
  readonly session?: ChatSession;
  /** How many turns of the session came before, and the signal of its end: for endpoints whose process remembers it. */
  readonly progress?: {
    readonly turns: number;
    readonly end: AbortSignal;
    /** Adds work for the end of the session, which is awaited. */
    readonly onEnd: (work: () => Promise<void>) => void;
  };
  /** Called with each piece of text as it arrives. Setting it makes the adapter stream. */
  readonly onText?: (text: string) => void;
  /** Called with each piece of reasoning, if the provider reports it and the adapter streams. */
  readonly onReasoning?: (text: string) => void;
  /** Streams without a listener, if the endpoint can, to measure the time to the first token. */
  readonly stream?: boolean;
  /**
   * Called when the endpoint limits its rate (with the requested wait, if any), is overloaded or timed out, even if the call is
   * retried, so that other calls slow down at once.
   */
  readonly onRefused?: (retryAfterMs: number | undefined) => void;
  /** When the endpoint requests a longer wait, the call fails and reports it instead of waiting. */
  readonly longestWaitMs?: number;
  /** Asked for memory as the reply arrives, before more of it is kept. False ends the call with `overloaded`. */
  readonly admitBytes?: (bytes: number) => boolean;
}

/** Contract: resolves with a failed `Reply`; rejects only when `signal` aborts, or with `shutting_down` instead of waiting. */
export type ChatModel = (request: ChatRequest, options: ChatOptions) => Promise<Reply>;

/** Failures that a retry of the same request cannot fix: the rest of the attempt fails without calls. */
export const permanentFailures: ReadonlySet<ErrorCode> = new Set([
  "upstream_auth",
  "model_not_found",
  "endpoint_address_refused",
  "endpoint_not_allowed",
  "world_limit",
]);

/** Anthropic's `cache_control`: `{ "type": "ephemeral" }`, possibly with a `ttl`. Passed through unchanged. */
export type CacheControl = Readonly<Record<string, unknown>>;

/** Asks the provider to cache the conversation up to this point, so that the next request with the same beginning costs less. */
export interface CacheMark {
  /** Number of characters of the message's content before the mark. */
  readonly end: number;
  readonly control: CacheControl;
}

interface MarkedText {
  readonly text: string;
  readonly cache_control?: CacheControl;
}

/** The cache marks of a text that was sent in parts. */
export function toCacheMarks(
  parts: readonly { readonly text: string; readonly cache_control?: CacheControl | null | undefined }[],
): readonly CacheMark[] {
  let end = 0;
  return parts.flatMap(({ text, cache_control: control }) => {
    end += text.length;
    return control ? [{ end, control }] : [];
  });
}

/** Splits a text at its cache marks. No part is blank, because providers reject blank parts. */
export function splitAtMarks(text: string, marks: readonly CacheMark[] = []): readonly MarkedText[] {
  const parts: MarkedText[] = [];
  let start = 0;
  let read = 0;
  let blank = true;
  for (const { end, control } of marks) {
    // Only new text is read: thousands of marks in a long blank text would otherwise take minutes.
    blank &&= text.slice(read, end).trim() === "";
    read = end;
    if (blank) continue;
    parts.push({ text: text.slice(start, end), cache_control: control });
    start = end;
    blank = true;
  }
  const rest = text.slice(start);
  return rest.trim() === "" ? parts : [...parts, { text: rest }];
}

/**
 * Moves the speaker's name into the text, for APIs without a name field. The model's own replies only lose it, because the model
 * would begin its next reply with the name.
 */
export function moveNameIntoText(message: ChatMessage): ChatMessage {
  const { role, name } = message;
  if (role === "tool" || name === undefined) return message;
  const { name: _, ...unnamed } = message;
  if (unnamed.role === "assistant") return unnamed;
  const speaker = `${name}: `;
  const content = speaker + unnamed.content;
  if (unnamed.role === "system" || !unnamed.parts) {
    const marks = unnamed.cache_marks?.map((mark) => ({ ...mark, end: mark.end + speaker.length }));
    return { ...unnamed, content, ...(marks && { cache_marks: marks }) };
  }
  return { ...unnamed, content, parts: [{ type: "text", text: speaker }, ...unnamed.parts] };
}

/** A message in the form that most agents know: OpenAI's. */
export function toOpenaiMessage(message: ChatMessage): Readonly<Record<string, unknown>> {
  const { role, content, name } = message;
  const named = name === undefined ? {} : { name };
  if (role === "tool") return { role, content, tool_call_id: message.tool_call_id, ...named };
  if (role !== "assistant" || !message.tool_calls?.length) return { role, content, ...named };
  const tool_calls = message.tool_calls.map(({ id, name: tool, arguments: text }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: text },
  }));
  return { role, content, tool_calls, ...named };
}
