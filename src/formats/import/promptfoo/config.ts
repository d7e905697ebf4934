import { parse } from "yaml";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { contentHash } from "../../shared/content-hash.ts";
import { anyField, listField, recordField, scalarText, textField, toTextList } from "../../documents/records.ts";
import { withTurnExtras, withWholeExtras } from "../../shared/extras.ts";
import {
  completeLastTurn,
  type ImportedScenario,
  type ImportedTurn,
  type ImportedVariant,
} from "../../shared/imported-scenario.ts";
import { turnsFromMessages, type ParsedConversation } from "../../shared/read-messages.ts";
import { FormatError } from "../../documents/format-error.ts";
import { readTools, type ImportedTool } from "../../shared/tool-calls.ts";
import { keepUnasked, readInput, splitMetadata } from "../../shared/dataset-item.ts";
import type { Importer } from "../../shared/define-format.ts";
import { allButFirst, descend, otherFields, type ItemContext } from "../../shared/items.ts";
import {
  createExpansionBudget,
  expandTests,
  resolveLayers,
  type ExpandedTest,
  type ExpansionBudget,
  type TestLayer,
} from "./expand-tests.ts";
import { includePrompts, includeValue } from "./named-files.ts";
import { isFileReference, placedAssertions, readAssertions } from "./read-assertions.ts";
import { missingVariablesText, renderTemplate, usesConversation, type Rendered } from "./render-template.ts";
import type { ToolExpectation } from "./tool-assertions.ts";

const configFields = new Set([
  "prompts",
  "providers",
  "targets",
  "tests",
  "scenarios",
  "defaultTest",
  "assertionTemplates",
  "description",
  "redteam",
  "$schema",
]);

const redTeamText =
  "red teaming is not supported: promptfoo generates attacks and judges the replies with models of its own";

/** A promptfoo config, or only its tests as a list or one per line. Tests of one conversation become the turns of one scenario. */
export const importPromptfoo: Importer = ({ document, collector, mapping, files }) => {
  const budget = createExpansionBudget();
  const alone: TestLayer[] = [];
  for (const { value, place } of document.values) {
    const context = { place, collector, mapping, files };
    if (Array.isArray(value)) for (const test of resolveLayers(value, context)) alone.push(test);
    else if (!isRecord(value)) collector.note("dropped", place, "this is not a promptfoo config");
    else if (isTest(value)) alone.push({ value, context });
    else addConfig({ config: value, tests: resolveLayers(value["tests"], descend(context, "tests")) }, context, budget);
  }
  addConfig({ config: {}, tests: alone }, { place: {}, collector, mapping, files }, budget);
};

const isTest = (value: JsonRecord): boolean =>
  ["vars", "assert"].some((name) => name in value) && !["prompts", "tests", "scenarios"].some((name) => name in value);

interface PromptfooConfig {
  readonly config: JsonRecord;
  readonly tests: readonly TestLayer[];
}

function addConfig({ config, tests: written }: PromptfooConfig, context: ItemContext, budget: ExpansionBudget): void {
  noteRedTeam({ config, tests: written }, context);
  const settings = Object.keys(config).filter((name) => !configFields.has(name));
  if (settings.length > 0)
    context.collector.note("dropped", context.place, `settings of the run, not of a scenario: ${settings.join(", ")}`);
  const prompts = readPrompts(config, context);
  const groups = new Map<string, PromptedTest[]>();
  const isAlone = otherFields(config, []).every((name) => name !== "tests" && name !== "scenarios");
  const tests = isAlone ? [...written, ...promptAsTest(config, prompts, context)] : written;
  const expanded = expandTests({ config, tests }, context, budget);
  if (expanded.length === 0) noteUnused(config, context);
  for (const [index, test] of expanded.entries()) {
    const prompted = { ...test, template: promptOf(test, prompts) };
    const key = conversationKey(prompted) ?? `test ${index}`;
    const group = groups.get(key);
    if (group) group.push(prompted);
    else groups.set(key, [prompted]);
  }
  const describedAs = Map.groupBy(expanded, ({ test }) => textField(test, "description"));
  const templates = recordField(config, "assertionTemplates") ?? {};
  const tools = providerTools(config, context);
  readProviders(config, context);
  for (const group of groups.values()) {
    const [first] = group;
    const hasOwnDescription =
      first !== undefined && describedAs.get(textField(first.test, "description"))?.length === 1;
    addGroup({ tests: group, templates, tools, budget, prompts, hasOwnDescription });
  }
}

