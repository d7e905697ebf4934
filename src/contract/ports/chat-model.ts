import type { ErrorCode } from "../errors.ts";
import type { Metadata } from "../schemas/scenario.ts";

/** One function call a model asked for. `arguments` is the text the model wrote: it may be broken JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly echo?: CallEcho;
}

/**
 * What a provider wants to see again beside a call it asked for, unread: Gemini's signatures, the reasoning of DeepSeek,
 * the thinking of Claude. They refuse a conversation with tools that lacks it.
 */
export interface CallEcho {
  /** Who gave it, and is sent it back; nobody else is. Absent where a client sent it: then whoever is asked. */
  readonly from?: string;
  /** Fields of the call. */
  readonly call?: Readonly<Record<string, unknown>>;
  /** Fields of the message; its first call has them. */
  readonly message?: Readonly<Record<string, unknown>>;
}

/** A picture in a user's message. The provider opens it; nobody here does. */
export interface ImagePart {
  readonly type: "image";
  /** An http(s) address or a data URL. */
  readonly url: string;
  /** How closely it is to be looked at, in OpenAI's words. */
  readonly detail?: string;
  readonly cache_control?: CacheControl;
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: CacheControl;
}

export type UserPart = TextPart | ImagePart;

/** `parts` are there where pictures are. `content` has the same in words: what keeps, counts or shows text needs no more. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string;
  readonly parts?: readonly UserPart[];
  readonly name?: string;
  readonly cache_marks?: readonly CacheMark[];
}

/**
 * One message of a conversation, in the shape every provider adapter translates from. `name` tells those of one role apart.
 * `cache_marks` are in the order of their places; where there are `parts`, these have them.
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
      readonly name?: string;
      readonly cache_marks?: readonly CacheMark[];
      /** The content of a reply that its provider paused, as it came: sent back, the model goes on with it. */
      readonly paused?: readonly unknown[];
    }
  | {
      readonly role: "tool";
      readonly content: string;
      readonly tool_call_id: string;
      readonly name?: string;
      readonly cache_marks?: readonly CacheMark[];
    };

/** A tool as the model sees it. `parameters` is a JSON schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Asks the provider to keep the model's arguments to the schema. */
  readonly strict?: boolean | undefined;
  /** Asks the provider to keep the tools up to this one. */
  readonly cache_control?: CacheControl;
}

/** Sampling settings passed to the model. `extra` is merged into the provider's body, as far as its API takes it. */
export interface ModelParameters {
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly seed?: number | undefined;
  readonly stop?: string | readonly string[] | undefined;
  /** False: at most one call at a time. Sent only beside tools, without which providers refuse it. */
  readonly parallel_tool_calls?: boolean | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Forces the reply to be JSON that fits `schema`; adapters use the provider's structured output. */
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

/** Tokens of one call as the provider counted them. The details are the provider's own objects. */
export interface TokenUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: Readonly<Record<string, unknown>> | null;
  readonly completion_tokens_details: Readonly<Record<string, unknown>> | null;
}

/** Why a model gave no usable reply. `detail` is ours: provider text never gets in. */
export interface ReplyError {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly upstream_status: number | null;
  readonly tries: number;
  readonly retryable: boolean;
  readonly retry_after_ms?: number;
  /** The endpoint says that it takes no tools for this model. */
  readonly refuses_tools?: true;
  /** The endpoint takes tools for this model, but not so many. */
  readonly too_many_tools?: true;
  /** The endpoint says that it gives no structured output for this model. */
  readonly refuses_format?: true;
  /** A filter of the endpoint refused what was said. */
  readonly refuses_content?: true;
  /** The account at the endpoint is empty, which says nothing of the request. */
  readonly lacks_credit?: true;
  /** The model asked for a tool in a way that its provider could not read: asked again, it may do better. */
  readonly unreadable_call?: true;
}

