import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReplyError } from "../../contract/ports/chat-model.ts";
import { streamError } from "./openai-chat-stream.ts";
import { fromResponse } from "./openai-responses-reply.ts";
import { parseJson } from "./parse-json.ts";
import { invalid, type AnswerContext, type ParsedReply } from "./parsed-reply.ts";
import { pauseAfter } from "./pause-after.ts";
import type { ReplyCollector, StreamListeners } from "./reply-stream.ts";
import type { ServerSentEvent } from "./server-sent-events.ts";

const lastEvents = new Set(["response.completed", "response.incomplete", "response.failed", "response.done"]);

const thoughts = new Set(["response.reasoning_text.delta", "response.reasoning_summary_text.delta"]);

/** Collects a streamed response. The last event repeats the whole of it; the pieces before serve whoever watches. */
export function collectResponsesStream(context: AnswerContext, listeners: StreamListeners): ReplyCollector {
  const reply = new StreamedResponse(context, listeners);
  return {
    add: (event) => (event.data.trim() === "[DONE]" ? "done" : reply.add(event)),
    finish: () => reply.finish(),
  };
}

class StreamedResponse {
  readonly #context: AnswerContext;
  readonly #listeners: StreamListeners;
  readonly #items: JsonRecord[] = [];
  #text = "";
  /** Which message is being told. */
  #place: unknown = null;
  /** Which part of the reasoning is being told: parts are set apart. */
  #thinking: string | null = null;
  #last: JsonRecord | null = null;

  constructor(context: AnswerContext, listeners: StreamListeners) {
    this.#context = context;
    this.#listeners = listeners;
  }

  add({ event, data }: ServerSentEvent): "more" | "done" | ReplyError {
    const body = parseJson(data);
    if (!isRecord(body)) return invalid(this.#context, "The stream holds an event that is not a JSON object.");
    const type = typeof body["type"] === "string" ? body["type"] : event;
    if (type === "error" || (body["error"] && !body["response"])) {
      return streamError(body["error"] || body, this.#context);
    }
    if (lastEvents.has(type) && isRecord(body["response"])) {
      this.#last = body["response"];
      return "done";
    }
    this.#addPiece(type, body);
    return "more";
  }

  finish(): ParsedReply | ReplyError {
    if (!this.#last) return invalid(this.#context, "The stream ended before the reply was complete.");
    const reply = fromResponse(this.#complete(this.#last), this.#context);
    if (!("ok" in reply)) return reply;
    if (this.#thinking === null && reply.reasoning !== undefined) this.#listeners.onReasoning(reply.reasoning);
    if (this.#text === "" && reply.text !== "") this.#listeners.onText(reply.text);
    return reply;
  }

  #addPiece(type: string, { delta, item, output_index, summary_index, content_index }: JsonRecord): void {
    if (type === "response.output_item.done" && isRecord(item)) this.#items.push(item);
    if (typeof delta !== "string" || delta === "") return;
    if (type === "response.output_text.delta") {
      const piece = (this.#place === output_index ? "" : pauseAfter(this.#text)) + delta;
      this.#place = output_index;
      this.#text += piece;
      this.#listeners.onToken();
      this.#listeners.onText(piece);
    } else if (thoughts.has(type)) {
      const place = JSON.stringify([output_index, summary_index, content_index]);
      const pause = this.#thinking !== null && this.#thinking !== place ? "\n\n" : "";
      this.#thinking = place;
      this.#listeners.onReasoning(pause + delta);
    } else if (type === "response.function_call_arguments.delta" || type === "response.refusal.delta") {
      this.#listeners.onToken();
    }
  }

  /** Some servers leave the output out of the last event: then it is what came before. */
  #complete(last: JsonRecord): JsonRecord {
    if (Array.isArray(last["output"]) && last["output"].length > 0) return last;
    if (this.#items.length > 0) return { ...last, output: this.#items };
    return this.#text === "" ? last : { ...last, output: [{ type: "message", content: this.#text }] };
  }
}
