import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { field, scalarText } from "../../documents/records.ts";

/** A reference in a template: `{{item.customer.name}}`, `{{ sample.output_json.items[0] }}`. */
export interface Reference {
  readonly namespace: "item" | "sample";
  readonly path: readonly (string | number)[];
}

/** A template filled with a row's values. References to the reply stay open. */
export interface Filled {
  /** Texts and references to `sample`; adjacent texts are joined. */
  readonly pieces: readonly (string | Reference)[];
  /** Fields that the row lacks. */
  readonly missing: readonly string[];
}

/** A template may repeat a value, so a short file could expand to any length. */
const mostCharacters = 1_000_000;

const placeholder = /\{\{([^{}]+)\}\}/g;
const path = /^(item|sample)((?:\.[^.[\]|]+|\[\d+\]|\[(?:"[^"\]]*"|'[^'\]]*')\])*)$/;
const step = /\.([^.[]+)|\[(\d+)\]|\[(?:"([^"\]]*)"|'([^'\]]*)')\]/g;

/** Splits a template. Braces around anything but `item` and `sample` are plain text, as in a prompt about JSON. */
export function templateParts(template: string): (string | Reference)[] {
  const pieces: (string | Reference)[] = [];
  let end = 0;
  for (const match of template.matchAll(placeholder)) {
    const reference = toReference((match[1] ?? "").trim());
    if (!reference) continue;
    if (match.index > end) pieces.push(template.slice(end, match.index));
    pieces.push(reference);
    end = match.index + match[0].length;
  }
  if (end < template.length) pieces.push(template.slice(end));
  return pieces;
}

/** An expression beyond a path, such as one with a filter, becomes a field that no row has. */
function toReference(expression: string): Reference | undefined {
  const [, namespace, steps] = path.exec(expression) ?? /^(item|sample)\b/.exec(expression) ?? [];
  if (namespace !== "item" && namespace !== "sample") return undefined;
  return {
    namespace,
    path: steps === undefined ? [expression.slice(namespace.length).replace(/^\./, "")] : stepsOf(steps),
  };
}

const stepsOf = (text: string): (string | number)[] =>
  [...text.matchAll(step)].map(([, name, index, double, single]) =>
    index === undefined ? (name ?? double ?? single ?? "") : Number(index),
  );

/** Fills a template from a row. `reply` is the field with the reply if the eval ran on recorded replies. */
export function fillTemplate(template: string, item: JsonRecord, reply?: Reference): Filled {
  const pieces: (string | Reference)[] = [];
  const missing: string[] = [];
  let length = 0;
  for (const piece of templateParts(template)) {
    const isReply = typeof piece === "object" && reply !== undefined && referenceText(piece) === referenceText(reply);
    const read = isReply ? replyText : piece;
    if (typeof read === "object" && read.namespace === "sample") {
      pieces.push(read);
      continue;
    }
    const text = typeof read === "string" ? read : textAt(item, read.path);
    length += text?.length ?? 0;
    if (length > mostCharacters) return { pieces: [], missing: [`the text of more than ${mostCharacters} characters`] };
    if (text === undefined) missing.push(referenceText(read as Reference));
    else if (typeof pieces.at(-1) === "string") pieces.push(`${pieces.pop() as string}${text}`);
    else pieces.push(text);
  }
  return { pieces, missing };
}

const replyText: Reference = { namespace: "sample", path: ["output_text"] };

/** The nested value at a path, by own properties only. */
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

/** A reference as text: `item.customer.name`. */
export const referenceText = ({ namespace, path: steps }: Reference): string =>
  steps.reduce<string>((text, name) => (typeof name === "number" ? `${text}[${name}]` : `${text}.${name}`), namespace);

/** The text of a template that does not use the reply. */
export function textWithoutReply({ pieces }: Filled): string | undefined {
  const [only = "", ...others] = pieces;
  return typeof only === "string" && others.length === 0 ? only : undefined;
}

/** The part of the reply that a reference reads: its text or a field of its JSON. Null for any other part of a sample. */
export type ReplyPart = { readonly kind: "text" } | { readonly kind: "json"; readonly path: Reference["path"] } | null;

export function replyPart({ path: [first, ...rest] }: Reference): ReplyPart {
  if (first === "output_json") return { kind: "json", path: rest };
  const isText =
    first === "output_text" ? rest.length === 0 : first === "choices" && rest.join(".") === "0.message.content";
  return isText ? { kind: "text" } : null;
}