export interface SuccessfulReply {
  readonly ok: true;
  readonly text: string;
  /** What the model thought before it replied, where it tells. No part of the reply: it is shown, never scored. */
  readonly reasoning?: string;
  readonly refusal: string | null;
  readonly tool_calls: readonly ToolCall[];
  readonly finish_reason: string;
  readonly usage: TokenUsage | null;
  readonly model: string;
  readonly completion_id: string;
  readonly system_fingerprint: string | null;
  readonly service_tier: string | null;
  readonly logprobs: Readonly<Record<string, unknown>> | null;
  /** Labels the endpoint itself attached to the reply, if it does that. */
  readonly metadata: Metadata | null;
  readonly latency_ms: number;
  readonly first_token_ms: number | null;
  readonly tries: number;
  /** There when the provider paused: what to send back for the rest. Adapters do so themselves. */
  readonly paused?: readonly unknown[];
}

export interface FailedReply {
  readonly ok: false;
  readonly error: ReplyError;
  readonly latency_ms: number;
}

/** A model's answer. A provider that fails is an answer too: the runner records it and goes on. */
export type Reply = SuccessfulReply | FailedReply;

export interface ChatOptions {
  readonly signal: AbortSignal;
  /** Called with each piece of text as it arrives; asking for it makes the adapter stream. */
  readonly onText?: (text: string) => void;
  /** Called with each piece of what the model thinks, where it tells and the adapter streams. */
  readonly onReasoning?: (text: string) => void;
  /** Streams although nobody listens, where the endpoint can: that is how the time to the first token is known. */
  readonly stream?: boolean;
  /**
   * Called when the endpoint asks to be called less (with the wait it asks for, if any), is overloaded or timed out: also when the call
   * waits and is made again, so that other calls slow down at once.
   */
  readonly onRefused?: (retryAfterMs: number | undefined) => void;
  /** A longer wait that the endpoint asks for is not waited for: the call fails, and says when to come back. */
  readonly longestWaitMs?: number;
  /** Asked for memory as the reply arrives, before more of it is kept. False ends the call with `overloaded`. */
  readonly admitBytes?: (bytes: number) => boolean;
}

/** Contract: resolves with a failed `Reply`; rejects only when `signal` aborts, or with `shutting_down` instead of waiting. */
export type ChatModel = (request: ChatRequest, options: ChatOptions) => Promise<Reply>;

/** Failures that another try with the same request cannot cure: the rest of an attempt fails without a call. */
export const lastingFailures: ReadonlySet<ErrorCode> = new Set([
  "upstream_auth",
  "model_not_found",
  "endpoint_address_refused",
  "endpoint_not_allowed",
]);

/** What Anthropic, and gateways to it, call `cache_control`: `{ "type": "ephemeral" }`, perhaps with a `ttl`. Passed on unread. */
export type CacheControl = Readonly<Record<string, unknown>>;

/** Asks the provider to keep what it has read up to here, so that the next request with the same beginning costs less. */
export interface CacheMark {
  /** Characters of the message's content before it. */
  readonly end: number;
  readonly control: CacheControl;
}

interface MarkedText {
  readonly text: string;
  readonly cache_control?: CacheControl;
}

/** The marks of a text that came in parts. */
export function toCacheMarks(
  parts: readonly { readonly text: string; readonly cache_control?: CacheControl | null | undefined }[],
): readonly CacheMark[] {
  let end = 0;
  return parts.flatMap(({ text, cache_control: control }) => {
    end += text.length;
    return control ? [{ end, control }] : [];
  });
}

/** The text in parts again, each but the last with the mark it ends with. No part is blank: providers refuse one. */
export function splitAtMarks(text: string, marks: readonly CacheMark[] = []): readonly MarkedText[] {
  const parts: MarkedText[] = [];
  let start = 0;
  let read = 0;
  let blank = true;
  for (const { end, control } of marks) {
    // Only what is new is looked at: thousands of marks in a long blank text would have it read once for each of them.
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
 * The same message where names have no place: who speaks is told in the text. A model's own replies stay as they are, or it would
 * begin the next one like that.
 */
export function nameInText(message: ChatMessage): ChatMessage {
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
