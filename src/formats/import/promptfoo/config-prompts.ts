import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { below, type ItemContext } from "../../peer-item.ts";
import { anyField, scalarText } from "../../records.ts";
import { fromSecond } from "../from-second.ts";
import { includePrompts } from "./named-files.ts";
import { promptFile, promptTemplate } from "./read-prompt.ts";

interface NamedPrompt {
  /** As it is written, or the text of its file. */
  readonly prompt: unknown;
  readonly names: readonly string[];
}

/** The prompts of a config: variants of what is under test, of which one is enough to know what the user says. */
export interface ConfigPrompts {
  readonly first: string | undefined;
  /** The first of those with one of these names; undefined where there is none. */
  named(names: readonly string[]): string | undefined;
}

export function readPrompts(config: JsonRecord, context: ItemContext): ConfigPrompts {
  const { collector } = context;
  const value = anyField(config, "prompts");
  const written: unknown[] = isRecord(value) ? Object.keys(value) : value === undefined ? [] : [value].flat();
  const prompts = written.flatMap((prompt): NamedPrompt[] => {
    const file = promptFile(prompt);
    const texts = (file === undefined ? undefined : includePrompts(file, context)) ?? [prompt];
    return texts.map((text) => ({ prompt: text, names: namesOf(prompt) }));
  });
  const [first] = prompts;
  if (prompts.length > 1)
    collector.note(
      "dropped",
      below(context, "prompts").place,
      `${fromSecond("prompt", prompts.length)}; scenarios are made with the first`,
    );
  const template = first && promptTemplate(first.prompt);
  if (first && template === undefined) {
    const message = `the prompt is in another file (${scalarText(first.prompt) ?? JSON.stringify(first.prompt)}); the user's message is taken from the variables`;
    collector.note("changed", below(context, "prompts", 0).place, message);
  }
  return {
    first: template,
    named: (names) => {
      const found = prompts.find((prompt) => names.some((name) => prompt.names.some((own) => isMeant(name, own))));
      return found && promptTemplate(found.prompt);
    },
  };
}

const namesOf = (prompt: unknown): string[] =>
  [prompt, anyField(prompt, "label"), anyField(prompt, "id")].filter((name) => typeof name === "string");

/** A name stands for a group of prompts, too: `Group` and `Group:*` for `Group:one`. */
const isMeant = (name: string, own: string): boolean =>
  name === own || own.startsWith(`${name}:`) || (name.endsWith("*") && own.startsWith(name.slice(0, -1)));
