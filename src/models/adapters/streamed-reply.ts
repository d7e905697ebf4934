import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReplyError, TokenUsage } from "../../contract/ports/chat-model.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import { withEchoes } from "./call-echo.ts";
import { firstChoice } from "./first-choice.ts";
import { labels, nonEmptyString, plainRecord } from "./json-values.ts";
import { callList, contentText, isMarkedAsThought, legacyCall, refusalText } from "./message-content.ts";
import {
  brokenOff,
  finishReason,
  heldBack,
  invalid,
  statedReason,
  withoutContent,
  type AnswerContext,
  type ParsedReply,
} from "./parsed-reply.ts";
import { ReasoningFields } from "./reasoning-fields.ts";
import type { StreamListeners } from "./reply-stream.ts";
import { StreamedToolCalls } from "./streamed-tool-calls.ts";
import { ThoughtText } from "./thought-text.ts";
import { tokenUsage } from "./token-usage.ts";
import { splitUnopened } from "./unopened-thought.ts";

/** Puts the log probabilities of a stream together: its lists go on from chunk to chunk. */
class StreamedLogprobs {
  readonly #fields = new Map<string, unknown>();

  add(part: unknown): void {
    for (const [key, value] of Object.entries(plainRecord(part) ?? {})) {
      const known = this.#fields.get(key);
      if (!Array.isArray(value)) this.#fields.set(key, value ?? known ?? null);
      // Added in place: a list copied for every token would take quadratic time.
      else if (Array.isArray(known)) for (const item of value) known.push(item);
      else this.#fields.set(key, [...value]);
    }
  }

  finish(): JsonRecord | null {
    return this.#fields.size === 0 ? null : Object.fromEntries(this.#fields);
  }
}

/** Puts the chunks of a streamed completion together. */
export class StreamedReply {
  readonly #listeners: StreamListeners;
  readonly #logprobs = new StreamedLogprobs();
  readonly #toolCalls = new StreamedToolCalls();
  readonly #reasoning = new ReasoningFields();
  readonly #sorter = new ThoughtText();
  /** Null until there is any, be it empty. */
  #text: string | null = null;
  #refusal = "";
  #finish: string | null = null;
  #hasDeltas = false;
  #usage: TokenUsage | null = null;
  #metadata: Metadata | null = null;
  #model: string | null = null;
  #id: string | null = null;
  #fingerprint: string | null = null;
  #tier: string | null = null;

  constructor(listeners: StreamListeners) {
    this.#listeners = listeners;
  }

  add(chunk: JsonRecord): void {
    this.#model ??= nonEmptyString(chunk["model"]);
    this.#id ??= nonEmptyString(chunk["id"]);
    this.#fingerprint ??= nonEmptyString(chunk["system_fingerprint"]);
    this.#tier ??= nonEmptyString(chunk["service_tier"]);
    // Groq counts in a field of its own unless it was asked to.
    this.#usage = tokenUsage(chunk["usage"]) ?? tokenUsage(plainRecord(chunk["x_groq"])?.["usage"]) ?? this.#usage;
    this.#metadata = labels(chunk["metadata"]) ?? this.#metadata;
    const choice = firstChoice(chunk["choices"]);
    if (!choice) return;
    // Moonshot counts in the choice, with or without being asked to.
    this.#usage ??= tokenUsage(choice["usage"]);
    this.#finish = statedReason(choice["finish_reason"]) ?? this.#finish;
    this.#logprobs.add(choice["logprobs"]);
    this.#addPiece(choice);
  }

  /** `marked`: the server says that it is thought. */
  addText(text: string, { marked }: { marked: boolean } = { marked: false }): void {
    if (this.#sorter.isSaid && !marked) return this.#say(text);
    const { said, thought } = this.#sorter.add(text, { marked });
    if (thought !== "") this.#listeners.onReasoning(this.#reasoning.addText(thought, { marked }));
    if (said !== "" || text === "") this.#say(said);
  }

  #say(text: string): void {
    this.#text = (this.#text ?? "") + text;
    if (text === "") return;
    this.#listeners.onToken();
    this.#listeners.onText(text);
  }

  finish(context: AnswerContext, { done }: { done: boolean }): ParsedReply | ReplyError {
    const broken = brokenOff(this.#finish, context);
    if (broken) return broken;
    if (!done && this.#finish === null) return invalid(context, "The stream ended before the reply was complete.");
    const calls = this.#toolCalls.finish();
    const late = this.#sorter.finish({ mayBeReply: this.#finish !== "length" && calls.length === 0 });
    if (late !== "") this.#say(late);
    this.#takeOutUnopened();
    const toolCalls = withEchoes(calls, { source: context.source, message: this.#reasoning.echo() });
    const refusal = this.#refusal || (this.#text ? null : heldBack(this.#finish));
    if (this.#text === null && refusal === null && toolCalls.length === 0) {
      return withoutContent(this.#finish, context);
    }
    return {
      ok: true,
      text: this.#text ?? "",
      ...this.#reasoning.told(),
      refusal,
      tool_calls: toolCalls,
      finish_reason: finishReason(this.#finish, toolCalls.length > 0),
      usage: this.#usage,
      model: this.#model ?? context.modelId,
      completion_id: this.#id ?? "",
      system_fingerprint: this.#fingerprint,
      service_tier: this.#tier,
      logprobs: this.#logprobs.finish(),
      metadata: this.#metadata,
      tries: context.tries,
    };
  }

  /** Whoever listens has heard it as part of the reply: that it was none is known only now. */
  #takeOutUnopened(): void {
    if (this.#text === null) return;
    const { said, thought } = splitUnopened(this.#text);
    this.#text = said;
    this.#reasoning.addText(thought, { marked: false });
  }

  /** A piece is a `delta`; some servers call it `message`, and those of the old completions send bare `text`. */
  #addPiece({ delta, message, text }: JsonRecord): void {
    if (isRecord(delta)) {
      this.#hasDeltas = true;
      this.#addDelta(delta);
    }
    if (isRecord(message)) this.#addDelta(this.#hasDeltas ? this.#missingFrom(message) : message);
    else if (!isRecord(delta) && typeof text === "string") this.addText(text);
  }

  /** Among deltas, a `message` is the whole reply once more: what it has beyond the pieces that came. */
  #missingFrom(message: JsonRecord): JsonRecord {
    const known = this.#text ?? "";
    const whole = contentText(message["content"]) ?? "";
    return {
      metadata: message["metadata"],
      ...(whole.length > known.length && whole.startsWith(known) && { content: whole.slice(known.length) }),
      ...(this.#refusal === "" && { refusal: refusalText(message) }),
      ...(this.#toolCalls.size === 0 && { tool_calls: message["tool_calls"], function_call: message["function_call"] }),
    };
  }

  #addDelta(delta: JsonRecord): void {
    const thought = this.#reasoning.add(delta);
    if (thought !== "") this.#listeners.onReasoning(thought);
    const text = contentText(delta["content"]);
    if (text !== null) this.addText(text, { marked: isMarkedAsThought(delta) });
    this.#refusal += refusalText(delta) ?? "";
    this.#metadata = labels(delta["metadata"]) ?? this.#metadata;
    this.#addToolCalls(callList(delta["tool_calls"]));
    const legacy = legacyCall(delta);
    if (legacy) this.#addToolCalls([{ index: 0, function: legacy }]);
  }

  #addToolCalls(parts: readonly JsonRecord[]): void {
    if (parts.length === 0) return;
    this.#listeners.onToken();
    this.#toolCalls.add(parts);
  }
}
