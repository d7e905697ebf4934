import type { ToolCall } from "../../contract/model.ts";
import { isRecord, nonEmptyString, type JsonRecord } from "./json-values.ts";
import { callEcho, withUniqueIds } from "./message-content.ts";
import { parseJson } from "./parse-json.ts";

interface PartialToolCall {
  readonly index: number | null;
  id: string;
  name: string;
  arguments: string;
  extra: unknown;
}

/** Puts the tool calls of a stream together from their fragments. */
export class StreamedToolCalls {
  readonly #calls: PartialToolCall[] = [];

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
    const index = typeof part["index"] === "number" ? part["index"] : null;
    const fragment = asked["arguments"];
    const call = this.#known({ index, id, name, position, isEmpty: !fragment }) ?? this.#begin(index);
    call.id ||= id ?? "";
    call.name ||= name ?? "";
    call.extra ??= part["extra_content"];
    if (typeof fragment === "string") call.arguments += fragment;
    else if (isRecord(fragment)) call.arguments = JSON.stringify(fragment);
  }

  /** The call a fragment goes on with: by index, else the last one. Another id or another name means another call. */
  #known({ index, id, name, position, isEmpty }: Fragment): PartialToolCall | null {
    const known = index === null ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index);
    if (!known || (id !== null && known.id !== "" && known.id !== id)) return null;
    if (name === null || known.name === "") return known;
    if (name !== known.name) return null;
    // The same name again: a server that repeats it with every fragment, unless the call has all it can have.
    if (id !== null && id === known.id) return known;
    const goesOn = index === null ? position === 0 && !isWhole(known.arguments) : isEmpty || !isWhole(known.arguments);
    return goesOn ? known : null;
  }

  #begin(index: number | null): PartialToolCall {
    const call: PartialToolCall = { index, id: "", name: "", arguments: "", extra: undefined };
    this.#calls.push(call);
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

function isWhole(text: string): boolean {
  return isRecord(parseJson(text));
}

function toToolCall({ id, name, arguments: text, extra }: PartialToolCall): ToolCall {
  return { id, name, arguments: text.trim() === "" ? "{}" : text, ...callEcho(extra) };
}
