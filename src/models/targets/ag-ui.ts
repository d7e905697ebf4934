import { compact } from "../../base/compact.ts";
import { randomUUID } from "node:crypto";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ChatMessage, ChatModel, ReplyError, ReportedToolCall } from "../../contract/ports/chat-model.ts";
import { nonEmptyString, parseJson, setAt } from "../adapters/reply/json-values.ts";
import { argumentText, callList, contentText } from "../adapters/reply/message-content.ts";
import { invalid, notJson, replyError, type AnswerContext, type ParsedReply } from "../adapters/reply/parsed-reply.ts";
import type { ReplyCollector, StreamListeners } from "../adapters/reply/reply-stream.ts";
import { noteErrorText } from "../outbound/error-text.ts";
import { targetChat, type CallFacts, type TargetOptions } from "./target-chat.ts";

/** An agent with AG-UI's HTTP interface. It is sent the whole conversation and answers with a stream of events. */
export function agUiTarget(options: TargetOptions): ChatModel {
  const { url, world } = options.target;
  return targetChat(
    {
      idempotent: true,
      ask: async (facts, send, read) => {
        const input = toRunInput(facts);
        const { world_url } = facts.session;
        const placed =
          world?.field === undefined || world_url === undefined ? input : setAt(input, world.field, world_url);
        const result = await send({ url, method: "POST", body: JSON.stringify(placed) }, true);
        const reply = await read(result, {
          parseReply: (body, context) => invalid(context, notJson(body).replace("JSON", "a stream of AG-UI events")),
          collectStream: (context, listeners) => new AgUiEvents(context, listeners),
          isStream: ({ body }) => /^\s*(?:data|event):/.test(body),
        });
        return reply.ok ? { ...reply, session_id: facts.session.id } : reply;
      },
    },
    options,
  );
}

/** AG-UI's `RunAgentInput`. */
function toRunInput({ request: { messages, tools = [] }, session, modelId }: CallFacts): JsonRecord {
  return {
    threadId: session.id,
    runId: randomUUID(),
    state: {},
    messages: messages.map((message, index) => ({ id: `${session.id}-${index}`, ...toMessage(message) })),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    context: [],
    forwardedProps: { model: modelId },
  };
}

function toMessage(message: ChatMessage): JsonRecord {
  const { role, content, name } = message;
  if (role === "tool") return { role, content, toolCallId: message.tool_call_id };
  const named = name === undefined ? {} : { name };
  if (role !== "assistant" || !message.tool_calls?.length) return { role, content, ...named };
  const toolCalls = message.tool_calls.map(({ id, name: tool, arguments: text }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: text },
  }));
  return { role, content, toolCalls, ...named };
}

interface StreamedCall {
  readonly name: string;
  arguments: string;
  result?: string;
}

/** Collects the events of a run. An agent may write several messages, with tool calls between them. */
class AgUiEvents implements ReplyCollector {
  readonly #context: AnswerContext;
  readonly #listeners: StreamListeners;
  readonly #texts = new Map<string, string>();
  readonly #calls = new Map<string, StreamedCall>();
  #lastMessage = "";
  #lastCall = "";
  #snapshot = "";
  #waits = false;

  constructor(context: AnswerContext, listeners: StreamListeners) {
    this.#context = context;
    this.#listeners = listeners;
  }

