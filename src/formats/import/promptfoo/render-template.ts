import { isRecord, type JsonRecord } from "../../../contract/json-record.ts";
import { field, scalarText } from "../../records.ts";
import { templatePieces } from "./template-pieces.ts";

export interface Rendered {
  readonly text: string;
  /** Parts of the template language we do not run; the text is not what promptfoo would have sent. */
  readonly unknown: readonly string[];
  /** Variables the test does not set. */
  readonly missing: readonly string[];
}

/** A value may be put in as often as the template names it, so a short file could stand for any length of text. */
const mostCharacters = 1_000_000;

interface Frame {
  readonly kind: "if" | "for" | "other";
  emits: boolean;
  /** Whether a branch of this `if` was taken. */
  taken: boolean;
}

/**
 * Fills in a prompt the way promptfoo does for the simple cases: `{{ name }}`, `{{ a.b | dump }}`, `{% if name %}`, raw blocks.
 * The loop over `_conversation` is left out, since the turns before are our own. With `json`, plain values are escaped for JSON.
 */
export function renderTemplate(
  template: string,
  vars: JsonRecord,
  { json = false }: { json?: boolean } = {},
): Rendered {
  const unknown: string[] = [];
  const missing: string[] = [];
  const frames: Frame[] = [];
  let text = "";
  let tooLong = false;
  const emit = (part: string) => {
    if (!frames.every(({ emits }) => emits)) return;
    tooLong ||= text.length + part.length > mostCharacters;
    if (!tooLong) text += part;
  };
  for (const { kind, content } of templatePieces(template)) {
    if (kind === "text") emit(content);
    else if (kind === "raw") emit(json ? escapeJson(content) : content);
    else if (kind === "tag") tag(content, { vars, frames, unknown });
    else if (frames.every(({ emits }) => emits)) emit(output(content, { vars, json, unknown, missing }));
  }
  if (tooLong) unknown.push(`more than ${mostCharacters} characters`);
  return { text, unknown, missing };
}

/** True when the prompt repeats the turns before, which makes the tests turns of one conversation. */
export const usesConversation = (template: string): boolean =>
  template.includes("_conversation") &&
  templatePieces(template).some(({ kind, content }) => kind !== "text" && /\b_conversation\b/.test(content));

/** What a template asks for and the test does not have. */
export const withoutValue = (names: readonly string[]): string =>
  `variables without a value: ${[...new Set(names)].join(", ")}`;

interface OutputContext {
  readonly vars: JsonRecord;
  readonly json: boolean;
  readonly unknown: string[];
  readonly missing: string[];
}

function output(expression: string, { vars, json, unknown, missing }: OutputContext): string {
  const [path = "", ...filters] = expression.split("|").map((part) => part.trim());
  if (!/^[\p{L}_$][\p{L}\p{N}_$.]*$/u.test(path)) {
    unknown.push(`{{ ${expression.trim()} }}`);
    return "";
  }
  const value = lookUp(vars, path);
  if (value === undefined) missing.push(path);
  let text = scalarText(value) ?? (value === undefined || value === null ? "" : JSON.stringify(value));
  let escaped = false;
  for (const filter of filters) {
    if (filter === "dump" || filter === "tojson") {
      text = JSON.stringify(value ?? null);
      escaped = true;
    } else if (filter === "trim") text = text.trim();
    else if (filter === "lower") text = text.toLowerCase();
    else if (filter === "upper") text = text.toUpperCase();
    else if (filter !== "safe") unknown.push(`filter ${filter}`);
  }
  return json && !escaped ? escapeJson(text) : text;
}

function tag(
  content: string,
  { vars, frames, unknown }: { vars: JsonRecord; frames: Frame[]; unknown: string[] },
): void {
  const [word = ""] = content.split(/\s/, 1);
  const rest = content.slice(word.length).trim();
  const top = frames.at(-1);
  if (word === "if") {
    const emits = condition(rest, vars, unknown);
    frames.push({ kind: "if", emits, taken: emits });
  } else if ((word === "else" || word === "elif") && top) {
    top.emits = !top.taken && (word === "else" || condition(rest, vars, unknown));
    top.taken ||= top.emits;
  } else if (word === "for") {
    if (!/\bin\s+_conversation\b/.test(rest)) unknown.push(`{% ${content} %}`);
    frames.push({ kind: "for", emits: false, taken: false });
  } else if (word === `end${top?.kind}`) frames.pop();
  else unknown.push(`{% ${content} %}`);
}

function condition(expression: string, vars: JsonRecord, unknown: string[]): boolean {
  const match = /^(not\s+)?([\p{L}_$][\p{L}\p{N}_$.]*)$/u.exec(expression);
  if (!match?.[2]) {
    unknown.push(`{% if ${expression} %}`);
    return false;
  }
  const value = lookUp(vars, match[2]);
  const holds = Array.isArray(value) ? value.length > 0 : Boolean(value);
  return match[1] === undefined ? holds : !holds;
}

const lookUp = (vars: JsonRecord, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (isRecord(value) ? field(value, name) : undefined), vars);

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);
