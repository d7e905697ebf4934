import { compact } from "../../../base/compact.ts";
import type { JsonRecord } from "../../../base/json.ts";
import { anyField, field, listField, scalarText, textField, hasFields, recordField } from "../../documents/records.ts";
import { withExtras } from "../../shared/extras.ts";
import { completeLastTurn } from "../../shared/imported-scenario.ts";
import { fieldForRole, onlyTextField, readInput, readOutput, splitMetadata } from "../../shared/dataset-item.ts";
import type { ParsedConversation } from "../../shared/read-messages.ts";
import { defineFormat, type Importer } from "../../shared/define-format.ts";
import { descend, itemsOf, type ItemContext } from "../../shared/items.ts";
import {
  linkRows,
  mergeRows,
  pageOf,
  sortItems,
  type Definitions,
  type EvalRow,
  type EvalRun,
  type LinkedEvalRow,
  holdsEval,
  registeredSamples,
} from "./eval-objects.ts";
import { fillTemplate, templateParts, textWithoutReply, valueAt } from "./fill-template.ts";
import { fieldsRead, gradeRow, type Graded } from "./graders.ts";
import { exportOpenaiEvals } from "../../export/scenarios/openai-evals.ts";

const references = [
  "reference",
  "expected",
  "expected_output",
  "ideal",
  "target",
  "ground_truth",
  "correct_label",
  "label",
  "answer",
];

/**
 * OpenAI Evals: API objects (evals, runs, output items, alone or in lists), dashboard exports, data lines with and without `item`, and
 * open-source `{input, ideal}` samples. Rows get checks from the graders of the eval that is imported with them.
 */
const importOpenaiEvals: Importer = ({ document, beside = [], collector, mapping }) => {
  const items = [document, ...beside].flatMap((file) => itemsOf(file, pageOf));
  const { evals, runs, rows } = sortItems(items, (place) => ({ place, collector, mapping }));
  const linked = linkRows(rows, { evals, runs });
  const merged = mergeRows(linked);
  for (const [first, ...others] of merged) if (first) addRow(first, others);
  notePastRuns(merged);
  for (const run of new Set(linked.map((row) => row.run))) if (run) noteSettings(run);
  noteWithoutRows({ evals, runs }, linked);
};

export const openaiEvals = defineFormat({
  id: "openai-evals",
  title: "OpenAI Evals: evals with graders, runs, data, output items",
  label: "OpenAI Evals",
  extensions: ["jsonl", "json"],
  detect: [
    {
      of: "file",
      rank: 130,
      because: "its data are output items of an eval run",
      holds: (value) => field(listField(value, "data")?.[0], "object") === "eval.run.output_item",
    },
    { of: "file", rank: 140, because: "it is an eval or a run of one", holds: (value) => holdsEval([value]) },
    { of: "file", rank: 150, because: "it registers evals", holds: (value) => registeredSamples(value).length > 0 },
    {
      of: "item",
      rank: 110,
      because: "its items are output items of an eval run",
      holds: (value) => field(value, "object") === "eval.run.output_item" || hasFields("datasource_item")(value),
    },
    {
      of: "item",
      rank: 220,
      because: "its items have item",
      holds: (value) => recordField(value, "item") !== undefined,
    },
    { of: "item", rank: 230, because: "its items have input and ideal", holds: hasFields("input", "ideal") },
  ],
  isDataset: true,
  // An eval is downloaded in pieces: the eval, its runs, their data and output items.
  companions: (files, detect) => {
    const definesEval = (file: (typeof files)[number]): boolean => {
      // Most files are ruled out without parsing them.
      if (!/"(?:testing_criteria|data_source)"\s*:/.test(file.text)) return false;
      const { format, document } = detect(file) ?? {};
      return format?.id === "openai-evals" && holdsEval(document?.values.map(({ value }) => value) ?? []);
    };
    const main = files.find(definesEval);
    if (!main) return [];
    const isPart = (file: (typeof files)[number]): boolean =>
      file !== main && (definesEval(file) || detect(file)?.format.isDataset === true);
    return [[main, files.filter(isPart)]];
  },
  read: importOpenaiEvals,
  write: exportOpenaiEvals,
});

