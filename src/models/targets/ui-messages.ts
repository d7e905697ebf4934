import { isRecord, type JsonRecord } from "../../base/json.ts";
import type {
  ChatMessage,
  ChatModel,
  ReplyError,
  ReportedToolCall,
  TokenUsage,
  UserMessage,
} from "../../contract/ports/chat-model.ts";
import { nonEmptyString, parseJson, setAt } from "../adapters/reply/json-values.ts";
import { argumentText } from "../adapters/reply/message-content.ts";
import { invalid, notJson, replyError, type AnswerContext, type ParsedReply } from "../adapters/reply/parsed-reply.ts";
import type { ReplyCollector, ServerSentEvent, StreamListeners } from "../adapters/reply/reply-stream.ts";
import { noteErrorText } from "../outbound/error-text.ts";
import { agentUsage } from "./answer-reader.ts";
import { targetChat, type CallFacts, type TargetOptions } from "./target-chat.ts";
import { withBody } from "./target-request.ts";

/**
 * A route made with the AI SDK (versions 5 to 7): it is sent what `useChat` sends, and answers with a UI message stream. The history
 * has the tool calls of earlier turns with their results, as the front end would keep them.
 */
export function uiMessagesTarget(options: TargetOptions): ChatModel {
  const { target } = options;
  const { url, world } = target;
  return targetChat(
    {
      idempotent: true,
      ask: async (facts, send, read) => {
        const { id, world_url } = facts.session;
        const body = withBody({ id, messages: toUiMessages(facts), trigger: "submit-message" }, target, facts);
        const placed =
          world?.field === undefined || world_url === undefined ? body : setAt(body, world.field, world_url);
        const result = await send({ url, method: "POST", body: JSON.stringify(placed) }, true);
        const reply = await read(result, {
          parseReply: (answer, context) =>
            invalid(
              context,
              notJson(answer).replace("a JSON object", "a UI message stream").replace("JSON", "a stream"),
            ),
          collectStream: (context, listeners) => new UiMessageChunks(context, listeners),
          isStream: ({ body: answer }) => /^\s*(?:data|event):/.test(answer),
        });
        return reply.ok ? { ...reply, session_id: id } : reply;
      },
    },
    options,
  );
}

/** The conversation as `useChat` keeps it: one message for each side of a turn, without the system prompt, which the route has. */
function toUiMessages({ request: { messages }, session }: CallFacts): readonly JsonRecord[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === "tool" ? [[message.tool_call_id, message.content] as const] : [])),
  );
  const merged: { readonly role: string; readonly parts: JsonRecord[] }[] = [];
  for (const message of messages) {
    if (message.role === "system" || message.role === "tool") continue;
    const parts = message.role === "user" ? userParts(message) : assistantParts(message, results);
    const last = merged.at(-1);
    if (message.role === "assistant" && last?.role === "assistant") last.parts.push(...parts);
    else merged.push({ role: message.role, parts: [...parts] });
  }
  return merged.map((message, index) => ({ id: `${session.id}-${index}`, ...message }));
}

function userParts({ content, parts }: UserMessage): readonly JsonRecord[] {
  if (!parts) return [{ type: "text", text: content }];
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "file", mediaType: mediaTypeOf(part.url), url: part.url },
  );
}

const imageTypes: Readonly<Record<string, string>> = {
  jpg: "jpeg",
  jpeg: "jpeg",
  gif: "gif",
  webp: "webp",
  svg: "svg+xml",
};

function mediaTypeOf(url: string): string {
  const stated = /^data:([\w.+-]+\/[\w.+-]+)[;,]/.exec(url)?.[1];
  if (stated !== undefined) return stated;
  const ending = /\.([a-z]{3,4})$/i.exec(URL.parse(url)?.pathname ?? "")?.[1]?.toLowerCase() ?? "";
  return `image/${imageTypes[ending] ?? "png"}`;
}

