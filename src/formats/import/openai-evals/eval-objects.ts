import { canonicalJson, isRecord, type JsonRecord } from "../../../base/json.ts";
import { anyField, field, listField, recordField, scalarText, textField } from "../../documents/records.ts";
import { FormatError } from "../../documents/format-error.ts";
import { descend, type Item, type ItemContext } from "../../shared/items.ts";
import { referenceText, type Reference } from "./fill-template.ts";
import type { Grader } from "./grader.ts";
import { fieldsRead, readGraders, recordedReplyField } from "./graders.ts";

interface EvalDefinition {
  readonly id: string | undefined;
  readonly name: string;
  readonly context: ItemContext;
  readonly graders: readonly Grader[];
  /** Fields of a row that graders compare with the reply; they are not part of the question. */
  readonly compared: ReadonlySet<string>;
  readonly read: ReadonlySet<string>;
  readonly reply: Reference | undefined;
  readonly isLogged: boolean;
}

export interface EvalRun {
  readonly id: string | undefined;
  readonly evalId: string | undefined;
  readonly created: number;
  readonly source: JsonRecord;
  readonly settings: JsonRecord;
  /** The messages sent to the model: a list of templates, or a reference to the field that has them. */
  readonly messages: JsonRecord | undefined;
  readonly context: ItemContext;
}

/** One row of data, with its result in a run. */
export interface EvalRow {
  readonly item: JsonRecord;
  readonly sample: JsonRecord | undefined;
  readonly id: unknown;
  readonly evalId: string | undefined;
  readonly runId: string | undefined;
  readonly created: number;
  readonly passes: readonly (readonly [grader: string, passed: boolean])[];
  readonly context: ItemContext;
  /** The pointer steps from the row to its item. */
  readonly steps: readonly string[];
}

export interface LinkedEvalRow extends EvalRow {
  readonly evaluation: EvalDefinition | undefined;
  readonly run: EvalRun | undefined;
}

/** A page of a list from the API. */
export function pageOf(value: unknown): { list: readonly unknown[]; steps: string[] } | undefined {
  const list = listField(value, "data");
  if (!list || !isRecord(value)) return undefined;
  const isPage =
    value["object"] === "list" ||
    Object.keys(value).every((key) => ["object", "data", "first_id", "last_id", "has_more"].includes(key));
  return isPage ? { list, steps: ["data"] } : undefined;
}

/** True for an eval object of the API, or a request to create one. */
const isEval = (value: unknown): boolean =>
  field(value, "object") === "eval" ||
  (listField(value, "testing_criteria") !== undefined && recordField(value, "data_source_config") !== undefined);

const isRun = (value: unknown): boolean =>
  field(value, "object") === "eval.run" ||
  (recordField(value, "data_source") !== undefined && textField(value, "eval_id") !== undefined);

/** True for a file that defines an eval or a run; its data may be in another file. */
export const holdsEval = (values: readonly unknown[]): boolean =>
  values.some((value) => {
    const list = Array.isArray(value) ? (value as unknown[]) : (pageOf(value)?.list ?? [value]);
    return list.some((entry) => isEval(entry) || isRun(entry));
  });

/** The sample files named in a registry of the open-source `evals`. */
export const registeredSamples = (value: unknown): string[] =>
  Object.values(isRecord(value) ? value : {}).flatMap(
    (entry) => textField(recordField(entry, "args"), "samples_jsonl") ?? [],
  );

export function sortItems(items: readonly Item[], contextAt: (place: Item["place"]) => ItemContext) {
  const evals: EvalDefinition[] = [];
  const runs: EvalRun[] = [];
  const rows: EvalRow[] = [];
  for (const { value, place } of items) {
    const context = contextAt(place);
    const samples = registeredSamples(value);
    if (samples.length > 0)
      context.collector.note(
        "dropped",
        place,
        `this file registers evals; import their sample files: ${samples.join(", ")}`,
      );
    else if (!isRecord(value)) context.collector.note("dropped", place, "the line is not an eval item");
    else if (isEval(value)) evals.push(readEval(value, context));
    else if (isRun(value)) {
      const run = readRun(value, context);
      runs.push(run);
      for (const row of contentRows(run)) rows.push(row);
    } else rows.push(readRow(value, context));
  }
  return { evals, runs, rows };
}

function readEval(value: JsonRecord, context: ItemContext): EvalDefinition {
  const criteria = listField(value, "testing_criteria") ?? [];
  const compares = criteria.filter((grader) =>
    ["string_check", "text_similarity"].includes(textField(grader, "type") ?? ""),
  );
  const id = textField(value, "id");
  const reply = recordedReplyField(criteria);
  if (reply) {
    context.collector.note(
      "changed",
      context.place,
      `the graders read ${referenceText(reply)}, an earlier reply: it is kept as the recorded reply, and a run asks the model again`,
    );
  }
  return {
    id,
    name: textField(value, "name") ?? id ?? "eval",
    context,
    graders: readGraders(criteria, descend(context, "testing_criteria")),
    compared: fieldsRead(compares),
    read: fieldsRead(criteria),
    reply,
    isLogged: ["logs", "stored_completions"].includes(
      textField(recordField(value, "data_source_config"), "type") ?? "",
    ),
  };
}

function readRun(value: JsonRecord, context: ItemContext): EvalRun {
  const data = recordField(value, "data_source") ?? {};
  return {
    id: textField(value, "id"),
    evalId: textField(value, "eval_id"),
    created: Number(field(value, "created_at") ?? 0),
    source: recordField(data, "source") ?? {},
    settings: { model: field(data, "model") ?? null, ...recordField(data, "sampling_params") },
    messages: recordField(data, "input_messages"),
    context: descend(context, "data_source"),
  };
}