function addRow(row: LinkedEvalRow, others: readonly LinkedEvalRow[]): void {
  const { item, evaluation, run, context, steps } = row;
  const { place, collector, mapping } = context;
  const inItem = descend(context, ...steps);
  const graded = evaluation
    ? gradeRow(evaluation.graders, { item, reply: evaluation.reply }, context)
    : { reference: undefined, checks: [], unmapped: [] };
  const answered = evalAnswerName(row, graded);
  const isCompared = (name: string): boolean => evaluation?.compared.has(name) === true || references.includes(name);
  const question = Object.fromEntries(
    Object.entries(item).filter(([name]) => name !== answered && !(evaluation && isCompared(name))),
  );
  const conversation = readEvalConversation(row, { question, context: inItem });
  if (!conversation || conversation.turns.length === 0)
    return collector.note("dropped", place, "the item has no user message");
  const isGraded = graded.reference !== undefined && mapping.reference === undefined;
  const expected = isGraded ? { reference: graded.reference } : readOutput(item[answered ?? ""], inItem);
  const reply = [row, ...others].map(replyText).find((text) => text !== undefined);
  const used = new Set([
    answered,
    fieldForRole(question, "user", mapping) ?? onlyTextField(question),
    "id",
    "input",
    "messages",
    textField(run?.messages, "item_reference")?.split(".")[1],
    ...(evaluation?.read ?? []),
    ...fieldsRead(run?.messages),
  ]);
  // Sent messages do not tell which fields they were made from; a longer text that appears in them was one.
  const said = [conversation.system, ...conversation.turns.map(({ user }) => user)].join("\n");
  const isSaid = (value: unknown): boolean => typeof value === "string" && value.length > 12 && said.includes(value);
  const rest = Object.fromEntries(
    Object.entries(item).filter(
      ([name, value]) => mapping.labels?.includes(name) || !(used.has(name) || isSaid(value)),
    ),
  );
  const { labels, metadata } = splitMetadata(
    rest,
    evaluation ? { ...context, place: evaluation.context.place } : context,
  );
  const turns = completeLastTurn(conversation.turns, { ...graded, ...expected, reply, labels });
  const id = others.reduce<unknown>((known, other) => known ?? other.id, row.id);
  collector.add(
    withExtras(
      compact({
        place,
        id: evaluation && scalarText(id) !== undefined ? `${slug(evaluation.name)}-${scalarText(id)}` : id,
        tags: evaluation ? [evaluation.name] : undefined,
        system: conversation.system,
        metadata,
        turns,
      }),
      item,
    ),
  );
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 60)
    .replace(/^-|-$/g, "") || "eval";

/** The field with the expected reply. A text that a grader searches for in the reply is only a part of it. */
function evalAnswerName({ item, evaluation, context: { mapping } }: LinkedEvalRow, graded: Graded): string | undefined {
  if (mapping.reference !== undefined) return mapping.reference;
  if (graded.reference !== undefined) return undefined;
  return references.find((name) => anyField(item, name) !== undefined && !evaluation?.compared.has(name));
}

/** The messages that were sent, or those of the run's template, or the field that looks like a question. */
function readEvalConversation(
  { item, sample, run, context }: LinkedEvalRow,
  { question, context: inItem }: { question: JsonRecord; context: ItemContext },
): ParsedConversation | undefined {
  const sent = listField(sample, "input");
  if (sent && sent.length > 0) return readInput(sent, descend(context, "sample", "input"));
  const template = listField(run?.messages, "template");
  if (run && template) {
    const filled = fillMessages(template, item);
    if (filled.missing.length > 0) {
      const names = [...new Set(filled.missing)].join(", ");
      context.collector.note("changed", context.place, `the messages of the run use fields without a value: ${names}`);
    }
    return readInput(filled.value, descend(run.context, "input_messages", "template"));
  }
  const reference = templateParts(`{{${textField(run?.messages, "item_reference") ?? ""}}}`)[0];
  if (typeof reference === "object") return readInput(valueAt(item, reference.path), inItem);
  const trajectory = listField(sample, "trajectory");
  if (trajectory && trajectory.length > 0) return readInput(trajectory, descend(context, "sample", "trajectory"));
  return readInput(question, inItem);
}

