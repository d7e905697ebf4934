import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { textList, withTurnExtras } from "../../extras.ts";
import { finishTurns } from "../../finish-turns.ts";
import { below, givenBeside, noteLeft, readInput, readLabels, type ItemContext } from "../../peer-item.ts";
import { anyField, listField, recordField, scalarText, textField } from "../../records.ts";
import type { TurnDraft } from "../../scenario-draft.ts";
import { turnsFromMessages, type Conversation } from "../../turns-from-messages.ts";
import { fromSecond } from "../from-second.ts";
import type { Importer } from "../importer.ts";
import { createRoom, expandTests, listOf, type ExpandedTest, type Layer, type Room } from "./expand-tests.ts";
import { includePrompts } from "./named-files.ts";
import { readAssertions } from "./read-assertions.ts";
import { fillPrompt, promptFile, promptTemplate } from "./read-prompt.ts";
import { usesConversation, withoutValue } from "./render-template.ts";

const read = new Set(["prompts", "tests", "scenarios", "defaultTest", "assertionTemplates", "description", "$schema"]);

/**
 * A promptfoo config, or the tests of one by themselves: in a list, or one a line. Tests of one conversation become the turns of one
 * scenario.
 */
export const importPromptfoo: Importer = ({ document, collector, mapping, files }) => {
  const room = createRoom();
  const alone: Layer[] = [];
  for (const { value, place } of document.values) {
    const context = { place, collector, mapping, files };
    if (Array.isArray(value)) for (const test of listOf(value, context)) alone.push(test);
    else if (!isRecord(value)) collector.note("dropped", place, "this is no promptfoo config");
    else if (isTest(value)) alone.push({ value, context });
    else addConfig({ config: value, tests: listOf(value["tests"], below(context, "tests")) }, context, room);
  }
  addConfig({ config: {}, tests: alone }, { place: {}, collector, mapping, files }, room);
};

const isTest = (value: JsonRecord): boolean =>
  ["vars", "assert"].some((name) => name in value) && !["prompts", "tests", "scenarios"].some((name) => name in value);

interface Config {
  readonly config: JsonRecord;
  readonly tests: readonly Layer[];
}

function addConfig({ config, tests: written }: Config, context: ItemContext, room: Room): void {
  const settings = Object.keys(config).filter((name) => !read.has(name));
  if (settings.length > 0)
    context.collector.note("dropped", context.place, `settings of the run, not of a scenario: ${settings.join(", ")}`);
  const prompts = readPrompts(config, context);
  const groups = new Map<string, PromptedTest[]>();
  const isAlone = givenBeside(config, []).every((name) => name !== "tests" && name !== "scenarios");
  const tests = isAlone ? [...written, ...promptAlone(config, prompts, context)] : written;
  for (const [index, test] of expandTests({ config, tests }, context, room).entries()) {
    const prompted = { ...test, template: promptOf(test, prompts) };
    const key = conversationKey(prompted) ?? `test ${index}`;
    const group = groups.get(key);
    if (group) group.push(prompted);
    else groups.set(key, [prompted]);
  }
  const templates = recordField(config, "assertionTemplates") ?? {};
  for (const group of groups.values()) addGroup({ tests: group, templates, room });
}

/** A config without tests asks what its prompt says; one that waits for variables says nothing by itself. */
function promptAlone(config: JsonRecord, { first }: ConfigPrompts, context: ItemContext): Layer[] {
  const vars = recordField(recordField(config, "defaultTest"), "vars") ?? {};
  const filled = first === undefined ? undefined : fillPrompt(first, vars);
  return filled?.missing.length === 0 && filled.unknown.length === 0 ? [{ value: {}, context }] : [];
}

interface PromptedTest extends ExpandedTest {
  readonly template: string | undefined;
}

/** A test may be for some of the prompts only. */
function promptOf(
  { prompts: names, context: { collector, place } }: ExpandedTest,
  prompts: ConfigPrompts,
): string | undefined {
  if (!names) return prompts.first;
  const named = prompts.named(names);
  if (named === undefined)
    collector.note(
      "dropped",
      place,
      `no prompt that is known here is called ${names.join(" or ")}; the first was taken`,
    );
  return named ?? prompts.first;
}

