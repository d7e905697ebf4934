import { parse } from "yaml";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { textField } from "../../records.ts";
import { renderTemplate, type Rendered } from "./render-template.ts";

/** A prompt's own text, or undefined when it stands in a file we were not given. */
export function promptTemplate(prompt: unknown): string | undefined {
  if (Array.isArray(prompt)) return JSON.stringify(prompt);
  const text = textOf(prompt);
  if (text === undefined) return isRecord(prompt) && "role" in prompt ? JSON.stringify([prompt]) : undefined;
  return isFileName(text) ? undefined : text;
}

/** The file a prompt is in, where it is not written here. */
export function promptFile(prompt: unknown): string | undefined {
  const text = textOf(prompt);
  return text !== undefined && isFileName(text) ? text : undefined;
}

/** promptfoo takes a prompt's id for its text where it has no other. */
const textOf = (prompt: unknown): string | undefined =>
  typeof prompt === "string" ? prompt : textField(prompt, "raw", "template", "content", "prompt", "id");

/** promptfoo takes these for files to read, not for prompts. */
function isFileName(text: string): boolean {
  if (/^(file|exec|langfuse|portkey|helicone|az|http|https):\/\//.test(text.trim())) return true;
  return /^\S+\.(txt|json|jsonl|ya?ml|md|j2|csv|[cm]?[jt]s|py)(:\w+)?$/.test(text.trim());
}

interface FilledPrompt extends Rendered {
  /** The messages of a chat prompt; undefined for one that is plain text. */
  readonly messages: readonly unknown[] | undefined;
}

/** The prompt with the test's variables in it; chat prompts in JSON or YAML are taken apart. */
export function fillPrompt(template: string, vars: JsonRecord): FilledPrompt {
  const plain = renderTemplate(template, vars);
  if (!/^\s*[[-]/.test(template)) return { ...plain, messages: wholeChat(plain.text) };
  const listed = readList(template, template.trimStart().startsWith("[") ? [readJson] : [readYaml]);
  if (listed) return { ...plain, messages: renderStrings(listed, vars) };
  const escaped = renderTemplate(template, vars, { json: true });
  return { ...plain, messages: readList(escaped.text, [readJson, readYaml]) };
}

/** A variable may be the whole chat: promptfoo sends what a prompt comes to, once filled in, as the messages it is. */
const wholeChat = (text: string): readonly unknown[] | undefined =>
  /^\s*\[/.test(text) ? readList(text, [readJson]) : /^\s*- role:/.test(text) ? readList(text, [readYaml]) : undefined;

const readJson = (text: string): unknown => JSON.parse(text);
const readYaml = (text: string): unknown => parse(text, { logLevel: "silent" });

function readList(text: string, readers: readonly ((text: string) => unknown)[]): readonly unknown[] | undefined {
  for (const read of readers) {
    try {
      const value = read(text);
      if (Array.isArray(value) && value.every((entry) => isRecord(entry) && "role" in entry)) return value;
    } catch {
      // Not this syntax: the next one, or the prompt is plain text.
    }
  }
  return undefined;
}

function renderStrings(value: readonly unknown[], vars: JsonRecord): unknown[] {
  const render = (entry: unknown): unknown => {
    if (typeof entry === "string") return renderTemplate(entry, vars).text;
    if (Array.isArray(entry)) return entry.map(render);
    return isRecord(entry)
      ? Object.fromEntries(Object.entries(entry).map(([key, inner]) => [key, render(inner)]))
      : entry;
  };
  return value.map(render);
}
