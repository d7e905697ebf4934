import { compact } from "../../../base/compact.ts";
import { BracketDepth } from "../../../base/json-text.ts";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { ReplyError, TokenUsage, ToolCall } from "../../../contract/ports/chat-model.ts";
import type { Metadata } from "../../../contract/schemas/scenario.ts";
import { withOpaqueMetadata } from "../opaque-metadata.ts";
import { labels, nonEmptyString, parseJson, plainRecord } from "../reply/json-values.ts";
import {
  argumentText,
  toOpaqueMetadata,
  callList,
  contentText,
  isMarkedAsThought,
  legacyCall,
  refusalText,
  withUniqueIds,
} from "../reply/message-content.ts";
import {
  brokenOff,
  finishReason,
  withheldReply,
  invalid,
  statedReason,
  tokenUsage,
  withoutContent,
  type AnswerContext,
  type ParsedReply,
} from "../reply/parsed-reply.ts";
import { ReasoningFields } from "../reply/reasoning-fields.ts";
import type { StreamListeners } from "../reply/reply-stream.ts";
import { splitUnopenedReasoning, ReasoningSplitter } from "../reply/reasoning-splitter.ts";
import { firstChoice } from "./reply.ts";

/** Builds a reply from the chunks of a streamed completion. */
export class StreamedReply {
  readonly #listeners: StreamListeners;
  readonly #logprobs = new StreamedLogprobs();
  readonly #toolCalls = new StreamedToolCalls();
  readonly #reasoning = new ReasoningFields();
  readonly #sorter = new ReasoningSplitter();
  /** Null until the first text, which may be empty. */
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
    // Groq reports usage in a field of its own unless it is requested.
    this.#usage = tokenUsage(chunk["usage"]) ?? tokenUsage(plainRecord(chunk["x_groq"])?.["usage"]) ?? this.#usage;
    this.#metadata = labels(chunk["metadata"]) ?? this.#metadata;
    const choice = firstChoice(chunk["choices"]);
    if (!choice) return;
    // Moonshot reports usage in the choice, requested or not.
    this.#usage ??= tokenUsage(choice["usage"]);
    this.#finish = statedReason(choice["finish_reason"]) ?? this.#finish;
    this.#logprobs.add(choice["logprobs"]);
    this.#addPiece(choice);
  }

  /** `marked`: the server marked the text as reasoning. */
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
    const toolCalls = withOpaqueMetadata(calls, { source: context.source, message: this.#reasoning.opaqueMetadata() });
    const refusal = this.#refusal || (this.#text ? null : withheldReply(this.#finish));
    if (this.#text === null && refusal === null && toolCalls.length === 0) {
      return withoutContent(this.#finish, context);
    }
    return {
      ok: true,
      text: this.#text ?? "",
      ...this.#reasoning.toReplyField(),
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

  /** Listeners have received this reasoning as part of the reply; only the end of the reply shows what it is. */
  #takeOutUnopened(): void {
    if (this.#text === null) return;
    const { said, thought } = splitUnopenedReasoning(this.#text);
    this.#text = said;
    this.#reasoning.addText(thought, { marked: false });
  }

  /** A chunk has a `delta`; some servers name it `message`, and those with legacy completions send bare `text`. */
  #addPiece({ delta, message, text }: JsonRecord): void {
    if (isRecord(delta)) {
      this.#hasDeltas = true;
      this.#addDelta(delta);
    }
    if (isRecord(message)) this.#addDelta(this.#hasDeltas ? this.#missingFrom(message) : message);
    else if (!isRecord(delta) && typeof text === "string") this.addText(text);
  }

  /** Among deltas, a `message` repeats the whole reply: the part of it that has not arrived yet. */
  #missingFrom(message: JsonRecord): JsonRecord {
    const known = this.#text ?? "";
    const whole = contentText(message["content"]) ?? "";
    return compact({
      metadata: message["metadata"],
      content: whole.length > known.length && whole.startsWith(known) ? whole.slice(known.length) : undefined,
      refusal: this.#refusal === "" ? refusalText(message) : undefined,
      tool_calls: this.#toolCalls.size === 0 ? message["tool_calls"] : undefined,
      function_call: this.#toolCalls.size === 0 ? message["function_call"] : undefined,
    });
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

interface PartialToolCall {
  id: string;
  name: string;
  arguments: GrowingJson;
  extra: unknown;
}

/** Builds the tool calls of a stream from their fragments. */
export class StreamedToolCalls {
  readonly #calls: PartialToolCall[] = [];
  /** The last call of each index: searching the list would take quadratic time with thousands of calls. */
  readonly #lastAt = new Map<number, PartialToolCall>();
  readonly #withId = new Map<string, PartialToolCall>();

  /** Adds the fragments of one chunk. */
  add(parts: readonly JsonRecord[]): void {
    for (const [position, part] of parts.entries()) this.#addPart(part, position);
  }

  get size(): number {
    return this.#calls.length;
  }

  finish(): readonly ToolCall[] {
    return withUniqueIds(this.#calls.map(toStreamedCall));
  }

  #addPart(part: JsonRecord, position: number): void {
    // Some servers omit the `function` wrapper.
    const asked = isRecord(part["function"]) ? part["function"] : part;
    const id = nonEmptyString(part["id"]);
    const name = nonEmptyString(asked["name"]);
    const index = toIndex(part["index"]);
    const fragment = asked["arguments"];
    const call = this.#known({ index, id, name, position, isEmpty: !fragment }) ?? this.#begin(index);
    call.id ||= id ?? "";
    if (id !== null) this.#withId.set(id, call);
    call.name ||= name ?? "";
    call.extra ??= part["extra_content"];
    if (typeof fragment === "string") call.arguments.add(fragment);
    else if (isRecord(fragment)) call.arguments = new GrowingJson(JSON.stringify(fragment));
  }

  /** The call that a fragment continues: by index, else by id, else the last. A different id or name begins another call. */
  #known({ index, id, name, position, isEmpty }: Fragment): PartialToolCall | null {
    const known = index === null ? (this.#begunAs(id) ?? this.#calls.at(-1)) : this.#lastAt.get(index);
    if (!known || (id !== null && known.id !== "" && known.id !== id)) return null;
    if (name === null || known.name === "") return known;
    if (name !== known.name) return null;
    // Some servers repeat the name with every fragment; after complete arguments it begins another call.
    if (id !== null && id === known.id) return known;
    const goesOn = index === null ? position === 0 && !known.arguments.isWhole : isEmpty || !known.arguments.isWhole;
    return goesOn ? known : null;
  }

  #begunAs(id: string | null): PartialToolCall | null {
    const call = id === null ? undefined : this.#withId.get(id);
    return call && !call.arguments.isWhole ? call : null;
  }

  #begin(index: number | null): PartialToolCall {
    const call: PartialToolCall = { id: "", name: "", arguments: new GrowingJson(), extra: undefined };
    this.#calls.push(call);
    if (index !== null) this.#lastAt.set(index, call);
    return call;
  }
}

interface Fragment {
  readonly index: number | null;
  readonly id: string | null;
  readonly name: string | null;
  /** Position among the fragments of its chunk. */
  readonly position: number;
  readonly isEmpty: boolean;
}

/** Some servers send the index as text. */
function toIndex(value: unknown): number | null {
  if (typeof value === "string" && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === "number" ? value : null;
}

function toStreamedCall({ id, name, arguments: { text }, extra }: PartialToolCall): ToolCall {
  return { id, name, arguments: argumentText(text), ...toOpaqueMetadata(extra) };
}

/**
 * The text of a JSON object that arrives in fragments. `isWhole` is read with every fragment, so the text is parsed at most
 * once, when its last bracket has arrived.
 */
export class GrowingJson {
  readonly #brackets = new BracketDepth();
  #text = "";
  #isValid: boolean | null = null;

  constructor(text = "") {
    this.add(text);
  }

  get text(): string {
    return this.#text;
  }

  /** True when the text is one complete object with nothing after it. */
  get isWhole(): boolean {
    if (!this.#brackets.isClosed) return false;
    this.#isValid ??= isRecord(parseJson(this.#text));
    return this.#isValid;
  }

  add(piece: string): void {
    this.#text += piece;
    if (this.#brackets.isClosed && piece.trim() !== "") this.#isValid = false;
    this.#brackets.add(piece);
  }
}

/** Builds the log probabilities of a stream, whose lists continue from chunk to chunk. */
class StreamedLogprobs {
  readonly #fields = new Map<string, unknown>();

  add(part: unknown): void {
    for (const [key, value] of Object.entries(plainRecord(part) ?? {})) {
      const known = this.#fields.get(key);
      if (!Array.isArray(value)) this.#fields.set(key, value ?? known ?? null);
      // Appended in place: a copy for every token would take quadratic time.
      else if (Array.isArray(known)) for (const item of value) known.push(item);
      else this.#fields.set(key, [...value]);
    }
  }

  finish(): JsonRecord | null {
    return this.#fields.size === 0 ? null : Object.fromEntries(this.#fields);
  }
}
