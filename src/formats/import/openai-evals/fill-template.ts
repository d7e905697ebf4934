import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { field, scalarText } from "../../records.ts";

/** A value that a template reads: `{{item.customer.name}}`, `{{ sample.output_json.items[0] }}`. */
export interface Reference {
  readonly namespace: "item" | "sample";
  readonly path: readonly (string | number)[];
}

/** A template with the row's values filled in. What it reads of the reply is known only when there is one. */
export interface Filled {
  /** Texts and, between them, the paths below `sample`. No two texts follow each other. */
  readonly pieces: readonly (string | Reference)[];
  /** Fields the row does not have. */
  readonly missing: readonly string[];
}

/** A value may be read as often as a template likes, so a short file could stand for any length of text. */
const mostCharacters = 1_000_000;

const placeholder = /\{\{\s*([^{}]+?)\s*\}\}/g;
const path = /^(item|sample)((?:\.[^.[\]|]+|\[\d+\]|\[(?:"[^"\]]*"|'[^'\]]*')\])*)$/;
const step = /\.([^.[]+)|\[(\d+)\]|\[["']([^\]]*)["']\]/g;

/** The parts of a template. Braces around anything but `item` and `sample` are plain text, as in a prompt about JSON. */
export function templatePieces(template: string): (string | Reference)[] {
  const pieces: (string | Reference)[] = [];
  let end = 0;
  for (const match of template.matchAll(placeholder)) {
    const reference = toReference(match[1] ?? "");
    if (!reference) continue;
    if (match.index > end) pieces.push(template.slice(end, match.index));
    pieces.push(reference);
    end = match.index + match[0].length;
  }
  if (end < template.length) pieces.push(template.slice(end));
  return pieces;
}

/** An expression that is more than a path, such as one with a filter, is a field that no row has. */
function toReference(expression: string): Reference | undefined {
  const [, namespace, steps] = path.exec(expression) ?? /^(item|sample)\b/.exec(expression) ?? [];
  if (namespace !== "item" && namespace !== "sample") return undefined;
  return {
    namespace,
    path: steps === undefined ? [expression.slice(namespace.length).replace(/^\./, "")] : stepsOf(steps),
  };
}

const stepsOf = (text: string): (string | number)[] =>
  [...text.matchAll(step)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? "") : Number(index),
  );

/**
 * Fills in what a template reads of a row. `reply` names the field of the row that holds the reply, where the eval was run on
 * replies that had been made before.
 */
export function fillTemplate(template: string, item: JsonRecord, reply?: Reference): Filled {
  const pieces: (string | Reference)[] = [];
  const missing: string[] = [];
  let length = 0;
  for (const piece of templatePieces(template)) {
    const isReply = typeof piece === "object" && reply !== undefined && written(piece) === written(reply);
    const read = isReply ? replyText : piece;
    if (typeof read === "object" && read.namespace === "sample") {
      pieces.push(read);
      continue;
    }
    const text = typeof read === "string" ? read : textAt(item, read.path);
    length += text?.length ?? 0;
    if (length > mostCharacters) return { pieces: [], missing: [`the text of more than ${mostCharacters} characters`] };
    if (text === undefined) missing.push(written(read as Reference));
    else if (typeof pieces.at(-1) === "string") pieces.push(`${pieces.pop() as string}${text}`);
    else pieces.push(text);
  }
  return { pieces, missing };
}

const replyText: Reference = { namespace: "sample", path: ["output_text"] };

/** The value below a record, by own properties only. */
export function valueAt(value: unknown, steps: Reference["path"]): unknown {
  return steps.reduce<unknown>(
    (found, name) => (Array.isArray(found) ? (found[Number(name)] as unknown) : field(found, String(name))),
    value,
  );
}

function textAt(item: JsonRecord, steps: Reference["path"]): string | undefined {
  const value = valueAt(item, steps);
  return scalarText(value) ?? (isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : undefined);
}

/** A reference as it is written in a template: `item.customer.name`. */
export const written = ({ namespace, path: steps }: Reference): string =>
  steps.reduce<string>((text, name) => (typeof name === "number" ? `${text}[${name}]` : `${text}.${name}`), namespace);

/** The whole text, where the template reads nothing of the reply. */
export function plainText({ pieces }: Filled): string | undefined {
  const [only = "", ...others] = pieces;
  return typeof only === "string" && others.length === 0 ? only : undefined;
}

/** The part of the reply that a template reads: its text, or a field of its JSON. Null for anything else of a sample. */
export type ReplyPart = { readonly kind: "text" } | { readonly kind: "json"; readonly path: Reference["path"] } | null;

export function replyPart({ path: [first, ...rest] }: Reference): ReplyPart {
  if (first === "output_json") return { kind: "json", path: rest };
  const isText =
    first === "output_text" ? rest.length === 0 : first === "choices" && rest.join(".") === "0.message.content";
  return isText ? { kind: "text" } : null;
}