function contentRows({ id, evalId, created, source, context }: EvalRun): EvalRow[] {
  const content = listField(source, "content") ?? [];
  return content.flatMap((value, index) =>
    isRecord(value)
      ? [{ ...readRow(value, descend(context, "source", "content", index)), runId: id, evalId, created }]
      : [],
  );
}

/** Reads an output item, an item exported by the dashboard, or a line of data. */
function readRow(value: JsonRecord, context: ItemContext): EvalRow {
  const name = ["datasource_item", "item"].find((key) => recordField(value, key));
  const outer = name === undefined ? value : (recordField(value, name) ?? {});
  // Uploaded items may be nested once more.
  const inner = recordField(outer, "item");
  return {
    item: inner ?? outer,
    sample: name === undefined ? undefined : (recordField(value, "sample") ?? recordField(outer, "sample")),
    id: anyField(value, "datasource_item_id", "data_source_idx", "id") ?? anyField(inner ?? outer, "id"),
    evalId: name === undefined ? undefined : textField(value, "eval_id"),
    runId: name === undefined ? undefined : textField(value, "run_id"),
    created: Number(name === undefined ? 0 : (field(value, "created_at") ?? 0)),
    passes: name === undefined ? [] : passesOf(value),
    context,
    steps: [...(name === undefined ? [] : [name]), ...(inner ? ["item"] : [])],
  };
}

/** The grader results of a past run; the API appends an id to the grader names. */
function passesOf(value: JsonRecord): [string, boolean][] {
  const results = listField(value, "results") ?? [];
  const listed = results.map((result) => [scalarText(field(result, "name")) ?? "grader", field(result, "passed")]);
  const exported = Object.entries(recordField(value, "passes") ?? {});
  return [...listed, ...exported].map(([name, passed]) => [
    String(name).replace(/-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, ""),
    passed === true,
  ]);
}

export interface Definitions {
  readonly evals: readonly EvalDefinition[];
  readonly runs: readonly EvalRun[];
}

/** Finds the eval and the run of each row: by id, by the name of the data file, or because there is only one. */
export function linkRows(rows: readonly EvalRow[], { evals, runs }: Definitions): LinkedEvalRow[] {
  const evalById = new Map(evals.map((entry) => [entry.id, entry]));
  const runById = new Map(runs.map((run) => [run.id, run]));
  const asking = runs.filter(({ messages }) => messages).toSorted((left, right) => right.created - left.created);

  function evalOf(row: EvalRow, run: EvalRun | undefined): EvalDefinition | undefined {
    const id = row.evalId ?? run?.evalId;
    const known = id === undefined ? undefined : evalById.get(id);
    if (known || evals.length === 0) return known;
    const [only] = evals;
    if (evals.length === 1 && (id === undefined || only?.id === undefined)) return only;
    const { collector, place } = row.context;
    if (id === undefined) {
      const names = evals.map(({ name }) => JSON.stringify(name)).join(", ");
      const where = place.file === undefined ? "rows" : `the rows of ${place.file}`;
      throw new FormatError(
        `${where} may belong to any of the evals ${names}: import each eval separately, with its own data`,
      );
    }
    const missing = `the eval ${id} is not in the imported files, so its rows have no checks`;
    collector.note("dropped", { file: place.file }, missing);
    return undefined;
  }

  const [newest, ...older] = asking;
  if (newest && older.some(({ evalId, messages }) => evalId === newest.evalId && !isSame(messages, newest.messages))) {
    const { collector, place } = newest.context;
    collector.note(
      "changed",
      place,
      "the runs of the eval use different messages; those of this run, the newest, are used",
    );
  }
  const newestOf = new Map(asking.toReversed().map((run) => [run.evalId, run]));
  const byFile = new Map<string | undefined, EvalRun | undefined>();
  function runOfFile(file: string | undefined): EvalRun | undefined {
    const run = byFile.has(file) ? byFile.get(file) : [...asking, ...runs].find((entry) => isDataOf(entry, file));
    byFile.set(file, run);
    return run;
  }
  return rows.map((row) => {
    const own = row.runId === undefined ? runOfFile(row.context.place.file) : runById.get(row.runId);
    const evaluation = evalOf(row, own);
    const run = own ?? (evaluation?.id === undefined ? newest : newestOf.get(evaluation.id));
    return { ...row, evaluation, run, created: row.created || (own?.created ?? 0) };
  });
}

const isSame = (left: unknown, right: unknown): boolean => canonicalJson(left) === canonicalJson(right);

/** Uploaded files are downloaded under their id. */
function isDataOf({ source }: EvalRun, file: string | undefined): boolean {
  const id = textField(source, "id");
  return id !== undefined && file?.includes(id) === true;
}

/**
 * Merges copies of a row from the data file, a run and output items into one scenario that uses the newest run's messages. Equal rows
 * of one source stay separate.
 */
export function mergeRows(rows: readonly LinkedEvalRow[]): LinkedEvalRow[][] {
  const merged = new Map<string, LinkedEvalRow[]>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { item, evaluation, run, runId, evalId, context, steps } = row;
    const content = canonicalJson([evaluation?.id ?? evalId ?? run?.evalId ?? "", item]);
    const source = canonicalJson([context.place.file, runId, steps, content]);
    const count = (counts.get(source) ?? 0) + 1;
    counts.set(source, count);
    const group = merged.get(`${count} ${content}`);
    if (group) group.push(row);
    else merged.set(`${count} ${content}`, [row]);
  }
  return [...merged.values()].map((group) => group.toSorted((left, right) => right.created - left.created));
}
