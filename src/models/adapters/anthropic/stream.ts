import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { ReplyError } from "../../../contract/ports/chat-model.ts";
import { formatTool } from "./format-tool.ts";
import { explainAnthropicError, fromMessage } from "./reply.ts";
import { parseJson } from "../reply/json-values.ts";
import { separatorAfter } from "../reply/message-content.ts";
import { explainedError, invalid, type AnswerContext, type ParsedReply } from "../reply/parsed-reply.ts";
import type { ReplyCollector, ServerSentEvent, StreamListeners } from "../reply/reply-stream.ts";

/** Collects a streamed message. */
export function collectAnthropicStream(context: AnswerContext, listeners: StreamListeners): ReplyCollector {
  return new StreamedMessage(context, listeners);
}

interface PartialBlock {
  readonly start: JsonRecord;
  /** The text, the JSON of a tool's input, or the thinking. */
  text: string;
  signature: string;
}

class StreamedMessage implements ReplyCollector {
  readonly #context: AnswerContext;
  readonly #listeners: StreamListeners;
  readonly #formatTool: string | undefined;
  readonly #blocks = new Map<unknown, PartialBlock>();
  #message: JsonRecord = {};
  // Changed in place: a copy with every event would take quadratic time.
  readonly #ending = new Map<string, unknown>();
  readonly #usage = new Map<string, unknown>();
  /** The last text, and whether another block followed it. */
  #said = "";
  #apart = false;

  constructor(context: AnswerContext, listeners: StreamListeners) {
    this.#context = context;
    this.#listeners = listeners;
    this.#formatTool = formatTool(context.request)?.name;
  }

  add({ event, data }: ServerSentEvent): "more" | "done" | ReplyError {
    const body = parseJson(data);
    if (!isRecord(body)) return invalid(this.#context, "The stream holds an event that is not a JSON object.");
    const type = typeof body["type"] === "string" ? body["type"] : event;
    if (type === "error") return this.#error(body);
    if (type === "message_stop") return "done";
    this.#addPart(type, body);
    return "more";
  }

  finish({ done }: { done: boolean }): ParsedReply | ReplyError {
    if (!done && typeof this.#ending.get("stop_reason") !== "string") {
      return invalid(this.#context, "The stream ended before the reply was complete.");
    }
    const content = [...this.#blocks.values()].map(toBlock);
    const ending = Object.fromEntries(this.#ending);
    const usage = Object.fromEntries(this.#usage);
    return fromMessage({ ...this.#message, ...ending, usage, content }, this.#context);
  }

  #error(body: JsonRecord): ReplyError {
    const explained = explainAnthropicError(body["error"] ?? body, new URL(this.#context.url));
    return explainedError({ ...explained, detail: "The stream ended with an error from the endpoint." }, this.#context);
  }

  #addPart(type: string, body: JsonRecord): void {
    if (type === "message_start" && isRecord(body["message"])) {
      this.#message = body["message"];
      this.#addUsage(this.#message["usage"]);
    } else if (type === "content_block_start" && isRecord(body["content_block"])) {
      this.#start(body["index"], body["content_block"]);
    } else if (type === "content_block_delta" && isRecord(body["delta"])) {
      this.#grow(body["index"], body["delta"]);
    } else if (type === "message_delta") {
      for (const [name, value] of fieldsOf(body["delta"])) this.#ending.set(name, value);
      this.#addUsage(body["usage"]);
    }
  }

  /** Counts are running totals; null is no count. */
  #addUsage(usage: unknown): void {
    for (const [name, value] of fieldsOf(usage)) if (value !== null) this.#usage.set(name, value);
  }

  #start(index: unknown, start: JsonRecord): void {
    const block: PartialBlock = { start, text: "", signature: "" };
    this.#blocks.set(index, block);
    if (start["type"] !== "text") this.#apart = true;
    if (start["type"] === "text") this.#append(block, start["text"]);
    if (start["type"] === "tool_use") this.#listeners.onToken();
    if (start["type"] === "thinking") this.#think(start["thinking"]);
  }

  #grow(index: unknown, delta: JsonRecord): void {
    const block = this.#blocks.get(index);
    if (!block) return;
    if (delta["type"] === "text_delta") this.#append(block, delta["text"]);
    if (delta["type"] === "input_json_delta") this.#append(block, delta["partial_json"]);
    if (delta["type"] === "thinking_delta") block.text += this.#think(delta["thinking"]);
    if (delta["type"] === "signature_delta") block.signature += stringOf(delta["signature"]);
  }

  #think(piece: unknown): string {
    const thought = stringOf(piece);
    if (thought !== "") this.#listeners.onReasoning(thought);
    return thought;
  }

  #append(block: PartialBlock, piece: unknown): void {
    if (typeof piece !== "string" || piece === "") return;
    block.text += piece;
    this.#listeners.onToken();
    const { type, name } = block.start;
    if (type === "text") this.#say(piece);
    else if (type === "tool_use" && name === this.#formatTool) this.#listeners.onText(piece);
  }

  #say(piece: string): void {
    this.#listeners.onText((this.#apart ? separatorAfter(this.#said) : "") + piece);
    this.#said = piece;
    this.#apart = false;
  }
}

function toBlock({ start, text, signature }: PartialBlock): JsonRecord {
  if (start["type"] === "text") return { ...start, text };
  if (start["type"] === "thinking") {
    const { thinking, signature: begun } = start;
    return { ...start, thinking: stringOf(thinking) + text, signature: stringOf(begun) + signature };
  }
  // Some servers send the whole input at the start of the block.
  if (text === "") return start;
  return { ...start, input: start["type"] === "tool_use" ? text : (parseJson(text) ?? {}) };
}

function fieldsOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
