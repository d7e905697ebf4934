import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import {
  anyField,
  field,
  listField,
  recordField,
  scalarText,
  hasAnyField,
  hasFields,
  hasList,
} from "../documents/records.ts";
import { withExtras } from "../shared/extras.ts";
import { completeLastTurn, recordedTurn, type ImportedTurn } from "../shared/imported-scenario.ts";
import { readMessage, turnsFromMessages, type ParsedConversation } from "../shared/read-messages.ts";
import { readToolCalls, type ImportedToolCall } from "../shared/tool-calls.ts";
import {
  addDatasetItem,
  keepOthers,
  keepUnasked,
  readInput,
  readOutput,
  splitMetadata,
} from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { descend, itemsOf, otherFields, type ItemContext, listUnder } from "../shared/items.ts";
import { itemTable } from "../tables/item-table.ts";

const known = ["id", "input", "target", "metadata"];

/** Inspect samples: `input` is text or messages, `target` is one correct answer or several. */
const importInspect: Importer = ({ document, collector, mapping }) => {
  for (const { value, place } of itemsOf(document)) {
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is not a sample");
      continue;
    }
    const { id, input, target, metadata, choices } = value;
    const asked = withChoices({ input, target }, choices);
    if (asked) collector.note("changed", place, "the choices were added below the question");
    const read = asked ? [...known, "choices"] : known;
    const others = keepOthers(value, read, { place, collector });
    addDatasetItem(
      {
        id,
        input: asked?.input ?? input,
        inputName: "input",
        output: asked?.target ?? target,
        outputName: "target",
        metadata,
        others,
      },
      { place, collector, mapping },
    );
  }
};

export const inspect = defineFormat({
  id: "inspect",
  title: "Inspect samples",
  label: "Inspect samples",
  extensions: ["jsonl", "json"],
  detect: [
    { of: "item", rank: 350, because: "its items have input and target", holds: hasFields("input", "target") },
    {
      of: "item",
      rank: 380,
      because: "its items have an input of messages",
      // A sample has its answer under `target`.
      holds: (value) => hasList("input")(value) && !hasAnyField("expected", "output")(value),
    },
  ],
  tables: [
    itemTable({
      rank: 110,
      holds: (has) =>
        has("input", "target") && ["metadata", "choices", "sandbox", "files", "setup"].some((name) => has(name)),
      texts: ["input", "target"],
      read: importInspect,
    }),
  ],
  isDataset: true,
  read: importInspect,
});

interface InspectQuestion {
  readonly input: unknown;
  readonly target: unknown;
}

/**
 * Appends the choices to the question, as Inspect does; undefined if the target is not among their letters. Without the choices, a
 * target letter would mean nothing. Several letters are one answer.
 */
function withChoices({ input, target }: InspectQuestion, choices: unknown): InspectQuestion | undefined {
  const named = targetTexts(choices).map((choice, index) => ({ letter: letterOf(index), choice }));
  const letters = new Set<unknown>(named.map(({ letter }) => letter));
  const wanted: unknown[] = [target].flat();
  if (wanted.length === 0 || !wanted.every((letter) => letters.has(letter))) return undefined;
  const asked = endingIn(input, `\n\n${named.map(({ letter, choice }) => `${letter}) ${choice}`).join("\n")}`);
  return asked === undefined ? undefined : { input: asked, target: wanted.join(", ") };
}

const letterOf = (index: number): string => (index < 26 ? String.fromCodePoint(65 + index) : String(index - 25));

/** Choices are a list, or in a table a text separated by commas or spaces. Inspect ignores empty ones. */
function targetTexts(choices: unknown): string[] {
  const parts = typeof choices === "string" ? choices.split(choices.includes(",") ? "," : /\s+/) : choices;
  const texts = Array.isArray(parts) ? parts.map((part: unknown) => scalarText(part)?.trim() ?? "") : [];
  return texts.filter((text) => text !== "");
}

function endingIn(input: unknown, text: string): unknown {
  if (typeof input === "string") return input + text;
  const messages: unknown[] = Array.isArray(input) ? input : [];
  const last = messages.at(-1);
  if (!isRecord(last) || last["role"] !== "user" || typeof last["content"] !== "string") return undefined;
  return [...messages.slice(0, -1), { ...last, content: last["content"] + text }];
}

/** Inspect logs in JSON: samples become scenarios, and the replies of the first epoch are kept as `agent_reply`. */
const importInspectLog: Importer = ({ document, collector, mapping }) => {
  const seen = new Set<string>();
  for (const { value, place } of itemsOf(document, listUnder("samples"))) {
    if (!isRecord(value) || !("input" in value)) {
      collector.note("dropped", place, "the item is not a log sample (a log written without samples has none)");
      continue;
    }
    const key = JSON.stringify([value["id"], value["id"] === undefined ? value["input"] : null]);
    if (seen.has(key))
      collector.note(
        "dropped",
        place,
        `the reply of epoch ${scalarText(value["epoch"]) ?? "?"}; the first epoch was kept`,
      );
    else addSample(value, { place, collector, mapping });
    seen.add(key);
  }
};

