import { isRecord, type JsonRecord } from "../../../contract/json-record.ts";
import { textList, withTurnExtras } from "../../extras.ts";
import { finishTurns } from "../../finish-turns.ts";
import { below, noteLeft, readInput, readLabels, type ItemContext } from "../../peer-item.ts";
import { anyField, listField, recordField, scalarText, textField } from "../../records.ts";
import type { TurnDraft } from "../../scenario-draft.ts";
import { turnsFromMessages, type Conversation } from "../../turns-from-messages.ts";
import { fromSecond } from "../from-second.ts";
import type { Importer } from "../importer.ts";
import { createRoom, expandTests, listOf, type ExpandedTest, type Layer, type Room } from "./expand-tests.ts";
import { readAssertions } from "./read-assertions.ts";
import { includePrompts } from "./named-files.ts";
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
  const template = firstPrompt(config, context);
  const groups = new Map<string, ExpandedTest[]>();
  for (const [index, test] of expandTests({ config, tests: written }, context, room).entries()) {
    const key = conversationKey(test, template) ?? `test ${index}`;
    const group = groups.get(key);
    if (group) group.push(test);
    else groups.set(key, [test]);
  }
  const templates = recordField(config, "assertionTemplates") ?? {};
  for (const tests of groups.values()) addGroup({ tests, template, templates, room });
}

/** Prompts are variants of what is under test; one of them is enough to know what the user says. */
function firstPrompt(config: JsonRecord, context: ItemContext): string | undefined {
  const { collector } = context;
  const value = anyField(config, "prompts");
  const written: unknown[] = isRecord(value) ? Object.keys(value) : value === undefined ? [] : [value].flat();
  const prompts = written.flatMap((prompt) => {
    const name = promptFile(prompt);
    return (name === undefined ? undefined : includePrompts(name, context)) ?? [prompt];
  });
  if (prompts.length > 1)
    collector.note(
      "dropped",
      below(context, "prompts").place,
      `${fromSecond("prompt", prompts.length)}; scenarios are made with the first`,
    );
  const template = prompts.length === 0 ? undefined : promptTemplate(prompts[0]);
  if (prompts.length > 0 && template === undefined) {
    const message = `the prompt is in another file (${scalarText(prompts[0]) ?? JSON.stringify(prompts[0])}); the user's message is taken from the variables`;
    collector.note("changed", below(context, "prompts", 0).place, message);
  }
  return template;
}

function conversationKey(
  { metadata, options, isolation }: ExpandedTest,
  template: string | undefined,
): string | undefined {
  const id = scalarText(metadata["conversationId"]);
  if (id !== undefined) return `id ${id}`;
  if (template === undefined || options["disableConversationVar"] === true) return undefined;
  return usesConversation(template) ? `default ${isolation}` : undefined;
}

interface Group {
  readonly tests: readonly ExpandedTest[];
  readonly template: string | undefined;
  readonly templates: JsonRecord;
  readonly room: Room;
}

function addGroup({ tests, template, templates, room }: Group): void {
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
    const conversation = readConversation(test, template);
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

function readConversation(
  { vars, options, context }: ExpandedTest,
  template: string | undefined,
): Conversation | undefined {
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
  { vars, assertions, metadata, context }: ExpandedTest,
  conversation: Conversation,
  templates: JsonRecord,
): TurnDraft[] {
  const { conversationId: _, ...labelled } = metadata;
  const labels = readLabels(labelled, context);
  const extras = anyField(recordField(metadata, "rehearsal"), "turn");
  const turns = finishTurns(conversation.turns, {
    ...readAssertions({ assertions, vars, templates, isOwn: extras !== undefined }),
    labels,
  });
  return turns.map((turn, index) => (index < turns.length - 1 ? turn : withTurnExtras(turn, extras)));
}