function assistantParts(
  { content, tool_calls = [], answered_calls = [] }: Extract<ChatMessage, { role: "assistant" }>,
  results: ReadonlyMap<string, string>,
): readonly JsonRecord[] {
  const open = tool_calls.map((call): ReportedToolCall => ({ ...call, result: results.get(call.id) ?? null }));
  const calls = [...answered_calls, ...open].map(({ id, name, arguments: given, result, error }, index) => ({
    type: `tool-${name}`,
    toolCallId: id === "" ? `call-${index + 1}` : id,
    input: parseJson(given) ?? {},
    ...(error === undefined
      ? { state: "output-available", output: result ?? null }
      : { state: "output-error", errorText: error }),
  }));
  const step = { type: "step-start" };
  return [
    ...(calls.length > 0 ? [step, ...calls] : []),
    ...(content === "" ? [] : [step, { type: "text", text: content, state: "done" }]),
  ];
}

interface StreamedCall {
  readonly step: number;
  readonly id: string;
  name: string;
  arguments: string;
  result?: unknown;
  error?: string;
}

interface TextBlock {
  readonly step: number;
  text: string;
}

/** Collects the chunks of a message: the text of its steps, its tool calls with their results, and its usage. */
class UiMessageChunks implements ReplyCollector {
  readonly #context: AnswerContext;
  readonly #listeners: StreamListeners;
  #blocks: TextBlock[] = [];
  /** The block that a text id names now: providers use the same ids in every step. */
  readonly #open = new Map<string, TextBlock>();
  #calls: StreamedCall[] = [];
  readonly #reasoning: string[] = [];
  readonly #usages: TokenUsage[] = [];
  #total: TokenUsage | null = null;
  #step = 0;
  #finishReason = "stop";
  #isFinished = false;
  #waits = false;

  constructor(context: AnswerContext, listeners: StreamListeners) {
    this.#context = context;
    this.#listeners = listeners;
  }

