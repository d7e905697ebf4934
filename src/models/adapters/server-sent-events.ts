import { TextDecoder } from "node:util";

/** One event: its name ("message" unless given) and its data lines, joined. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** A line or an event that is longer than we hold in memory. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

export const maximumLineLength = 1024 * 1024;

/** Splits bytes into events. Characters cut in two by a chunk border come out whole; a last event without its blank line counts. */
export async function* serverSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  { maximum = maximumLineLength }: { maximum?: number } = {},
): AsyncGenerator<ServerSentEvent> {
  let event = "";
  let data: string[] = [];
  let size = 0;

  function take(): ServerSentEvent | null {
    const complete = data.length > 0 ? { event: event || "message", data: data.join("\n") } : null;
    event = "";
    data = [];
    size = 0;
    return complete;
  }

  for await (const line of lines(chunks, maximum)) {
    if (line === "") {
      const complete = take();
      if (complete) yield complete;
      continue;
    }
    const [field, value] = splitField(line);
    if (field === "event") event = value;
    if (field !== "data") continue;
    size += value.length;
    if (size > maximum) throw new LineTooLong();
    data.push(value);
  }
  const last = take();
  if (last) yield last;
}

async function* lines(chunks: AsyncIterable<Uint8Array>, maximum: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Parts of the unfinished line. Only the new part is searched for its end, or many tiny chunks would take quadratic time.
  let pending: string[] = [];
  let length = 0;
  let skipLineFeed = false;

  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (skipLineFeed && text.startsWith("\n")) text = text.slice(1);
    skipLineFeed = text.endsWith("\r");
    const parts = text.split(/\r\n|\n|\r/);
    for (const [index, part] of parts.entries()) {
      length += part.length;
      if (length > maximum) throw new LineTooLong();
      pending.push(part);
      if (index === parts.length - 1) break;
      yield pending.join("");
      pending = [];
      length = 0;
    }
  }
  const rest = pending.join("") + decoder.decode();
  if (rest !== "") yield rest;
}

function splitField(line: string): [field: string, value: string] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}