function conversationKey({ metadata, options, isolation, template }: PromptedTest): string | undefined {
  const id = scalarText(metadata["conversationId"]);
  if (id !== undefined) return `id ${id}`;
  if (template === undefined || options["disableConversationVar"] === true) return undefined;
  return usesConversation(template) ? `default ${isolation}` : undefined;
}

interface Group {
  readonly tests: readonly PromptedTest[];
  readonly templates: JsonRecord;
  readonly room: Room;
}

function addGroup({ tests, templates, room }: Group): void {
  const [first] = tests;
  if (!first) return;
  const { collector, place } = first.context;
  const turns: TurnDraft[] = [];
  let system: string | undefined;
  for (const test of tests) {
    if (room.characters <= 0) {
      collector.note("dropped", {}, "the tests repeat so much text that the later ones were left out");
      if (turns.length === 0) return;
      break;
    }
    const conversation = readConversation(test);
    if (!conversation || conversation.turns.length === 0) {
      collector.note("dropped", test.context.place, "the test has no user message");
      continue;
    }
    room.characters -= conversation.turns.reduce((sum, { user }) => sum + user.length, 0);
    const finished = finish(test, conversation, templates);
    if (turns.length > 0 && finished.length > 1)
      collector.note("dropped", test.context.place, "history written into a later turn; it is the turns before");
    for (const turn of turns.length === 0 ? finished : finished.slice(-1)) turns.push(turn);
    system ??= conversation.system;
  }
  const extras = recordField(first.metadata, "rehearsal");
  collector.add({
    place,
    id: anyField(first.metadata, "conversationId") ?? anyField(first.test, "id"),
    description: textField(extras, "description") ?? (extras ? "" : textField(first.test, "description")),
    tags: textList(listField(extras, "tags")),
    system,
    turns,
  });
}

function readConversation({ vars, options, context, template }: PromptedTest): Conversation | undefined {
  const [prefix = "", suffix = ""] = [textField(options, "prefix"), textField(options, "suffix")];
  const filled = template === undefined ? undefined : fillPrompt(`${prefix}${template}${suffix}`, vars);
  if (!filled || filled.unknown.length > 0) {
    if (!filled && prefix + suffix !== "")
      context.collector.note("dropped", context.place, "prefix and suffix of a prompt that is not here");
    if (filled)
      context.collector.note(
        "changed",
        context.place,
        `the prompt uses ${filled.unknown.join(", ")}; the user's message is taken from the variables`,
      );
    const conversation = readInput(vars, context);
    noteLeft(conversation?.left ?? [], context);
    return conversation;
  }
  if (filled.missing.length > 0) context.collector.note("changed", context.place, withoutValue(filled.missing));
  if (filled.messages)
    return turnsFromMessages({ messages: filled.messages, place: context.place, collector: context.collector });
  return { system: undefined, turns: [{ user: filled.text }], open: true };
}

function finish(
  { vars, assertions, metadata, options, context }: ExpandedTest,
  conversation: Conversation,
  templates: JsonRecord,
): TurnDraft[] {
  const { conversationId: _, ...labelled } = metadata;
  const labels = readLabels(labelled, context);
  const extras = anyField(recordField(metadata, "rehearsal"), "turn");
  const turns = finishTurns(conversation.turns, {
    ...readAssertions({ assertions, vars, templates, options, isOwn: extras !== undefined }),
    labels,
  });
  return turns.map((turn, index) => (index < turns.length - 1 ? turn : withTurnExtras(turn, extras)));
}

interface NamedPrompt {
  /** As it is written, or the text of its file. */
  readonly prompt: unknown;
  readonly names: readonly string[];
}

/** The prompts of a config: variants of what is under test, of which one is enough to know what the user says. */
interface ConfigPrompts {
  readonly first: string | undefined;
  /** The first of those with one of these names; undefined where there is none. */
  named(names: readonly string[]): string | undefined;
}

function readPrompts(config: JsonRecord, context: ItemContext): ConfigPrompts {
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