  add({ data }: ServerSentEvent): "more" | "done" | ReplyError {
    if (data.trim() === "[DONE]") return "done";
    const chunk = parseJson(data);
    if (!isRecord(chunk)) return invalid(this.#context, "The stream holds a chunk that is not a JSON object.");
    switch (chunk["type"]) {
      case "start-step":
        this.#step += 1;
        break;
      case "reset-step":
        this.#dropStep();
        break;
      case "text-start":
      case "text-delta":
        this.#addText(chunk);
        break;
      case "reasoning-delta":
        this.#addReasoning(chunk);
        break;
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-available":
      case "tool-input-error":
        this.#addCall(chunk);
        break;
      case "tool-output-available":
      case "tool-output-error":
      case "tool-output-denied":
        this.#addResult(chunk);
        break;
      case "tool-approval-request":
        this.#waits ||= chunk["isAutomatic"] !== true;
        break;
      case "start":
      case "message-metadata":
        this.#addUsage(chunk);
        break;
      case "error":
        noteErrorText(chunk["errorText"]);
        return replyError("upstream_error", "The agent ended its message with an error.", this.#context);
      case "abort":
        noteErrorText(chunk["reason"]);
        return replyError("upstream_error", "The agent aborted its message.", this.#context);
      case "finish":
        this.#isFinished = true;
        this.#finishReason = nonEmptyString(chunk["finishReason"]) ?? "stop";
        this.#total = usageOf(chunk);
        break;
      default:
        // Data of the application, sources and files are no part of what the agent says.
        break;
    }
    return "more";
  }

  finish({ done }: { done: boolean }): ParsedReply | ReplyError {
    if (!done && !this.#isFinished) return invalid(this.#context, "The stream ended before the message was finished.");
    const text = this.#blocks
      .map((block) => block.text)
      .filter((part) => part !== "")
      .join("\n\n");
    if (text === "" && this.#waits) {
      return replyError("upstream_rejected", "The agent waits for an approval and gave no reply.", this.#context);
    }
    if (text === "" && this.#calls.length === 0) return invalid(this.#context, "The message of the agent has no text.");
    return {
      ok: true,
      text,
      ...(this.#reasoning.length > 0 && { reasoning: this.#reasoning.join("") }),
      refusal: null,
      tool_calls: [],
      reported_calls: this.#calls.map(({ step: _step, ...call }) => call),
      calls_of_turn: true,
      finish_reason: this.#finishReason === "length" ? "length" : "stop",
      usage: this.#total ?? sumUsages(this.#usages),
      model: this.#context.modelId,
      completion_id: "",
      system_fingerprint: null,
      service_tier: null,
      logprobs: null,
      metadata: null,
      tries: this.#context.tries,
    };
  }

  #addText({ type, id, delta }: JsonRecord): void {
    const key = String(id);
    const known = type === "text-start" ? undefined : this.#open.get(key);
    const block = known ?? { step: this.#step, text: "" };
    if (!known) {
      this.#open.set(key, block);
      this.#blocks.push(block);
    }
    if (typeof delta !== "string" || delta === "") return;
    // The separator of the whole reply, so that what is heard is what is kept.
    if (block.text === "" && this.#blocks.some((other) => other !== block && other.text !== "")) {
      this.#listeners.onText("\n\n");
    }
    block.text += delta;
    this.#listeners.onToken();
    this.#listeners.onText(delta);
  }

  #addReasoning({ delta }: JsonRecord): void {
    if (typeof delta !== "string") return;
    this.#reasoning.push(delta);
    this.#listeners.onToken();
    this.#listeners.onReasoning(delta);
  }

  #addCall({ type, toolCallId, toolName, inputTextDelta, input, errorText }: JsonRecord): void {
    const id = nonEmptyString(toolCallId);
    if (id === null) return;
    const known = this.#callOf(id);
    // Some models number the calls of each step from 0.
    const isNew = !known || (known.step !== this.#step && (known.result !== undefined || known.error !== undefined));
    const call: StreamedCall = isNew ? { step: this.#step, id, name: "", arguments: "" } : known;
    if (isNew) this.#calls.push(call);
    const isWhole = type === "tool-input-available" || type === "tool-input-error";
    call.name = nonEmptyString(toolName) ?? call.name;
    if (isWhole && input !== undefined) call.arguments = argumentText(input);
    else if (typeof inputTextDelta === "string") call.arguments += inputTextDelta;
    if (type === "tool-input-error") call.error = nonEmptyString(errorText) ?? "The input is not valid.";
    this.#listeners.onToken();
  }

  #callOf(id: string): StreamedCall | undefined {
    return this.#calls.findLast((call) => call.id === id);
  }

  #addResult({ type, toolCallId, output, errorText, preliminary }: JsonRecord): void {
    const call = this.#callOf(String(toolCallId));
    if (!call || preliminary === true) return;
    if (type === "tool-output-available") call.result = output ?? null;
    else if (type === "tool-output-denied") call.error = "The call was not approved.";
    else call.error = nonEmptyString(errorText) ?? "The tool failed.";
  }

  /** The model is asked again for this step: its first answer was thrown away. */
  #dropStep(): void {
    this.#blocks = this.#blocks.filter(({ step }) => step !== this.#step);
    this.#calls = this.#calls.filter(({ step }) => step !== this.#step);
  }

  #addUsage(chunk: JsonRecord): void {
    const usage = usageOf(chunk);
    if (usage) this.#usages.push(usage);
  }
}

/** A stream has usage only in the metadata that its route writes: that of the finish is of the whole message, others of a step. */
function usageOf({ messageMetadata: metadata }: JsonRecord): TokenUsage | null {
  if (!isRecord(metadata)) return null;
  return agentUsage(metadata["totalUsage"]) ?? agentUsage(metadata["usage"]) ?? agentUsage(metadata);
}

/** The usage of a turn whose model calls are counted one by one. */
export function sumUsages(usages: readonly TokenUsage[]): TokenUsage | null {
  const [first, ...others] = usages;
  if (!first || others.length === 0) return first ?? null;
  const sum = (of: (usage: TokenUsage) => number): number => usages.reduce((total, usage) => total + of(usage), 0);
  return {
    prompt_tokens: sum(({ prompt_tokens }) => prompt_tokens),
    completion_tokens: sum(({ completion_tokens }) => completion_tokens),
    total_tokens: sum(({ total_tokens }) => total_tokens),
    prompt_tokens_details: null,
    completion_tokens_details: null,
  };
}
