import { canonicalJson, isRecord, type JsonRecord } from "../../../base/json.ts";
import { FormatError } from "../../format-error.ts";
import { below, type ItemContext } from "../../peer-item.ts";
import { anyField, field, listField, recordField, scalarText, textField } from "../../records.ts";
import type { Item } from "../importer.ts";
import { written, type Reference } from "./fill-template.ts";
import type { Grader } from "./grader.ts";
import { fieldsRead, readGraders, recordedReply } from "./graders.ts";

export interface Evaluation {
  readonly id: string | undefined;
  readonly name: string;
  readonly context: ItemContext;
  readonly graders: readonly Grader[];
  /** Fields of a row that a grader compares with the reply: they are nothing the user says. */
  readonly compared: ReadonlySet<string>;
  readonly read: ReadonlySet<string>;
  readonly reply: Reference | undefined;
  readonly isLogged: boolean;
}

export interface Run {
  readonly id: string | undefined;
  readonly evalId: string | undefined;
  readonly created: number;
  readonly source: JsonRecord;
  readonly settings: JsonRecord;
  /** How the model was asked: a list of messages with templates, or the name of the field that has them. */
  readonly messages: JsonRecord | undefined;
  readonly context: ItemContext;
}

/** One row of data, and what a run made of it. */
export interface Row {
  readonly item: JsonRecord;
  readonly sample: JsonRecord | undefined;
  readonly id: unknown;
  readonly evalId: string | undefined;
  readonly runId: string | undefined;
  readonly created: number;
  readonly passes: readonly (readonly [grader: string, passed: boolean])[];
  readonly context: ItemContext;
  /** The way from the row's place to its item. */
  readonly steps: readonly string[];
}

export interface LinkedRow extends Row {
  readonly evaluation: Evaluation | undefined;
  readonly run: Run | undefined;
}

/** A page of a list, as the API gives it. */
export function pageOf(value: unknown): { list: readonly unknown[]; steps: string[] } | undefined {
  const list = listField(value, "data");
  if (!list || !isRecord(value)) return undefined;
  const isPage =
    value["object"] === "list" ||
    Object.keys(value).every((key) => ["object", "data", "first_id", "last_id", "has_more"].includes(key));
  return isPage ? { list, steps: ["data"] } : undefined;
}

/** True for an eval, as it is returned or as it is made. */
const isEval = (value: unknown): boolean =>
  field(value, "object") === "eval" ||
  (listField(value, "testing_criteria") !== undefined && recordField(value, "data_source_config") !== undefined);

const isRun = (value: unknown): boolean =>
  field(value, "object") === "eval.run" ||
  (recordField(value, "data_source") !== undefined && textField(value, "eval_id") !== undefined);

/** True for a file that says how an eval is made or run: the data to it may be in another file. */
export const holdsEval = (values: readonly unknown[]): boolean =>
  values.some((value) => {
    const list = Array.isArray(value) ? (value as unknown[]) : (pageOf(value)?.list ?? [value]);
    return list.some((entry) => isEval(entry) || isRun(entry));
  });

/** The files of samples that a registry of the open-source `evals` names, each under the name of an eval. */
export const registeredSamples = (value: unknown): string[] =>
  Object.values(isRecord(value) ? value : {}).flatMap(
    (entry) => textField(recordField(entry, "args"), "samples_jsonl") ?? [],
  );

export function sortItems(items: readonly Item[], contextAt: (place: Item["place"]) => ItemContext) {
  const evals: Evaluation[] = [];
  const runs: Run[] = [];
  const rows: Row[] = [];
  for (const { value, place } of items) {
    const context = contextAt(place);
    const samples = registeredSamples(value);
    if (samples.length > 0)
      context.collector.note(
        "dropped",
        place,
        `this says how evals are made; import their samples: ${samples.join(", ")}`,
      );
    else if (!isRecord(value)) context.collector.note("dropped", place, "the line is no eval item");
    else if (isEval(value)) evals.push(readEval(value, context));
    else if (isRun(value)) {
      const run = readRun(value, context);
      runs.push(run);
      for (const row of contentRows(run)) rows.push(row);
    } else rows.push(readRow(value, context));
  }
  return { evals, runs, rows };
}

