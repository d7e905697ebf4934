import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { closestName } from "../../base/text.ts";
import { ScenarioFields } from "../../contract/schemas/scenario.ts";
import type { TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import { parseExactJson, parseIfJson } from "../documents/exact-json.ts";
import { anyField, isTextList, listField, scalarText, textField, toTextList } from "../documents/records.ts";
import { announceLabel, keepUnasked, readInput, readOutput } from "../shared/dataset-item.ts";
import { descend, type ItemNotes } from "../shared/items.ts";
import type { ExpectedReply, ImportedScenario, ImportedTurn } from "../shared/imported-scenario.ts";
import { isConversation, readContent, readMessage, type ParsedConversation } from "../shared/read-messages.ts";
import type { ScenarioCollector } from "../shared/scenario-collector.ts";
import { FormatError } from "../documents/format-error.ts";
import { readToolCalls, toReferenceCalls } from "../shared/tool-calls.ts";
import { isTagName, type ColumnMapping, type ColumnRole } from "../documents/columns.ts";
import { normalizeTable } from "./normalize-table.ts";
import { noteUnknownFields } from "../shared/unknown-fields.ts";
import {
  isFreeColumn,
  isOwnTable,
  listNames,
  ownColumns,
  passagesOfCell,
  planTable,
  wholeColumns,
  type ColumnPlan,
  type TablePlan,
} from "./plan-columns.ts";
import type { Table, TableRow } from "./read-table.ts";

/** Imports a table in long form (a row per turn, joined by `scenario_id`) or with one question per row. */
export function importTable(given: Table, collector: ScenarioCollector, wanted: ColumnMapping): void {
  const { table, mapping } = normalizeTable(given, wanted, collector);
  if (table.names.length === 0) {
    throw new FormatError(
      "the file has no fields: a scenario has an id and interactions, a table row has the user's message",
    );
  }
  const plan = planTable(table, mapping);
  if (plan.roles.user === undefined) {
    const fields = listNames(table.names);
    const isText = (cell: unknown): boolean => scalarText([cell].flat()[0]) !== undefined || isConversation(cell);
    if (table.rows.length > 0 && !table.rows.some(({ cells }) => Object.values(cells).some(isText)))
      throw new FormatError(`this file has neither scenarios nor questions: there is no text in its fields ${fields}`);
    throw new FormatError(
      `no column holds the user's message; name it with the mapping user=…; the columns are ${fields}`,
    );
  }
  const isOwn = isOwnTable(table.names);
  if (!isOwn) noteColumns(plan, collector);
  const checksFields = collector.isClosed && table.names.includes("user_message");
  if (checksFields) noteMisspeltColumns(plan, collector);
  const groups = new Map<string, TableRow[]>();
  for (const [index, row] of table.rows.entries()) {
    const key = rowKey(row, index, plan, collector);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const places = new Map(plan.labels.map((name, index) => [name, index]));
  const kept = new Set(plan.others);
  for (const rows of groups.values()) addRows(rows, { ...plan, places, isOwn, kept, checksFields }, collector);
}

/** In a table with our own columns, a column that is nearly one of them would be kept as data, and its test lost. */
function noteMisspeltColumns({ roles, labels, others }: TablePlan, collector: ScenarioCollector): void {
  const free = ownColumns.filter((name) => !Object.values(roles).includes(name) && !others.includes(name));
  for (const name of [...labels, ...others]) {
    const nearest = isFreeColumn(name) ? undefined : closestName(name, free);
    if (nearest === undefined || ownColumns.includes(name)) continue;
    const message = `unknown column: ${name} (did you mean ${nearest}? Data of your own: metadata.${name} or x-${name})`;
    collector.note("dropped", { line: 1 }, message);
  }
}

/** Says what becomes of the columns that are neither messages nor references. */
function noteColumns({ labels, others, unused }: TablePlan, collector: ScenarioCollector): void {
  const note = (kind: "kept" | "changed", message: string): void => collector.note(kind, { line: 1 }, message);
  for (const name of labels) announceLabel(name, collector);
  for (const { name, reason, isLoss } of unused) note(isLoss ? "changed" : "kept", `column ${name}: ${reason}`);
  const explained = new Set(["metadata", ...unused.map(({ name }) => name)]);
  const plain = others.filter((name) => !explained.has(name));
  const tags = plain.filter(isTagName);
  const rest = plain.filter((name) => !isTagName(name));
  if (tags.length > 0) note("kept", `kept as tags, not scored: ${listNames(tags)}`);
  if (rest.length > 0)
    note("kept", `kept as metadata, not scored: ${listNames(rest)} (name labels with the mapping labels=…)`);
}

interface RowPlan extends TablePlan {
  /** True for a table that we wrote. */
  readonly isOwn: boolean;
  /** True where unknown fields of checks and the like are errors. */
  readonly checksFields: boolean;
  readonly kept: ReadonlySet<string>;
  /** The position of each label column. */
  readonly places: ReadonlyMap<string, number>;
}

const cell = ({ cells }: TableRow, plan: ColumnPlan, role: ColumnRole): unknown => {
  const name = plan.roles[role];
  return name === undefined ? undefined : cells[name];
};

const text = (row: TableRow, plan: ColumnPlan, role: ColumnRole): string | undefined => {
  const value = cell(row, plan, role);
  if (value === undefined || value === null) return undefined;
  return scalarText(value) ?? JSON.stringify(value);
};

/** Rows with the same key are one scenario; undefined for an empty row. */
function rowKey(row: TableRow, index: number, plan: ColumnPlan, collector: ScenarioCollector): string | undefined {
  const id = text(row, plan, "scenario_id");
  if (id !== undefined && id !== "") return `id ${id}`;
  if ((text(row, plan, "user") ?? "") !== "") return `row ${index}`;
  collector.note("dropped", row.place, `the row has no ${plan.roles.user}`);
  return undefined;
}

function addRows(rows: readonly TableRow[], plan: RowPlan, collector: ScenarioCollector): void {
  const [first] = rows;
  if (!first) return;
  const ownId = plan.roles.scenario_id === undefined ? cell(first, plan, "id") : cell(first, plan, "scenario_id");
  const whole = (role: ColumnRole): string | undefined => wholeText({ rows, plan, role, collector });
  const tags = whole("tags");
  const ordered = rowsInOrder(rows, plan, collector);
  const asked = ordered.map((row) => readTableTurns(row, plan, collector));
  const unasked = Object.assign({}, ...asked.map(({ unasked: own }) => own)) as JsonRecord;
  const about = plan.isOwn ? wholeParts(first, collector) : keptColumns(ordered, plan);
  if (plan.checksFields) {
    const { place } = first;
    const { world, matching, expect, user } = about;
    const interactions = asked.flatMap(({ turns }) => turns.map(({ checks }) => ({ checks })));
    const value = { world, tool_matching: matching, expect, user, interactions };
    noteUnknownFields({ value, schema: ScenarioFields, place }, collector);
  }
  collector.add({
    place: first.place,
    id: ownId,
    description: whole("description"),
    system: whole("system") ?? asked.find(({ system }) => system !== undefined)?.system,
    ...about,
    metadata: { ...unasked, ...about.metadata },
    tags: [...(tags === undefined ? [] : readTags(tags)), ...(about.tags ?? [])],
    turns: joinTableTurns(asked),
  });
}

type About = Pick<ImportedScenario, "metadata" | "tags" | "world" | "matching" | "expect" | "user">;

/** Parts of the whole scenario, in JSON in the first row of a table that we wrote. */
function wholeParts({ place, cells }: TableRow, collector: ScenarioCollector): About {
  const [metadata, world, matching, expect, user] = wholeColumns.map((name) => {
    const text = scalarText(cells[name]) ?? "";
    if (text === "") return cells[name] === "" ? undefined : cells[name];
    const value = parseIfJson(text);
    if (isRecord(value)) return value;
    collector.note("dropped", place, `${name} is not a JSON object`);
    return undefined;
  });
  return { metadata: isRecord(metadata) ? metadata : undefined, world: world ?? null, matching, expect, user };
}

const longestTag = 64;

/** Other columns become tags or metadata. Where the rows of a scenario differ, all values are kept in order. */
function keptColumns(rows: readonly TableRow[], { kept }: RowPlan): About {
  const tags: string[] = [];
  const metadata: Record<string, unknown> = {};
  // Rows with different fields may add up to as many columns as rows; only the written ones are read.
  const written = new Set(rows.flatMap(({ cells }) => Object.keys(cells)));
  for (const name of [...written].filter((each) => kept.has(each))) {
    const values = rows.map(({ cells }) => cells[name]).filter((value) => (value ?? "") !== "");
    const distinct = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
    if (distinct.length === 0) continue;
    const texts = distinct.flat().map((value) => scalarText(value)?.trim() ?? "");
    if (isTagName(name) && texts.every((text) => text !== "" && text.length <= longestTag)) tags.push(...texts);
    else if (name === "metadata" && distinct.every(isRecord)) Object.assign(metadata, ...distinct);
    else metadata[name.replace(/^metadata\./, "")] = distinct.length === 1 ? distinct[0] : values;
  }
  return { tags, metadata };
}

/** Rows of a session may repeat the earlier messages; only the new ones are added. */
function joinTableTurns(asked: readonly TableQuestion[]): ImportedTurn[] {
  const said: ImportedTurn[] = [];
  for (const { turns } of asked) {
    const goesOn = turns.length > said.length && said.every(({ user }, index) => user === turns[index]?.user);
    for (const turn of goesOn ? turns.slice(said.length) : turns) said.push(turn);
  }
  return said;
}

interface WholeText {
  readonly rows: readonly TableRow[];
  readonly plan: ColumnPlan;
  readonly role: ColumnRole;
  readonly collector: ScenarioCollector;
}

/** The value of a scenario-wide column, from the first row that has one; different values are noted. */
function wholeText({ rows, plan, role, collector }: WholeText): string | undefined {
  const said = rows.filter((row) => (text(row, plan, role) ?? "") !== "");
  const first = said[0] && text(said[0], plan, role);
  for (const row of said.slice(1)) {
    if (text(row, plan, role) !== first)
      collector.note("dropped", row.place, `another ${role} for the same scenario; the first one is used`);
  }
  return first;
}

function rowsInOrder(rows: readonly TableRow[], plan: ColumnPlan, collector: ScenarioCollector): TableRow[] {
  const numbered = rows.map((row) => {
    const turn = text(row, plan, "turn")?.trim() ?? "";
    const number = turn === "" ? Number.NaN : Number(turn);
    if (plan.roles.turn !== undefined && Number.isNaN(number)) {
      collector.note("changed", row.place, `the turn "${turn}" is not a number; the rows keep their file order`);
    }
    return { row, number };
  });
  const sortable = numbered.every(({ number }) => !Number.isNaN(number));
  return (sortable ? numbered.toSorted((left, right) => left.number - right.number) : numbered).map(({ row }) => row);
}

type TableQuestion = Pick<ParsedConversation, "system" | "turns"> & { readonly unasked?: JsonRecord };

/** A cell holds the user's message; in JSON rows also earlier messages, or an object with them. */
function readTableTurns(row: TableRow, plan: RowPlan, collector: ScenarioCollector): TableQuestion {
  const turn = readTurn(row, plan, collector);
  const name = plan.roles.user ?? "";
  const whole = { place: row.place, collector, mapping: {} };
  const before = plan.history === undefined ? undefined : row.cells[plan.history];
  const [value, context] = isConversation(before)
    ? [followedBy(before, row.cells[name]), descend(whole, plan.history ?? "")]
    : [row.cells[name], descend(whole, name)];
  const asked = typeof value === "object" ? readInput(value, context) : undefined;
  if (!asked || asked.turns.length === 0) return { system: undefined, turns: [turn] };
  const unasked = keepUnasked(value, asked, context);
  const last = asked.turns.length - 1;
  const expected = referencePerTurn(row, plan, asked.turns.length);
  const finish = (given: ImportedTurn): ImportedTurn => {
    const { user, reference } = given;
    const calls = { expected: turn.expected ?? given.expected, calls: [...(given.calls ?? []), ...(turn.calls ?? [])] };
    return expected
      ? { ...turn, ...calls, user, reference, references: [] }
      : { ...turn, ...calls, user, reference: turn.reference || reference };
  };
  const turns = expected ? asked.turns.map((given, index) => ({ ...given, reference: expected[index] })) : asked.turns;
  return { ...asked, unasked, turns: turns.map((given, index) => (index < last ? given : finish(given))) };
}

/** The history may already end with the question. */
function followedBy(before: readonly unknown[], question: unknown): readonly unknown[] {
  const last = readMessage(before.at(-1));
  return last?.role === "user" && last.text === question ? before : [...before, { role: "user", content: question }];
}

/** MT-Bench lists the user's messages; an equally long list of references has one for each. */
function referencePerTurn({ cells }: TableRow, { roles }: ColumnPlan, turns: number): readonly string[] | undefined {
  const [asked, expected] = [cells[roles.user ?? ""], cells[roles.reference ?? ""]];
  if (!isTextList(asked) || !isTextList(expected)) return undefined;
  return turns > 1 && expected.length === turns ? expected : undefined;
}

function readTurn(row: TableRow, plan: RowPlan, collector: ScenarioCollector): ImportedTurn {
  const named = labelsIn(row, plan);
  const json = readJsonCell(row, plan, "reference_metadata", collector);
  const generated = readJsonCell(row, plan, "generated_metadata", collector);
  const references = readJsonCell(row, plan, "references", collector);
  const checks = readJsonCell(row, plan, "checks", collector);
  const expected = readExpected(row, plan, collector);
  const asked = readRubrics(cell(row, plan, "rubric"), { place: row.place, collector });
  const tools = readExpectedCalls(row, plan, collector);
  return compact({
    id: plan.roles.scenario_id === undefined ? undefined : cell(row, plan, "id"),
    user: text(row, plan, "user") ?? "",
    ...expected,
    ...(Array.isArray(references) && moreReferences(references, expected)),
    reply: text(row, plan, "agent_reply"),
    context: readContext(row, plan, collector),
    type: text(row, plan, "interaction_type"),
    checks: [...(Array.isArray(checks) ? checks : []), ...asked],
    generated: isRecord(generated) ? generated : undefined,
    ...tools,
    labels: { ...(isRecord(json) ? json : {}), ...Object.fromEntries(named.map((name) => [name, row.cells[name]])) },
  });
}

function readContext(row: TableRow, plan: RowPlan, collector: ScenarioCollector): ImportedTurn["context"] {
  if (!plan.isOwn) return passagesOfCell(cell(row, plan, "context"));
  const value = readJsonCell(row, plan, "context", collector);
  return Array.isArray(value) ? (value as ImportedTurn["context"]) : undefined;
}

/** Our own tables have references with matchers; others list calls or names of tools. */
function readExpectedCalls(row: TableRow, plan: RowPlan, collector: ScenarioCollector): Pick<ImportedTurn, "expected"> {
  if (cell(row, plan, "reference_tool_calls") === undefined) return {};
  const value = readJsonCell(row, plan, "reference_tool_calls", collector);
  if (!Array.isArray(value)) return {};
  if (plan.isOwn) return { expected: value };
  return { expected: toReferenceCalls(readToolCalls(value), { place: row.place, note: collector.note }) };
}

/** The labels of a row, in column order. */
function labelsIn({ cells }: TableRow, { places }: RowPlan): string[] {
  const names = Object.keys(cells).filter(
    (name) => places.has(name) && ![undefined, null, ""].includes(cells[name] as undefined),
  );
  return names.toSorted((left, right) => (places.get(left) ?? 0) - (places.get(right) ?? 0));
}

/** HELM tags correct references; the first of them is the reference reply. */
function moreReferences(values: readonly unknown[], { reference }: ExpectedReply): ExpectedReply {
  const correct = values.filter((value) => listField(value, "tags")?.includes("correct"));
  if (correct.length === 0) return { reference, references: toTextList(values) ?? [] };
  const [first, ...rest] = correct.map((value) => readContent(anyField(value, "output")).text);
  return reference === undefined
    ? { reference: first, references: rest }
    : { reference, references: [first ?? "", ...rest] };
}

/** A cell is text; a JSON row may have several answers, or an object with one. */
function readExpected({ place, cells }: TableRow, { roles }: ColumnPlan, collector: ScenarioCollector): ExpectedReply {
  const name = roles.reference;
  if (name === undefined) return { reference: undefined };
  return readOutput(cells[name], descend({ place, collector, mapping: {} }, name));
}

/** A JSON cell: text in CSV files, already parsed in JSON rows. */
function readJsonCell(row: TableRow, plan: ColumnPlan, role: ColumnRole, collector: ScenarioCollector): unknown {
  const value = cell(row, plan, role);
  if (typeof value !== "string" || value.trim() === "") return value;
  try {
    return parseExactJson(value);
  } catch {
    collector.note("dropped", row.place, `${plan.roles[role]} is not valid JSON`);
    return undefined;
  }
}

function readTags(value: string): string[] {
  if (value.startsWith("[")) {
    try {
      const list: unknown = JSON.parse(value);
      if (Array.isArray(list)) return toTextList(list) ?? [];
    } catch {
      // Not a JSON list: split it as text.
    }
  }
  return value
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** Rubrics for the judge: one text, a list, or objects with text and points as in HealthBench. */
function readRubrics(cell: unknown, { place, collector }: ItemNotes): TurnCheck[] {
  const entries = [parseIfJson(cell)].flat();
  return entries
    .filter((entry) => scalarText(entry ?? "")?.trim() !== "")
    .flatMap((entry): TurnCheck[] => {
      const text = scalarText(entry) ?? textField(entry, "criterion", "criteria", "rubric", "text", "description");
      const points = Number(anyField(entry, "points", "weight", "score") ?? 1);
      if (points < 0) collector.note("dropped", place, "a rubric with negative points is not supported");
      else if (text === undefined || text.trim() === "") collector.note("dropped", place, "a rubric without text");
      else {
        if (points !== 1) collector.note("changed", place, "rubrics count equally; their points were dropped");
        return [{ type: "rubric", text }];
      }
      return [];
    });
}
