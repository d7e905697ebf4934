import { isRecord, type JsonRecord } from "../../../base/json.ts";
import {
  anyField,
  field,
  listField,
  recordField,
  scalarText,
  textField,
  locationBelow,
} from "../../documents/records.ts";
import { parseIfJson } from "../../documents/exact-json.ts";
import { completeLastTurn, type ImportedTurn } from "../../shared/imported-scenario.ts";
import { readToolCalls, type ImportedToolCall } from "../../shared/tool-calls.ts";
import { splitMetadata } from "../../shared/dataset-item.ts";
import { turnsFromMessages, type ParsedConversation } from "../../shared/read-messages.ts";
import type { Importer } from "../../shared/define-format.ts";
import { descend, itemsOf, type ItemContext, type NestedList, listUnder } from "../../shared/items.ts";
import { importPromptfoo, toExpectation } from "./config.ts";
import { placedAssertions, readAssertions } from "./read-assertions.ts";
import type { ToolExpectation } from "./tool-assertions.ts";

/** Results of a promptfoo run (JSON or JSON lines): the prompts and assertions, with the first reply to each test. */
export const importPromptfooResults: Importer = (source) => {
  const { document, collector, mapping } = source;
  for (const { value, place } of document.values) {
    const config = recordField(value, "config");
    if (!config || resultsOf(value)?.list.length !== 0) continue;
    collector.note("changed", place, "the file has no results; the tests of its configuration were read");
    const values = [{ value: config, place: locationBelow(place, "config") }];
    importPromptfoo({ ...source, document: { ...document, values } });
  }
  const groups = new Map<string, Map<string, RecordedResult>>();
  for (const { value, place } of itemsOf(document, resultsOf)) {
    const context = { place, collector, mapping };
    if (!isRecord(value)) collector.note("dropped", place, "the item is not a result");
    else addToGroup(groups, { result: value, context });
  }
  for (const group of groups.values()) addResultGroup([...group.values()]);
};

function resultsOf(value: unknown): NestedList | undefined {
  const nested = listField(field(value, "results"), "results");
  if (nested) return { list: nested, steps: ["results", "results"] };
  return listUnder("results")(value);
}

interface RecordedResult {
  readonly result: JsonRecord;
  readonly context: ItemContext;
}

const testOf = (result: JsonRecord): JsonRecord => recordField(result, "testCase", "test") ?? {};
const metadataOf = (result: JsonRecord): JsonRecord =>
  recordField(testOf(result), "metadata") ?? recordField(result, "metadata") ?? {};
const varsOf = (result: JsonRecord): JsonRecord =>
  recordField(result, "vars") ?? recordField(testOf(result), "vars") ?? {};

/** Repeats and other providers answer a test again; the first reply is kept. */
function addToGroup(groups: Map<string, Map<string, RecordedResult>>, recorded: RecordedResult): void {
  const { result, context } = recorded;
  const conversation = scalarText(metadataOf(result)["conversationId"]);
  const test = scalarText(result["testIdx"]) ?? JSON.stringify(varsOf(result));
  const key = conversation === undefined ? `test ${test}` : `conversation ${conversation}`;
  const group = groups.get(key) ?? new Map<string, RecordedResult>();
  if (group.has(test))
    context.collector.note("dropped", context.place, `another reply to test ${test}; the first was kept`);
  else groups.set(key, group.set(test, recorded));
}

function addResultGroup(group: readonly RecordedResult[]): void {
  const [first] = group;
  if (!first) return;
  const { collector, place } = first.context;
  const turns: ImportedTurn[] = [];
  const metadata: JsonRecord = {};
  const rules: ToolExpectation[] = [];
  let system: string | undefined;
  for (const recorded of group) {
    const conversation = readResultConversation(recorded);
    const { turns: finished, metadata: about, rules: own } = completeResultTurns(recorded, conversation);
    rules.push(...own);
    Object.assign(metadata, about);
    // Later prompts of a conversation repeat the earlier turns.
    for (const turn of group.length === 1 ? finished : finished.slice(-1)) turns.push(turn);
    system ??= conversation.system;
  }
  const { result } = first;
  const description = textField(testOf(result), "description") ?? textField(result, "description");
  collector.add({
    place,
    id: anyField(metadataOf(result), "conversationId") ?? testOf(result)["id"],
    description,
    system,
    metadata,
    ...toExpectation(rules, turns),
    turns,
  });
}

/** The prompt that was sent: chat messages in JSON, or text. */
function readResultConversation({ result, context }: RecordedResult): ParsedConversation {
  const prompt = anyField(result, "prompt");
  const raw = scalarText(prompt) ?? textField(prompt, "raw") ?? "";
  const messages = readJsonList(raw);
  if (!messages) return { system: undefined, turns: [{ user: raw }], open: true };
  return turnsFromMessages({ messages, place: descend(context, "prompt", "raw").place, collector: context.collector });
}

function readJsonList(text: string): readonly unknown[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((entry) => isRecord(entry) && "role" in entry) ? value : undefined;
  } catch {
    return undefined;
  }
}

function completeResultTurns(
  { result, context }: RecordedResult,
  conversation: ParsedConversation,
): { turns: ImportedTurn[]; metadata: JsonRecord; rules: readonly ToolExpectation[] } {
  const assertions = placedAssertions(listField(testOf(result), "assert"), descend(context, "testCase"));
  const options = recordField(testOf(result), "options") ?? {};
  const threshold = anyField(testOf(result), "threshold");
  const { tools, ...expected } = readAssertions({
    assertions,
    vars: varsOf(result),
    templates: {},
    options,
    threshold: typeof threshold === "number" ? threshold : undefined,
  });
  const { conversationId: _, rehearsal: __, ...labelled } = metadataOf(result);
  const outcome = scalarText(field(result, "success"));
  if (outcome !== undefined) {
    context.collector.note(
      "dropped",
      context.place,
      `the past result: ${outcome === "true" ? "passed" : "failed"}, score ${scalarText(result["score"]) ?? "unknown"}`,
    );
  }
  const { labels, metadata } = splitMetadata(recordField(testOf(result), "metadata") ? labelled : {}, context);
  const calls = resultCalls(result);
  const wanted = tools.flatMap((tool) => tool.expected ?? []);
  const turns = completeLastTurn(conversation.turns, {
    ...expected,
    reply: calls.length > 0 ? "" : replyText(result),
    ...(wanted.length > 0 && { expected: wanted }),
    calls,
    labels,
  });
  return { turns, metadata, rules: tools };
}

/** A reply of tool calls is the provider's list of them, as a value or as its JSON text. */
function resultCalls(result: JsonRecord): ImportedToolCall[] {
  const output = parseIfJson(
    anyField(recordField(result, "response", "providerResponse"), "output") ?? anyField(result, "output"),
  );
  const list = Array.isArray(output) ? output : (listField(output, "tool_calls") ?? []);
  return list.every((entry) => recordField(entry, "function") !== undefined) ? readToolCalls(list) : [];
}

function replyText(result: JsonRecord): string | undefined {
  const output = anyField(recordField(result, "response", "providerResponse"), "output") ?? anyField(result, "output");
  return output === undefined ? undefined : (scalarText(output) ?? JSON.stringify(output));
}