function readEval(value: JsonRecord, context: ItemContext): Evaluation {
  const criteria = listField(value, "testing_criteria") ?? [];
  const compares = criteria.filter((grader) =>
    ["string_check", "text_similarity"].includes(textField(grader, "type") ?? ""),
  );
  const id = textField(value, "id");
  const reply = recordedReply(criteria);
  if (reply) {
    const told = `the graders read ${written(reply)}, a reply made before`;
    context.collector.note(
      "changed",
      context.place,
      `${told}: it is kept as the recorded reply, and a run asks the model`,
    );
  }
  return {
    id,
    name: textField(value, "name") ?? id ?? "eval",
    context,
    graders: readGraders(criteria, below(context, "testing_criteria")),
    compared: fieldsRead(compares),
    read: fieldsRead(criteria),
    reply,
    isLogged: ["logs", "stored_completions"].includes(
      textField(recordField(value, "data_source_config"), "type") ?? "",
    ),
  };
}

function readRun(value: JsonRecord, context: ItemContext): Run {
  const data = recordField(value, "data_source") ?? {};
  return {
    id: textField(value, "id"),
    evalId: textField(value, "eval_id"),
    created: Number(field(value, "created_at") ?? 0),
    source: recordField(data, "source") ?? {},
    settings: { model: field(data, "model") ?? null, ...recordField(data, "sampling_params") },
    messages: recordField(data, "input_messages"),
    context: below(context, "data_source"),
  };
}

function contentRows({ id, evalId, created, source, context }: Run): Row[] {
  const content = listField(source, "content") ?? [];
  return content.flatMap((value, index) =>
    isRecord(value)
      ? [{ ...readRow(value, below(context, "source", "content", index)), runId: id, evalId, created }]
      : [],
  );
}

/** An output item, an item that the dashboard exported, or a line of data. */
function readRow(value: JsonRecord, context: ItemContext): Row {
  const name = ["datasource_item", "item"].find((key) => recordField(value, key));
  const outer = name === undefined ? value : (recordField(value, name) ?? {});
  // The item proper may be nested once more, as it was uploaded.
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

/** The results of the graders of a past run, by their names; the API adds an id to these. */
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
  readonly evals: readonly Evaluation[];
  readonly runs: readonly Run[];
}

/** Finds the eval and the run of each row: by their ids, by the name of the data file, or because there is only one. */
export function linkRows(rows: readonly Row[], { evals, runs }: Definitions): LinkedRow[] {
  const evalById = new Map(evals.map((entry) => [entry.id, entry]));
  const runById = new Map(runs.map((run) => [run.id, run]));
  const asking = runs.filter(({ messages }) => messages).toSorted((left, right) => right.created - left.created);

  function evalOf(row: Row, run: Run | undefined): Evaluation | undefined {
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
        `${where} may belong to any of the evals ${names}: import each eval with its own data alone`,
      );
    }
    const missing = `the eval ${id} is not among the files, so its rows have no checks`;
    collector.note("dropped", { file: place.file }, missing);
    return undefined;
  }

  const [newest, ...older] = asking;
  if (newest && older.some(({ evalId, messages }) => evalId === newest.evalId && !isSame(messages, newest.messages))) {
    const { collector, place } = newest.context;
    collector.note("changed", place, "the runs of the eval ask in different ways; this one, the newest, is followed");
  }
  const newestOf = new Map(asking.toReversed().map((run) => [run.evalId, run]));
  const byFile = new Map<string | undefined, Run | undefined>();
  function runOfFile(file: string | undefined): Run | undefined {
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

/** A file that was uploaded is downloaded under its id. */
function isDataOf({ source }: Run, file: string | undefined): boolean {
  const id = textField(source, "id");
  return id !== undefined && file?.includes(id) === true;
}

/**
 * The same row may be in the data file, in a run and in output items of several runs: it is one scenario, asked as in the newest run.
 * Equal rows of one source stay apart.
 */
export function mergeRows(rows: readonly LinkedRow[]): LinkedRow[][] {
  const merged = new Map<string, LinkedRow[]>();
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