export const inspectLog = defineFormat({
  id: "inspect-log",
  title: "Inspect eval log in JSON",
  label: "Inspect log",
  extensions: ["json"],
  detect: [
    {
      of: "file",
      rank: 100,
      because: "it has eval and samples",
      holds: (value) => recordField(value, "eval") !== undefined && hasAnyField("samples", "plan", "results")(value),
    },
  ],
  read: importInspectLog,
});

function addSample(sample: JsonRecord, context: ItemContext): void {
  const { place, collector } = context;
  const input = readInput(sample["input"], descend(context, "input"));
  if (!input) return collector.note("dropped", place, "the sample has no input");
  const scores = Object.entries(recordField(sample, "scores") ?? {});
  const results = scores.map(([name, score]) => [name, field(score, "value")]);
  if (results.length > 0)
    collector.note(
      "kept",
      place,
      `scores of the past run are kept as metadata: ${scores.map(([name]) => name).join(", ")}`,
    );
  const { labels, metadata } = splitMetadata(sample["metadata"], descend(context, "metadata"));
  const unasked = keepUnasked(sample["input"], input, descend(context, "input"));
  const asked = withReplies(input, sample, context);
  const others = keepOthers(unusedFields(sample, asked.turns), [], context);
  const turns = completeLastTurn(asked.turns, {
    ...readOutput(sample["target"], descend(context, "target")),
    labels,
  });
  const kept: Record<string, unknown> = {
    ...unasked,
    ...others,
    ...metadata,
  };
  if (results.length > 0) kept["scores"] = Object.fromEntries(results);
  collector.add(
    withExtras({ place, id: sample["id"], system: asked.system, metadata: kept, turns }, sample["metadata"]),
  );
}

/** Fields that are not part of the conversation. Choices that a solver wrote into the question are. */
function unusedFields({ choices, files, setup, sandbox }: JsonRecord, turns: readonly ImportedTurn[]): JsonRecord {
  const texts = Array.isArray(choices) ? choices.flatMap((choice) => scalarText(choice) ?? []) : [];
  const isAsked = texts.every((text) => turns.some(({ user }) => user.includes(text)));
  const given = compact({ choices: !isAsked ? choices : undefined, files, setup, sandbox });
  return Object.fromEntries(otherFields(given, []).map((name) => [name, field(given, name)]));
}

/**
 * Replies in the input's history stay references; replies of the run become `agent_reply`. Messages that solvers added, such as a
 * system message, belong to the conversation.
 */
function withReplies(
  input: ParsedConversation,
  sample: JsonRecord,
  context: ItemContext,
): { system: string | undefined; turns: ImportedTurn[] } {
  const silent = { note: () => undefined };
  const messages = listField(sample, "messages") ?? [];
  const { system = input.system, turns: run } = turnsFromMessages({
    messages,
    place: context.place,
    collector: silent,
  });
  const given = input.turns.length - 1;
  if (run.length < input.turns.length) {
    const reply = sampleOutputText(sample);
    const calls = eventCalls(sample);
    const last = compact({ reply, calls: calls.length > 0 ? calls : undefined });
    return { system, turns: input.turns.map((turn, index) => (index < given ? turn : { ...turn, ...last })) };
  }
  const turns = run.map(
    (turn, index) => (index < given ? input.turns[index] : undefined) ?? recordedTurn(turn, context.collector),
  );
  return { system, turns: withEventCalls(turns, sample) };
}

/** Agents of other frameworks report their tools only as events. */
function withEventCalls(turns: readonly ImportedTurn[], sample: JsonRecord): ImportedTurn[] {
  if (turns.some(({ calls = [] }) => calls.length > 0)) return [...turns];
  const calls = eventCalls(sample);
  return turns.map((turn, index) => (index < turns.length - 1 || calls.length === 0 ? turn : { ...turn, calls }));
}

const eventCalls = (sample: JsonRecord): ImportedToolCall[] =>
  (listField(sample, "events") ?? []).flatMap((event) =>
    anyField(event, "event") === "tool" ? readToolCalls(event) : [],
  );

function sampleOutputText(sample: JsonRecord): string | undefined {
  const [choice] = listField(field(sample, "output"), "choices") ?? [];
  return readMessage(field(choice, "message"))?.text ?? scalarText(field(field(sample, "output"), "completion"));
}