/** Default assertions without a test to apply to would be lost without a word. */
function noteUnused(config: JsonRecord, context: ItemContext): void {
  const assertions = listField(recordField(config, "defaultTest"), "assert") ?? [];
  for (const { value, context: at } of placedAssertions(assertions, descend(context, "defaultTest")))
    at.collector.note(
      "dropped",
      at.place,
      `assertion ${textField(value, "type") ?? ""}: no test was read that it applies to`,
    );
}

/** A configuration for red teaming alone has no tests to import; generated attacks are questions like any other. */
function noteRedTeam({ config, tests }: PromptfooConfig, { place, collector }: ItemContext): void {
  if (!("redteam" in config)) return;
  if (tests.length === 0 && !("scenarios" in config)) throw new FormatError(redTeamText);
  collector.note("changed", place, `${redTeamText}; the generated prompts were read as questions`);
}

/** Words between a provider and its model that choose one of its APIs. */
const apiWords = /^(?:chat|messages|responses|completions?|text|converse)$/;
/** Providers of models whose ids begin with their name. */
const modelProviders =
  /^(?:ai21|anthropic|azureopenai|cerebras|cohere|deepseek|fireworks|google|groq|mistral|ollama|openai|openrouter|perplexity|together|togetherai|vertex|xai)$/;

/** Keeps the models of a config, which an evaluation without others uses, and notes what else its providers say. */
function readProviders(config: JsonRecord, context: ItemContext): void {
  const { collector } = context;
  const name = "providers" in config ? "providers" : "targets";
  for (const [index, provider] of [anyField(config, name) ?? []].flat().entries()) {
    const at = descend(context, name, index).place;
    const [key, inner] = isRecord(provider) && !("id" in provider) ? (Object.entries(provider)[0] ?? []) : [];
    const id = scalarText(provider) ?? textField(provider, "id") ?? key;
    const model = id === undefined ? undefined : toModelId(id);
    if (id === "echo") continue;
    if (model === undefined)
      collector.note("dropped", at, `the provider ${id ?? ""} is not a model; --model names one`);
    else collector.useModel(model);
    const left = otherFields(isRecord(inner) ? inner : isRecord(provider) && !key ? provider : {}, ["id", "label"]);
    if (left.length > 0) collector.note("dropped", at, `settings of the provider ${id ?? ""}: ${left.join(", ")}`);
  }
}

/** `openai:chat:gpt-5` is `openai/gpt-5` here; undefined for providers that are programs, addresses or agents. */
function toModelId(id: string): string | undefined {
  const [provider = "", ...rest] = id.split(":");
  const model = (apiWords.test(rest[0] ?? "") ? rest.slice(1) : rest).join(":");
  return modelProviders.test(provider) && model !== "" && !/\s/.test(model) ? `${provider}/${model}` : undefined;
}

/** The tools of the first provider that has some; a model needs them to make the expected calls. */
function providerTools(config: JsonRecord, context: ItemContext): ImportedTool[] {
  const providers = [anyField(config, "providers", "targets") ?? []].flat();
  for (const provider of providers) {
    const settings =
      anyField(provider, "config") ?? anyField(Object.values(isRecord(provider) ? provider : {})[0], "config");
    const given = anyField(settings, "tools", "functions");
    const value = isFileReference(given) ? includeValue(String(given), context) : given;
    const tools = readTools(value);
    if (tools.length > 0) return tools;
  }
  return [];
}

/** A config without tests is one test if its prompt needs no variables. */
function promptAsTest(config: JsonRecord, { first }: ConfigPrompts, context: ItemContext): TestLayer[] {
  const vars = recordField(recordField(config, "defaultTest"), "vars") ?? {};
  const filled = first === undefined ? undefined : fillPrompt(first, vars);
  return filled?.missing.length === 0 && filled.unknown.length === 0 ? [{ value: {}, context }] : [];
}

interface PromptedTest extends ExpandedTest {
  readonly template: string | undefined;
}

/** A test may be limited to some of the prompts. */
function promptOf(
  { prompts: names, context: { collector, place } }: ExpandedTest,
  prompts: ConfigPrompts,
): string | undefined {
  if (!names) return prompts.first;
  const named = prompts.named(names);
  if (named === undefined)
    collector.note("dropped", place, `no prompt named ${names.join(" or ")} was found; the first prompt is used`);
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
  readonly tools: readonly ImportedTool[];
  readonly budget: ExpansionBudget;
  readonly prompts: ConfigPrompts;
  /** No other test has its description. */
  readonly hasOwnDescription: boolean;
}

/**
 * An id from the description and the variables of a test, which stays the same when a prompt is changed: runs before and after can
 * be compared. Undefined for a test without either.
 */
