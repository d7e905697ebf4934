import type { JsonRecord } from "../../../base/json.ts";
import { matchesWildcard, truncateText } from "../../../base/text.ts";
import type { TracedConversation } from "../../../contract/schemas/acting/traces.ts";
import { parseIfJson } from "../../documents/exact-json.ts";
import { recordedTurn, type ImportedTurn, type Span } from "../../shared/imported-scenario.ts";
import { readMessage, turnsFromMessages } from "../../shared/read-messages.ts";
import type { ScenarioCollector } from "../../shared/scenario-collector.ts";
import type { SourceLocation } from "../../documents/format-error.ts";
import { parsePythonLiteral } from "../../documents/python-literal.ts";
import { readTools, toReferenceCalls, type ImportedTool, type ImportedToolCall } from "../../shared/tool-calls.ts";
import { keepUnasked, readInput, readOutput, splitMetadata } from "../../shared/dataset-item.ts";
import type { ItemContext } from "../../shared/items.ts";

const recordedText =
  "recorded replies are kept as agent_reply and tool calls in the world, not as references; to expect them, use expect_recorded";

/** Adds a scenario for each session, or for each trace without one, with the traces as its turns. */
export function addTraces(spans: readonly Span[], context: Omit<ItemContext, "place">): void {
  const { collector } = context;
  // Spans of several files are put together before their conversations are.
  if (collector.takeSpans) return collector.takeSpans(spans);
  const traces = [...Map.groupBy(spans, ({ trace }) => trace).values()].map((own) => readTrace(own, context));
  const conversations = Map.groupBy(
    traces.filter((trace) => trace !== undefined),
    ({ session, id }) => session ?? id,
  );
  for (const [id, own] of conversations) {
    const inOrder = own.toSorted((left, right) => left.start - right.start);
    const [first] = inOrder;
    if (!first) continue;
    const turns = joinTraceTurns(inOrder);
    if (!takesConversation(traceFacts(id, inOrder, turns), collector)) continue;
    if (!collector.expectsRecorded && turns.some(({ reference, calls }) => reference || calls))
      collector.note("changed", {}, recordedText);
    collector.add({
      place: first.place,
      id,
      system: inOrder.find(({ system }) => system !== undefined)?.system,
      tags: [...new Set(inOrder.flatMap(({ tags }) => tags))],
      metadata: Object.assign({}, ...inOrder.map(({ metadata }) => metadata)) as JsonRecord,
      tools: inOrder.flatMap(({ tools }) => tools),
      turns: turns.map((turn) => recordedTurn(turn, collector)),
    });
  }
}

type Facts = Omit<TracedConversation, "taken">;

function traceFacts(id: string, traces: readonly Trace[], turns: readonly ImportedTurn[]): Facts {
  const start = traces[0]?.start ?? 0;
  return {
    id,
    started_at: start > 0 && start < 8.64e15 ? new Date(start).toISOString() : null,
    turns: turns.length,
    models: [...new Set(traces.flatMap(({ models }) => models))],
    tool_calls: turns.reduce((sum, { calls = [] }) => sum + calls.length, 0),
    errors: traces.reduce((sum, { failures }) => sum + failures, 0),
    first_message: truncateText(turns[0]?.user ?? "", 200),
  };
}

/** Lists a conversation, and says whether the filter takes it. */
function takesConversation(facts: Facts, { traceFilter = {}, listConversation }: ScenarioCollector): boolean {
  const { since, until, model, errors, min_turns = 0, max_turns = Infinity, conversations } = traceFilter;
  const start = facts.started_at === null ? Number.NaN : Date.parse(facts.started_at);
  const taken =
    (since === undefined || start >= Date.parse(since)) &&
    (until === undefined || start < Date.parse(until)) &&
    (model === undefined || facts.models.some((name) => matchesWildcard(name.toLowerCase(), model.toLowerCase()))) &&
    (errors === undefined || facts.errors > 0 === (errors === "only")) &&
    facts.turns >= min_turns &&
    facts.turns <= max_turns &&
    (conversations === undefined || conversations.includes(facts.id));
  listConversation?.({ ...facts, taken });
  return taken;
}

interface Trace {
  readonly models: readonly string[];
  /** Steps that failed. */
  readonly failures: number;
  readonly id: string;
  readonly session: string | undefined;
  readonly start: number;
  readonly place: SourceLocation;
  readonly system: string | undefined;
  readonly turns: readonly ImportedTurn[];
  readonly tools: readonly ImportedTool[];
  readonly tags: readonly string[];
  readonly metadata: JsonRecord;
}