  add({ data }: { readonly data: string }): "more" | "done" | ReplyError {
    const event = parseJson(data);
    if (!isRecord(event)) return invalid(this.#context, "The stream holds an event that is not a JSON object.");
    switch (event["type"]) {
      case "TEXT_MESSAGE_START":
      case "TEXT_MESSAGE_CONTENT":
      case "TEXT_MESSAGE_CHUNK":
        this.#addText(event);
        return "more";
      case "TOOL_CALL_START":
      case "TOOL_CALL_ARGS":
      case "TOOL_CALL_CHUNK":
        this.#addCall(event);
        return "more";
      case "TOOL_CALL_RESULT":
        this.#addResult(event);
        return "more";
      case "MESSAGES_SNAPSHOT":
        this.#addSnapshot(event["messages"]);
        return "more";
      case "RUN_ERROR":
        noteErrorText(event["message"]);
        return replyError("upstream_error", "The agent ended its run with an error.", this.#context);
      case "RUN_FINISHED": {
        const outcome = event["outcome"];
        this.#waits = isRecord(outcome) ? outcome["type"] === "interrupt" : outcome === "interrupt";
        return "done";
      }
      default:
        return "more";
    }
  }

  finish({ done }: { done: boolean }): ParsedReply | ReplyError {
    if (!done) return invalid(this.#context, "The stream ended before the run was finished.");
    const texts = [...this.#texts.values()].filter((text) => text !== "");
    const text = texts.length > 0 ? texts.join("\n\n") : this.#snapshot;
    if (text === "" && this.#waits) {
      return replyError("upstream_rejected", "The agent waits for an approval and gave no reply.", this.#context);
    }
    if (text === "" && this.#calls.size === 0) return invalid(this.#context, "The run has no message of the agent.");
    return {
      ok: true,
      text,
      refusal: null,
      tool_calls: [],
      reported_calls: [...this.#calls].map(([id, call]): ReportedToolCall => {
        const { name, result } = call;
        return compact({
          id,
          name,
          arguments: argumentText(call.arguments),
          result: result !== undefined ? (parseJson(result) ?? result) : undefined,
        });
      }),
      finish_reason: "stop",
      usage: null,
      model: this.#context.modelId,
      completion_id: "",
      system_fingerprint: null,
      service_tier: null,
      logprobs: null,
      metadata: null,
      tries: this.#context.tries,
    };
  }

  /** Some servers send the arguments of a call, or whole calls, only in a snapshot, which replaces what was sent before. */
  #addSnapshot(messages: unknown): void {
    const ofRun = messagesOfRun(messages);
    this.#snapshot = lastReply(ofRun);
    for (const { role, toolCalls, toolCallId, content } of ofRun) {
      for (const { id, function: called } of callList(role === "assistant" ? toolCalls : [])) {
        if (typeof id !== "string" || !isRecord(called)) continue;
        const known = this.#calls.get(id) ?? { name: "", arguments: "" };
        const name = nonEmptyString(called["name"]) ?? known.name;
        const given = called["arguments"] === undefined ? known.arguments : argumentText(called["arguments"]);
        this.#calls.set(id, { ...known, name, arguments: given });
      }
      if (role === "tool" && toolCallId !== undefined) this.#addResult({ toolCallId, content });
    }
  }

  #addText({ messageId, delta, role }: JsonRecord): void {
    if (role !== undefined && role !== "assistant") return;
    const id = nonEmptyString(messageId) ?? this.#lastMessage;
    this.#lastMessage = id;
    const text = typeof delta === "string" ? delta : "";
    this.#texts.set(id, (this.#texts.get(id) ?? "") + text);
    if (text === "") return;
    this.#listeners.onToken();
    this.#listeners.onText(text);
  }

  #addCall({ toolCallId, toolCallName, delta }: JsonRecord): void {
    const id = nonEmptyString(toolCallId) ?? this.#lastCall;
    this.#lastCall = id;
    const call = this.#calls.get(id) ?? { name: nonEmptyString(toolCallName) ?? "", arguments: "" };
    if (typeof delta === "string") call.arguments += delta;
    this.#calls.set(id, call);
    this.#listeners.onToken();
  }

  #addResult({ toolCallId, content }: JsonRecord): void {
    const call = this.#calls.get(nonEmptyString(toolCallId) ?? this.#lastCall);
    if (call) call.result = contentText(content) ?? "";
  }
}

/** The messages behind the user's last one. */
function messagesOfRun(messages: unknown): readonly JsonRecord[] {
  const list = Array.isArray(messages) ? messages.filter(isRecord) : [];
  return list.slice(list.findLastIndex(({ role }) => role === "user") + 1);
}

function lastReply(messages: readonly JsonRecord[]): string {
  return contentText(messages.findLast(({ role }) => role === "assistant")?.["content"]) ?? "";
}
