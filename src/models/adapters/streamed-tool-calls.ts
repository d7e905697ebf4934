import { BracketDepth } from "../../base/json-text.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ToolCall } from "../../contract/ports/chat-model.ts";
import { nonEmptyString } from "./json-values.ts";
import { argumentText, callEcho, withUniqueIds } from "./message-content.ts";
import { parseJson } from "./parse-json.ts";

interface PartialToolCall {
  id: string;
  name: string;
  arguments: GrowingJson;
  extra: unknown;
}

/** Puts the tool calls of a stream together from their fragments. */
export class StreamedToolCalls {
  readonly #calls: PartialToolCall[] = [];
  /** The last call of each index: searched for in the list, thousands of calls would take quadratic time. */
  readonly #lastAt = new Map<number, PartialToolCall>();
  readonly #withId = new Map<string, PartialToolCall>();

  /** Takes the fragments of one chunk. */
  add(parts: readonly JsonRecord[]): void {
    for (const [position, part] of parts.entries()) this.#addPart(part, position);
  }

  get size(): number {
    return this.#calls.length;
  }

  finish(): readonly ToolCall[] {
    return withUniqueIds(this.#calls.map(toToolCall));
  }

  #addPart(part: JsonRecord, position: number): void {
    // Some servers leave the wrapper out, as some do in a whole answer.
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

  /** The call a fragment goes on with: by index, else by id, else the last one. Another id or another name means another call. */
  #known({ index, id, name, position, isEmpty }: Fragment): PartialToolCall | null {
    const known = index === null ? (this.#begunAs(id) ?? this.#calls.at(-1)) : this.#lastAt.get(index);
    if (!known || (id !== null && known.id !== "" && known.id !== id)) return null;
    if (name === null || known.name === "") return known;
    if (name !== known.name) return null;
    // The same name again: a server that repeats it with every fragment, unless the call has all it can have.
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
  /** Where it stands among the fragments of its chunk. */
  readonly position: number;
  readonly isEmpty: boolean;
}

/** Some servers write it as a text. */
function toIndex(value: unknown): number | null {
  if (typeof value === "string" && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === "number" ? value : null;
}

function toToolCall({ id, name, arguments: { text }, extra }: PartialToolCall): ToolCall {
  return { id, name, arguments: argumentText(text), ...callEcho(extra) };
}

/**
 * The text of a JSON object that arrives in pieces. Whether it is whole is asked with every piece, tens of thousands of
 * times for a long one: it is parsed at most once, when its last bracket came.
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

  /** Whether it is an object, from its first bracket to its last. What comes after that makes it none. */
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
