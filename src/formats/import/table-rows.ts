import { isRecord } from "../../base/json.ts";
import type { ColumnMapping, ColumnRole } from "../column-mapping.ts";
import { textList } from "../extras.ts";
import { FormatError } from "../format-error.ts";
import { below, noteLeft, readInput, readOutput, type ExpectedReply } from "../peer-item.ts";
import { parseExactJson } from "../parse-exact-json.ts";
import { isConversation, readContent, readMessage } from "../read-message.ts";
import { anyField, isTextList, listField, scalarText } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import type { TurnDraft } from "../scenario-draft.ts";
import type { Conversation } from "../turns-from-messages.ts";
import { assignColumns, listed, type ColumnPlan } from "./assign-columns.ts";
import { firstAttempts } from "./first-attempts.ts";
import { withHistory, type TablePlan } from "./history-column.ts";
import { joinInstructions } from "./join-instructions.ts";
import { withoutOtherKinds } from "./label-columns.ts";
import { joinMessages } from "./message-rows.ts";
import { withPastResponse } from "./past-response.ts";
import { readRubrics } from "./rubric-cell.ts";
import type { Row, Table } from "./table.ts";

/** A table in long form (a row per turn, `scenario_id` says which belong together) or one conversation of one turn per row. */
export function importTable(given: Table, collector: ScenarioCollector, wanted: ColumnMapping): void {
  const { table: joined, mapping } = joinMessages(firstAttempts(given, collector), wanted, collector);
  const table = joinInstructions(joined, mapping);
  if (table.names.length === 0) {
    throw new FormatError(
      "there is nothing in it: a scenario has an id and interactions, a row says what the user says",
    );
  }
  const columns = assignColumns(table.names, withPastResponse(table.names, mapping));
  const assigned = withHistory(withConversations(columns, table), table);
  const plan = mapping.labels ? assigned : withoutOtherKinds(assigned, table);
  if (plan.roles.user === undefined) {
    throw new FormatError(
      `no column holds the user's message; name it with the mapping user=…; the columns are ${listed(table.names)}`,
    );
  }
  for (const { name, reason } of plan.unused) collector.note("dropped", { line: 1 }, `column ${name}: ${reason}`);
  const groups = new Map<string, Row[]>();
  for (const [index, row] of table.rows.entries()) {
    const key = keyOf(row, index, plan, collector);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const places = new Map(plan.labels.map((name, index) => [name, index]));
  for (const rows of groups.values()) addRows(rows, { ...plan, places }, collector);
}

interface RowPlan extends TablePlan {
  /** Where each label stands among them. */
  readonly places: ReadonlyMap<string, number>;
}

/** Where turns are numbered, rows of the same id are one conversation. Numbers of nothing are named. */
function withConversations(plan: ColumnPlan, { rows }: Table): ColumnPlan {
  const { scenario_id, turn, id, ...roles } = plan.roles;
  if (turn === undefined || scenario_id !== undefined) return plan;
  if (id !== undefined) {
    const ids = rows.map((row) => text(row, plan, "id"));
    return new Set(ids).size < ids.length ? { ...plan, roles: { ...roles, turn, scenario_id: id } } : plan;
  }
  const reason = "no column says which rows are one conversation; name it with the mapping scenario_id=…";
  return { ...plan, unused: [...plan.unused, { name: turn, reason }] };
}

const cell = ({ cells }: Row, plan: ColumnPlan, role: ColumnRole): unknown => {
  const name = plan.roles[role];
  return name === undefined ? undefined : cells[name];
};

const text = (row: Row, plan: ColumnPlan, role: ColumnRole): string | undefined => {
  const value = cell(row, plan, role);
  if (value === undefined || value === null) return undefined;
  return scalarText(value) ?? JSON.stringify(value);
};

/** Rows of one key are one scenario; undefined for a row that says nothing. */
function keyOf(row: Row, index: number, plan: ColumnPlan, collector: ScenarioCollector): string | undefined {
  const id = text(row, plan, "scenario_id");
  if (id !== undefined && id !== "") return `id ${id}`;
  if ((text(row, plan, "user") ?? "") !== "") return `row ${index}`;
  collector.note("dropped", row.place, `the row has no ${plan.roles.user}`);
  return undefined;
}

function addRows(rows: readonly Row[], plan: RowPlan, collector: ScenarioCollector): void {
  const [first] = rows;
  if (!first) return;
  const ownId = plan.roles.scenario_id === undefined ? cell(first, plan, "id") : cell(first, plan, "scenario_id");
  const whole = (role: ColumnRole): string | undefined => wholeText({ rows, plan, role, collector });
  const tags = whole("tags");
  const asked = inOrder(rows, plan, collector).map((row) => readTurns(row, plan, collector));
  collector.add({
    place: first.place,
    id: ownId,
    description: whole("description"),
    tags: tags === undefined ? undefined : readTags(tags),
    system: whole("system") ?? asked.find(({ system }) => system !== undefined)?.system,
    turns: joinTurns(asked),
  });
}

/** The rows of a session may each repeat what was said before: then only what is new is taken of them. */
function joinTurns(asked: readonly Asked[]): TurnDraft[] {
  const said: TurnDraft[] = [];
  for (const { turns } of asked) {
    const goesOn = turns.length > said.length && said.every(({ user }, index) => user === turns[index]?.user);
    for (const turn of goesOn ? turns.slice(said.length) : turns) said.push(turn);
  }
  return said;
}

interface WholeText {
  readonly rows: readonly Row[];
  readonly plan: ColumnPlan;
  readonly role: ColumnRole;
  readonly collector: ScenarioCollector;
}

/** What is said about the whole scenario may stand in any of its rows; rows that say something else are named. */
function wholeText({ rows, plan, role, collector }: WholeText): string | undefined {
  const said = rows.filter((row) => (text(row, plan, role) ?? "") !== "");
  const first = said[0] && text(said[0], plan, role);
  for (const row of said.slice(1)) {
    if (text(row, plan, role) !== first)
      collector.note("dropped", row.place, `another ${role} for the same scenario; the first counts`);
  }
  return first;
}

function inOrder(rows: readonly Row[], plan: ColumnPlan, collector: ScenarioCollector): Row[] {
  const numbered = rows.map((row) => {
    const turn = text(row, plan, "turn")?.trim() ?? "";
    const number = turn === "" ? Number.NaN : Number(turn);
    if (plan.roles.turn !== undefined && Number.isNaN(number)) {
      collector.note("changed", row.place, `the turn "${turn}" is no number; the rows stay in file order`);
    }
    return { row, number };
  });
  const sortable = numbered.every(({ number }) => !Number.isNaN(number));
  return (sortable ? numbered.toSorted((left, right) => left.number - right.number) : numbered).map(({ row }) => row);
}

type Asked = Pick<Conversation, "system" | "turns">;

/** A cell is what the user says; a JSON row may have the messages before it too, or an object that holds them. */
function readTurns(row: Row, plan: RowPlan, collector: ScenarioCollector): Asked {
  const turn = readTurn(row, plan, collector);
  const name = plan.roles.user ?? "";
  const whole = { place: row.place, collector, mapping: {} };
  const before = plan.history === undefined ? undefined : row.cells[plan.history];
  const [value, context] = isConversation(before)
    ? [followedBy(before, row.cells[name]), below(whole, plan.history ?? "")]
    : [row.cells[name], below(whole, name)];
  const asked = typeof value === "object" ? readInput(value, context) : undefined;
  if (!asked || asked.turns.length === 0) return { system: undefined, turns: [turn] };
  noteLeft(asked.left ?? [], context);
  const last = asked.turns.length - 1;
  const expected = oneEach(row, plan, asked.turns.length);
  const finish = ({ user, reference }: TurnDraft): TurnDraft =>
    expected ? { ...turn, user, reference, references: [] } : { ...turn, user, reference: turn.reference || reference };
  const turns = expected ? asked.turns.map((given, index) => ({ ...given, reference: expected[index] })) : asked.turns;
  return { ...asked, turns: turns.map((given, index) => (index < last ? given : finish(given))) };
}

/** The question may stand at the end of what was said before it as well. */
function followedBy(before: readonly unknown[], question: unknown): readonly unknown[] {
  const last = readMessage(before.at(-1));
  return last?.role === "user" && last.text === question ? before : [...before, { role: "user", content: question }];
}

/** Where the user's messages are a list of texts, as in MT-Bench, so many expected texts are one for each of them. */
function oneEach({ cells }: Row, { roles }: ColumnPlan, turns: number): readonly string[] | undefined {
  const [asked, expected] = [cells[roles.user ?? ""], cells[roles.reference ?? ""]];
  if (!isTextList(asked) || !isTextList(expected)) return undefined;
  return turns > 1 && expected.length === turns ? expected : undefined;
}

function readTurn(row: Row, plan: RowPlan, collector: ScenarioCollector): TurnDraft {
  const named = labelsIn(row, plan);
  const json = readJson(row, plan, "reference_metadata", collector);
  const generated = readJson(row, plan, "generated_metadata", collector);
  const references = readJson(row, plan, "references", collector);
  const checks = readJson(row, plan, "checks", collector);
  const expected = readExpected(row, plan, collector);
  const asked = readRubrics(cell(row, plan, "rubric"), { place: row.place, collector });
  return {
    id: plan.roles.scenario_id === undefined ? undefined : cell(row, plan, "id"),
    user: text(row, plan, "user") ?? "",
    ...expected,
    ...(Array.isArray(references) && others(references, expected)),
    reply: text(row, plan, "agent_reply"),
    type: text(row, plan, "interaction_type"),
    checks: [...(Array.isArray(checks) ? checks : []), ...asked],
    ...(isRecord(generated) && { generated }),
    labels: { ...(isRecord(json) ? json : {}), ...Object.fromEntries(named.map((name) => [name, row.cells[name]])) },
  };
}

/** The names of the labels that a row has, in the order of the columns. */
function labelsIn({ cells }: Row, { places }: RowPlan): string[] {
  const names = Object.keys(cells).filter(
    (name) => places.has(name) && ![undefined, null, ""].includes(cells[name] as undefined),
  );
  return names.toSorted((left, right) => (places.get(left) ?? 0) - (places.get(right) ?? 0));
}

/** HELM's references are objects, of which those that are correct are tagged: the first of them is the reference reply. */
function others(values: readonly unknown[], { reference }: ExpectedReply): ExpectedReply {
  const correct = values.filter((value) => listField(value, "tags")?.includes("correct"));
  if (correct.length === 0) return { reference, references: textList(values) ?? [] };
  const [first, ...rest] = correct.map((value) => readContent(anyField(value, "output")).text);
  return reference === undefined
    ? { reference: first, references: rest }
    : { reference, references: [first ?? "", ...rest] };
}

/** A cell is text; a JSON row may have several answers, or an object that holds one. */
function readExpected({ place, cells }: Row, { roles }: ColumnPlan, collector: ScenarioCollector): ExpectedReply {
  const name = roles.reference;
  if (name === undefined) return { reference: undefined };
  return readOutput(cells[name], below({ place, collector, mapping: {} }, name));
}

/** A cell that holds JSON: as text in a CSV file, as it is in a JSON row. */
function readJson(row: Row, plan: ColumnPlan, role: ColumnRole, collector: ScenarioCollector): unknown {
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
      if (Array.isArray(list)) return textList(list) ?? [];
    } catch {
      // Not a JSON list after all: split it as text.
    }
  }
  return value
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