function testId({ test, vars }: PromptedTest, hasOwnDescription: boolean): string | undefined {
  const words = (textField(test, "description") ?? "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  const name = words.slice(0, 60).replace(/^-|-$/g, "");
  if (name !== "" && hasOwnDescription) return name;
  if (Object.keys(vars).length === 0) return undefined;
  return `${name || "test"}-${contentHash(JSON.stringify(vars))}`;
}

function addGroup({ tests, templates, tools, budget, prompts, hasOwnDescription }: Group): void {
  const [first] = tests;
  if (!first) return;
  const { collector, place } = first.context;
  const turns: ImportedTurn[] = [];
  const metadata: JsonRecord = {};
  const rules: ToolExpectation[] = [];
  let system: string | undefined;
  for (const test of tests) {
    if (budget.characters <= 0) {
      collector.note("dropped", {}, "the tests repeat too much text; the later ones were dropped");
      if (turns.length === 0) return;
      break;
    }
    const conversation = readConversation(test);
    if (!conversation || conversation.turns.length === 0) {
      collector.note("dropped", test.context.place, "the test has no user message");
      continue;
    }
    budget.characters -= conversation.turns.reduce((sum, { user }) => sum + user.length, 0);
    const { turns: finished, metadata: about, rules: own } = completeTurns(test, conversation, templates);
    Object.assign(metadata, about);
    rules.push(...own);
    if (turns.length > 0 && finished.length > 1)
      collector.note("dropped", test.context.place, "the history in a later turn; the earlier turns already have it");
    for (const turn of turns.length === 0 ? finished : finished.slice(-1)) turns.push(turn);
    system ??= conversation.system;
  }
  const extras = recordField(first.metadata, "rehearsal");
  collector.add({
    place,
    id: anyField(first.metadata, "conversationId") ?? anyField(first.test, "id") ?? testId(first, hasOwnDescription),
    description: textField(extras, "description") ?? (extras ? "" : textField(first.test, "description")),
    tags: toTextList(listField(extras, "tags")),
    system,
    tools,
    metadata,
    ...toExpectation(rules, extras ? [] : turns),
    ...(extras && withWholeExtras(extras)),
    turns,
    variants: variantsOf(tests, { prompts, turns }),
  });
}

/** The same conversation by the other prompts of the config: their system prompts and wordings of the user's messages. */
function variantsOf(
  tests: readonly PromptedTest[],
  { prompts, turns }: { prompts: ConfigPrompts; turns: readonly ImportedTurn[] },
): ImportedVariant[] {
  return prompts.others.flatMap(({ name, names, template }): ImportedVariant[] => {
    const isMeant = tests.every((test) => !test.prompts || test.prompts.some((wanted) => isNamed(wanted, names)));
    if (!isMeant) return [];
    const read = tests.map((test) => readConversation({ ...test, template, context: withoutNotes(test.context) }));
    const users = read.flatMap((conversation, index) => {
      const all = conversation?.turns.map(({ user }) => user) ?? [];
      return index === 0 ? all : all.slice(-1);
    });
    if (users.length === turns.length) return [{ name, system: read[0]?.system, users }];
    const { collector, place } = tests[0]?.context ?? {};
    collector?.note(
      "dropped",
      place ?? {},
      `${name}: it makes another number of turns of this test than the first prompt`,
    );
    return [];
  });
}

/** The first prompt has noted everything already. */
const withoutNotes = (context: ItemContext): ItemContext => ({
  ...context,
  collector: { ...context.collector, note: () => {} },
});

/** The rules for a whole conversation: those for its tools, and that every assertion of its turns must pass. */
export function toExpectation(
  rules: readonly ToolExpectation[],
  turns: readonly ImportedTurn[],
): Pick<ImportedScenario, "expect" | "matching"> {
  const lists = {
    must_call: rules.flatMap(({ must_call = [] }) => must_call),
    must_not_call: rules.flatMap(({ must_not_call = [] }) => must_not_call),
    before: rules.flatMap(({ before = [] }) => before),
  };
  const goals = rules.flatMap(({ rubric = [] }) => rubric);
  const most = rules.map(({ max_calls }) => max_calls).filter((limit) => limit !== undefined);
  const byTool = Object.assign({}, ...most.filter((limit) => typeof limit !== "number")) as JsonRecord;
  const inAll = most.filter((limit) => typeof limit === "number");
  const expect = {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(goals.length > 0 && { rubric: goals.join("\n") }),
    ...(Object.keys(byTool).length > 0 && { max_calls: byTool }),
    ...(inAll.length > 0 && { max_calls: Math.min(...inAll) }),
    ...(turns.some(({ checks = [], expected }) => checks.length > 0 || expected) && { checks: "all" }),
  };
  const matching = {
    ...(rules.some(({ allowsMore }) => allowsMore) && { extra_arguments: "allow" }),
    ...(rules.some(({ isExact }) => isExact) && { order: "strict", extra: "forbid" }),
  };
  return {
    ...(Object.keys(expect).length > 0 && { expect }),
    ...(Object.keys(matching).length > 0 && { matching }),
  };
}

function readConversation(test: PromptedTest): ParsedConversation | undefined {
  const { vars, template, context } = test;
  const past = template !== undefined && usesConversation(template) ? [] : pastTurns(vars["_conversation"]);
  if (past.length === 0) return readPrompt(test);
  const { _conversation: _, ...asked } = vars;
  const filled = template === undefined ? undefined : fillPrompt(template, asked);
  const isAsked = Object.keys(asked).length > 0 && (filled === undefined || filled.missing.length === 0);
  // Without a further question, the conversation itself is what is tested: its outputs are replies, not references.
  if (!isAsked) {
    if (!context.collector.expectsRecorded)
      context.collector.note(
        "changed",
        context.place,
        "the outputs of _conversation are kept as agent_reply, not as reference replies",
      );
    const turns = past.map(({ user, reference }) =>
      context.collector.expectsRecorded ? { user, reference } : { user, reply: reference },
    );
    return { system: undefined, turns, open: false };
  }
  const question = readPrompt({ ...test, vars: asked });
  return question && { ...question, turns: [...past, ...question.turns] };
}

/** `_conversation` lists earlier turns, each with an input (or the prompt that was sent) and an output. */
function pastTurns(value: unknown): ImportedTurn[] {
  return (Array.isArray(value) ? value : []).flatMap((entry: unknown): ImportedTurn[] => {
    const user = scalarText(anyField(entry, "input", "prompt"));
    return user === undefined ? [] : [{ user, reference: scalarText(anyField(entry, "output")) }];
  });
}

function readPrompt({ vars, options, context, template }: PromptedTest): ParsedConversation | undefined {
  const [prefix = "", suffix = ""] = [textField(options, "prefix"), textField(options, "suffix")];
  const filled = template === undefined ? undefined : fillPrompt(`${prefix}${template}${suffix}`, vars);
  if (!filled || filled.unknown.length > 0) {
    if (!filled && prefix + suffix !== "")
      context.collector.note("dropped", context.place, "prefix and suffix of a prompt that was not found");
    if (filled)
      context.collector.note(
        "changed",
        context.place,
        `the prompt uses ${filled.unknown.join(", ")}, which is not supported; the user's message is taken from the variables`,
      );
    return readInput(vars, context);
  }
  if (filled.missing.length > 0) context.collector.note("changed", context.place, missingVariablesText(filled.missing));
  if (filled.messages)
    return turnsFromMessages({ messages: filled.messages, place: context.place, collector: context.collector });
  return { system: undefined, turns: [{ user: filled.text }], open: true };
}

function completeTurns(
  { vars, assertions, metadata, options, threshold, context }: ExpandedTest,
  conversation: ParsedConversation,
  templates: JsonRecord,
): { turns: ImportedTurn[]; metadata: JsonRecord; rules: readonly ToolExpectation[] } {
  const { conversationId: _, ...labelled } = metadata;
  const split = splitMetadata(labelled, context);
  const unasked = keepUnasked(vars, conversation, context);
  const extras = anyField(recordField(metadata, "rehearsal"), "turn");
  const { tools, ...read } = readAssertions({
    assertions,
    vars,
    templates,
    options,
    threshold,
    isOwn: extras !== undefined,
  });
  const expected = tools.flatMap((tool) => tool.expected ?? []);
  const turns = completeLastTurn(conversation.turns, {
    ...read,
    ...(expected.length > 0 && { expected }),
    labels: split.labels,
  });
  return {
    turns: turns.map((turn, index) => (index < turns.length - 1 ? turn : withTurnExtras(turn, extras))),
    metadata: { ...unasked, ...split.metadata },
    rules: tools,
  };
}

interface NamedPrompt {
  /** The prompt as written, or the text of its file. */
  readonly prompt: unknown;
  readonly names: readonly string[];
}

/** The prompts of a config. The first makes the scenarios; the others are variants of the system under test. */
interface ConfigPrompts {
  readonly first: string | undefined;
  readonly others: readonly { readonly name: string; readonly names: readonly string[]; readonly template: string }[];
  /** The first prompt with one of these names; undefined if there is none. */
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
  if (prompts.length > 1 && !collector.makesVariants)
    collector.note(
      "dropped",
      descend(context, "prompts").place,
      `${allButFirst("prompt", prompts.length)}; only the first prompt is used`,
    );
  const template = first && promptTemplate(first.prompt);
  if (first && template === undefined) {
    const message = `the prompt is in another file (${scalarText(first.prompt) ?? JSON.stringify(first.prompt)}); the user's message is taken from the variables`;
    collector.note("changed", descend(context, "prompts", 0).place, message);
  }
  const others = prompts.slice(1).flatMap(({ prompt, names }, index) => {
    const text = promptTemplate(prompt);
    const name = anyField(prompt, "label") ?? anyField(prompt, "id") ?? `prompt ${index + 2}`;
    if (text !== undefined) return [{ name: scalarText(name) ?? `prompt ${index + 2}`, names, template: text }];
    if (collector.makesVariants)
      collector.note(
        "dropped",
        descend(context, "prompts", index + 1).place,
        `prompt ${index + 2} is in a file that cannot be read (${scalarText(prompt) ?? JSON.stringify(prompt)})`,
      );
    return [];
  });
  return {
    first: template,
    others: collector.makesVariants ? others : [],
    named: (names) => {
      const found = prompts.find((prompt) => names.some((name) => isNamed(name, prompt.names)));
      return found && promptTemplate(found.prompt);
    },
  };
}

const namesOf = (prompt: unknown): string[] =>
  [prompt, anyField(prompt, "label"), anyField(prompt, "id")].filter((name) => typeof name === "string");

const isNamed = (name: string, names: readonly string[]): boolean => names.some((own) => matchesName(name, own));

/** A name may also mean a group: `Group` and `Group:*` match `Group:one`. */
const matchesName = (name: string, own: string): boolean =>
  name === own || own.startsWith(`${name}:`) || (name.endsWith("*") && own.startsWith(name.slice(0, -1)));

/** The text of a prompt; undefined if it is in a file that was not provided. */
export function promptTemplate(prompt: unknown): string | undefined {
  if (Array.isArray(prompt)) return JSON.stringify(prompt);
  const text = textOf(prompt);
  if (text === undefined) return isRecord(prompt) && "role" in prompt ? JSON.stringify([prompt]) : undefined;
  return isFileName(text) ? undefined : text;
}

/** The file of a prompt, if its text is not in the config. */
function promptFile(prompt: unknown): string | undefined {
  const text = textOf(prompt);
  return text !== undefined && isFileName(text) ? text : undefined;
}

/** promptfoo uses a prompt's id as its text if it has no other. */
const textOf = (prompt: unknown): string | undefined =>
  typeof prompt === "string" ? prompt : textField(prompt, "raw", "template", "content", "prompt", "id");

/** promptfoo reads these as files. */
function isFileName(text: string): boolean {
  if (/^(file|exec|langfuse|portkey|helicone|az|http|https):\/\//.test(text.trim())) return true;
  return /^\S+\.(txt|json|jsonl|ya?ml|md|j2|csv|[cm]?[jt]s|py)(:\w+)?$/.test(text.trim());
}

interface FilledPrompt extends Rendered {
  /** Undefined for a plain text prompt. */
  readonly messages: readonly unknown[] | undefined;
}

/** Fills a prompt with the test's variables, and parses chat prompts in JSON or YAML. */
export function fillPrompt(template: string, vars: JsonRecord): FilledPrompt {
  const plain = renderTemplate(template, vars);
  if (!/^\s*[[-]/.test(template)) return { ...plain, messages: wholeChat(plain.text) };
  const listed = readConfigList(template, template.trimStart().startsWith("[") ? [readJson] : [readYaml]);
  if (listed) return { ...plain, messages: renderStrings(listed, vars) };
  const escaped = renderTemplate(template, vars, { json: true });
  return { ...plain, messages: readConfigList(escaped.text, [readJson, readYaml]) };
}

/** A variable may contain the whole chat: promptfoo parses the filled prompt as messages. */
const wholeChat = (text: string): readonly unknown[] | undefined =>
  /^\s*\[/.test(text)
    ? readConfigList(text, [readJson])
    : /^\s*- role:/.test(text)
      ? readConfigList(text, [readYaml])
      : undefined;

const readJson = (text: string): unknown => JSON.parse(text);
const readYaml = (text: string): unknown => parse(text, { logLevel: "silent" });

function readConfigList(text: string, readers: readonly ((text: string) => unknown)[]): readonly unknown[] | undefined {
  for (const read of readers) {
    try {
      const value = read(text);
      if (Array.isArray(value) && value.every((entry) => isRecord(entry) && "role" in entry)) return value;
    } catch {
      // Try the next syntax; if none fits, the prompt is plain text.
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