/** Reads a trace from its last model call, which was sent the whole conversation, or else from its root. */
function readTrace(unsorted: readonly Span[], context: Omit<ItemContext, "place">): Trace | undefined {
  const spans = unsorted.toSorted((left, right) => left.start - right.start);
  const ids = new Set(spans.map(({ id }) => id));
  const root =
    spans.find(({ parent, kind }) => kind !== "tool" && (parent === undefined || !ids.has(parent))) ?? spans[0];
  if (!root) return undefined;
  const at = { ...context, place: root.place };
  const model = mainModelCall(spans);
  // A call without a reply in text is one step of an agent; its root may have the reply.
  const whole = model && (isReply(model) || (root.output ?? "") === "") ? undefined : readRoot(root, at);
  const read = whole ?? (model && readModelCall(model, context));
  const calls = spans.flatMap(({ call }) => call ?? []);
  if (!read || read.turns.length === 0) {
    context.collector.note(
      "dropped",
      root.place,
      "the trace has no message of the user",
      "traces without a message of the user",
    );
    return undefined;
  }
  const { labels, metadata } = splitMetadata(root.metadata, at);
  const turns = withToolSpans(read.turns, calls, at);
  return {
    id: root.trace,
    session: spans.find(({ session }) => session !== undefined)?.session,
    start: root.start,
    place: root.place,
    system: read.system,
    turns: turns.map((turn, index) => (index < turns.length - 1 ? turn : { ...turn, labels })),
    tools: readTools(spans.find(({ tools }) => tools !== undefined)?.tools),
    tags: spans.flatMap(({ tags }) => tags ?? []),
    models: spans.flatMap(({ model }) => model ?? []),
    failures: spans.filter(({ failed }) => failed).length,
    metadata: { ...read.metadata, ...metadata },
  };
}

interface ReadTurns {
  readonly system: string | undefined;
  readonly turns: readonly ImportedTurn[];
  readonly metadata?: JsonRecord;
}

/** The last call with an answer in text, since sub-agents and routers are called before the reply is written. */
function mainModelCall(spans: readonly Span[]): Span | undefined {
  const models = spans.filter(({ kind, messages }) => kind === "model" && asksSomething(messages?.sent ?? []));
  return models.findLast(isReply) ?? models.at(-1);
}

const isReply = ({ messages }: Span): boolean =>
  (messages?.answered ?? []).some((value) => (readMessage(value)?.text ?? "") !== "");

const asksSomething = (messages: readonly unknown[]): boolean =>
  messages.some((value) => readMessage(value)?.role === "user");

function readModelCall({ messages, place }: Span, { collector }: Pick<ItemContext, "collector">): ReadTurns {
  const all = [...(messages?.sent ?? []), ...(messages?.answered ?? [])];
  return turnsFromMessages({ messages: all, place, stepsTo: () => [], collector });
}

function readRoot({ input, output }: Span, context: ItemContext): ReadTurns | undefined {
  const value = openText(input);
  const asked = readInput(value, context);
  if (!asked) return undefined;
  const answer = readOutput(openText(output), context);
  const turns = asked.turns.map((turn, index) =>
    index < asked.turns.length - 1
      ? turn
      : {
          ...turn,
          reference: answer.reference ?? turn.reference,
          calls: answer.calls ?? turn.calls,
          expected: answer.expected ?? turn.expected,
        },
  );
  return { system: asked.system, turns, metadata: keepUnasked(value, asked, context) };
}

/** Langfuse encodes the JSON of an attribute once more; frameworks in Python print dictionaries. */
function openText(given: unknown): unknown {
  const value = parseIfJson(parseIfJson(given));
  return typeof value === "string" && value.startsWith("{'") ? (parsePythonLiteral(value) ?? value) : value;
}

/** Tool spans have results that messages may lack, and calls of agents whose messages are not traced. */
function withToolSpans(
  turns: readonly ImportedTurn[],
  spans: readonly ImportedToolCall[],
  { place, collector }: ItemContext,
): ImportedTurn[] {
  const left = [...spans];
  const known = turns.map((turn) => ({
    ...turn,
    ...(turn.calls && { calls: turn.calls.map((call) => completed(call, left)) }),
  }));
  const last = known.at(-1);
  if (!last || left.length === 0) return known;
  const calls = [...(last.calls ?? []), ...left];
  const expected = toReferenceCalls(calls, { place, note: collector.note });
  return [...known.slice(0, -1), { ...last, calls, expected }];
}

/** Takes the span of a call from the list: the one with its id, or the first with its name and arguments. */
function completed(call: ImportedToolCall, spans: ImportedToolCall[]): ImportedToolCall {
  const key = JSON.stringify(call.arguments ?? {});
  const byId = spans.findIndex(({ id }) => id !== undefined && id === call.id);
  const index =
    byId >= 0
      ? byId
      : spans.findIndex(({ name, arguments: given }) => name === call.name && JSON.stringify(given ?? {}) === key);
  const [span] = index < 0 ? [] : spans.splice(index, 1);
  if (!span || call.result !== undefined || call.error !== undefined) return call;
  return {
    ...call,
    ...(span.result !== undefined && { result: span.result }),
    ...(span.error !== undefined && { error: span.error }),
  };
}

/** A later trace of a session may repeat the earlier messages; only the new ones are added. */
function joinTraceTurns(traces: readonly Trace[]): ImportedTurn[] {
  const said: ImportedTurn[] = [];
  for (const { turns } of traces) {
    const goesOn = turns.length > said.length && said.every(({ user }, index) => user === turns[index]?.user);
    said.push(...(goesOn ? turns.slice(said.length) : turns));
  }
  return said;
}