/** Fills in every text of the messages. */
function fillMessages(value: unknown, item: JsonRecord): { value: unknown; missing: readonly string[] } {
  if (typeof value === "string") {
    const filled = fillTemplate(value, item);
    return { value: textWithoutReply(filled) ?? value, missing: filled.missing };
  }
  if (typeof value !== "object" || value === null) return { value, missing: [] };
  const entries = Object.entries(value).map(([name, entry]) => [name, fillMessages(entry, item)] as const);
  const missing = entries.flatMap(([, filled]) => filled.missing);
  const parts = entries.map(([name, filled]) => [name, filled.value] as const);
  return { value: Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts), missing };
}

/** The recorded reply: `output_text` in data, `output` in output items, `outputs` in dashboard exports. */
function replyText({ item, sample, evaluation, context }: LinkedEvalRow): string | undefined {
  if (evaluation?.reply) return scalarText(valueAt(item, evaluation.reply.path));
  if (textField(field(sample, "error"), "message", "code")) return undefined;
  const text = scalarText(field(sample, "output_text"));
  const name = listField(sample, "outputs") ? "outputs" : "output";
  return text ?? readOutput(anyField(sample, name), descend(context, "sample", name)).reference;
}

/** Notes what is dropped from past runs: results, and further replies to the same item. */
function notePastRuns(merged: Iterable<readonly LinkedEvalRow[]>): void {
  const past = new Map<
    string,
    { first: EvalRow; graders: Map<string, { passed: number; all: number }>; replies: number }
  >();
  for (const group of merged) {
    const kept = group.find((row) => replyText(row) !== undefined);
    for (const row of group) {
      const run = past.get(row.runId ?? "") ?? { first: row, graders: new Map(), replies: 0 };
      past.set(row.runId ?? "", run);
      if (row !== kept && replyText(row) !== undefined) run.replies += 1;
      for (const [name, isPassed] of row.passes) {
        const { passed = 0, all = 0 } = run.graders.get(name) ?? {};
        run.graders.set(name, { passed: passed + Number(isPassed), all: all + 1 });
      }
    }
  }
  for (const [id, { first, graders, replies }] of past) {
    const { collector, place } = first.context;
    const passes = [...graders].map(([name, { passed, all }]) => `${name} passed ${passed} of ${all}`).join(", ");
    if (passes !== "") collector.note("dropped", place, `results of the past run ${id}: ${passes}`);
    if (replies > 0)
      collector.note("dropped", place, `replies of the past run ${id}: ${replies}, to items that already have a reply`);
  }
}

/** Model settings belong to a run, not to a scenario. */
function noteSettings({ settings, context: { collector, place } }: EvalRun): void {
  const set = Object.entries(settings)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, scalarText(value)].filter((part) => part !== undefined).join(" "));
  if (set.length > 0) collector.note("dropped", place, `settings of the run, not of a scenario: ${set.join(", ")}`);
}

/** Notes evals and runs without rows. */
function noteWithoutRows({ evals, runs }: Definitions, rows: readonly LinkedEvalRow[]): void {
  for (const evaluation of evals) {
    if (rows.some((row) => row.evaluation === evaluation)) continue;
    const { context, isLogged } = evaluation;
    const message = isLogged
      ? "the eval has no rows because they are logged completions: also import the output items of its runs"
      : "the eval has no rows: also import its data file, its runs or their output items";
    context.collector.note("dropped", context.place, message);
  }
  for (const run of runs) {
    if (rows.some((row) => row.run === run || row.evaluation?.id === run.evalId)) continue;
    const { source, context } = run;
    const id = textField(source, "id");
    const message =
      id === undefined
        ? "the run has no rows: also import its output items"
        : `the rows of the run are in the file ${id}: also import that file`;
    context.collector.note("dropped", context.place, message);
  }
}
