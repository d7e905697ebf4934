import { normalizeName, recordField, scalarText } from "../documents/records.ts";
import { allButFirst } from "../shared/items.ts";
import { noteMessageLosses, readMessage, type ParsedMessage } from "../shared/read-messages.ts";
import type { ScenarioCollector } from "../shared/scenario-collector.ts";
import type { ColumnMapping } from "../documents/columns.ts";
import { assignColumns, type ColumnPlan, type MappedTable } from "./plan-columns.ts";
import type { Table, TableRow } from "./read-table.ts";

/** Rewrites the table layouts of other tools, and of our own results, to a row per turn or per question. */
export function normalizeTable(given: Table, wanted: ColumnMapping, collector: ScenarioCollector): MappedTable {
  const { table: joined, mapping } = joinMessages(firstAttempts(given, collector), wanted, collector);
  const table = withMessages(joinInstructions(joined, mapping));
  return { table, mapping: withPastResponse(table.names, mapping) };
}

/** Prompt flow's `chat_history` lists inputs and outputs of a flow; they become messages. */
function withMessages(table: Table): Table {
  if (!table.rows.some(({ cells }) => Object.values(cells).some(isExchanges))) return table;
  const opened = (cell: unknown): unknown => (isExchanges(cell) ? cell.flatMap(toRowMessages) : cell);
  const rows = table.rows.map(({ place, cells }) => ({
    place,
    cells: Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, opened(cell)])),
  }));
  return { ...table, rows };
}

const isExchanges = (cell: unknown): cell is unknown[] =>
  Array.isArray(cell) &&
  cell.length > 0 &&
  cell.every((each) => recordField(each, "inputs") !== undefined && recordField(each, "outputs") !== undefined);

function toRowMessages(exchange: unknown): object[] {
  const textOf = (side: string): unknown =>
    Object.values(recordField(exchange, side) ?? {}).find((value) => typeof value === "string") ?? "";
  return [
    { role: "user", content: textOf("inputs") },
    { role: "assistant", content: textOf("outputs") },
  ];
}

/** A row that is one message. */
interface MessageRow {
  readonly row: TableRow;
  readonly message: ParsedMessage;
}

interface Chat {
  readonly said: readonly MessageRow[];
  /** The column with the text, and those with the speaker. */
  readonly text: string;
  readonly speakers: readonly string[];
  /** The column that identifies the conversation. */
  readonly id: string | undefined;
  readonly roles: ColumnPlan["roles"];
}

const speakerName = /^(?:who|from|(?:speaker|sender|author|participant)?(?:role|type)?)$/;
const textNames = new Set(["content", "text", "body"]);
/** Columns added to the rows. */
const addedColumns = { scenario_id: "scenario_id", reference: "reference_reply", system: "system_prompt" };

/**
 * Chat logs have a row per message. Joins each user message with the assistant message after it, which becomes its reference reply.
 * Other tables are returned unchanged.
 */
function joinMessages(table: Table, mapping: ColumnMapping, collector: ScenarioCollector): MappedTable {
  const chat = findChat(table, mapping);
  if (!chat) return { table, mapping };
  const rows = conversationsIn(chat, collector).flatMap((said) => toRowTurns(said, chat, collector));
  const { id = "", speakers } = chat;
  const names = [...table.names.filter((name) => ![id, ...speakers].includes(name)), ...Object.values(addedColumns)];
  return { table: { names: [...new Set(names)], rows }, mapping: { ...mapping, ...addedColumns, user: chat.text } };
}

function findChat({ names, rows }: Table, mapping: ColumnMapping): Chat | undefined {
  const { roles } = assignColumns(names, mapping);
  const text = roles.user ?? names.find((name) => textNames.has(normalizeName(name)));
  // Our own tables always have a row per turn.
  if (text === undefined || text === "user_message" || roles.reference !== undefined) return undefined;
  const given = rows.filter(({ cells }) => (cells[text] ?? "") !== "");
  const named = names.filter((name) => speakerName.test(normalizeName(name)) && !mapping.labels?.includes(name));
  const speakers = named.filter((name) => given.some(({ cells }) => readMessage({ role: cells[name] })));
  const said = given.flatMap((row) => toMessageRow(row, text, speakers) ?? []);
  const isChat = ["user", "assistant"].every((role) => said.some(({ message }) => message.role === role));
  const id = roles.scenario_id ?? ifRepeated(roles.id, said);
  return isChat && said.length === given.length ? { said, text, speakers, id, roles } : undefined;
}

/** A column with a different value in every row identifies messages, not conversations. */
function ifRepeated(name: string | undefined, said: readonly MessageRow[]): string | undefined {
  return new Set(said.map(({ row }) => row.cells[name ?? ""])).size < said.length ? name : undefined;
}

/** A message is one structured cell, or a text cell and a speaker cell. */
function toMessageRow(row: TableRow, text: string, speakers: readonly string[]): MessageRow | undefined {
  const content = row.cells[text];
  const whole = typeof content === "object" ? readMessage(content) : undefined;
  const named = speakers.map((name) => readMessage({ role: row.cells[name], content }));
  const message = whole ?? named.find((found) => found !== undefined);
  return message && { row, message };
}

/** The messages of each conversation in order. */
function conversationsIn({ said, id, roles }: Chat, collector: ScenarioCollector): MessageRow[][] {
  if (id === undefined)
    collector.note(
      "changed",
      { line: 1 },
      "no column says which rows belong to one conversation, so all rows were read as one; name the column with the mapping scenario_id=…",
    );
  const groups = Map.groupBy(said, ({ row }) => (id === undefined ? "conversation" : scalarText(row.cells[id])));
  return [...groups].map(([scenario_id, own]) =>
    turnsInOrder(own, roles.turn).map(({ row: { place, cells }, message }) => ({
      row: { place, cells: { ...cells, [addedColumns.scenario_id]: scenario_id } },
      message,
    })),
  );
}

function turnsInOrder(said: readonly MessageRow[], turn: string | undefined): readonly MessageRow[] {
  const numberOf = ({ row }: MessageRow): number => Number.parseFloat(scalarText(row.cells[turn ?? ""]) ?? "");
  if (said.some((own) => Number.isNaN(numberOf(own)))) return said;
  return said.toSorted((left, right) => numberOf(left) - numberOf(right));
}

/** One row per user message, with the reply and its labels. */
function toRowTurns(said: readonly MessageRow[], { text, roles }: Chat, collector: ScenarioCollector): TableRow[] {
  const rows: TableRow[] = [];
  const system = said.flatMap(({ message }) => (message.role === "system" ? message.text : [])).join("\n\n");
  const own = new Set([text, addedColumns.scenario_id, ...Object.values(roles)]);
  for (const { row, message } of said) {
    noteMessageLosses(message, row.place, collector);
    if (message.role === "tool" || message.calls.length > 0)
      collector.note("dropped", row.place, "a tool message of a table is left out", "tool messages");
    const prompt = system || row.cells[roles.system ?? ""];
    if (message.role === "user")
      rows.push({ ...row, cells: { ...row.cells, [addedColumns.system]: prompt, [text]: message.text } });
    else if (message.role === "assistant" && message.calls.length === 0) {
      const asked = rows.pop();
      if (asked) rows.push(withReply(asked, { row, message }, own));
      else
        collector.note("dropped", row.place, "an assistant message before the first user message belongs to no turn");
    }
  }
  return rows;
}

function withReply({ place, cells }: TableRow, { row, message }: MessageRow, own: ReadonlySet<string>): TableRow {
  const labels = Object.entries(row.cells).filter(([name, cell]) => !own.has(name) && (cell ?? "") !== "");
  const replies = [cells[addedColumns.reference], message.text].filter((reply) => reply !== undefined);
  return { place, cells: { ...cells, ...Object.fromEntries(labels), [addedColumns.reference]: replies.join("\n\n") } };
}

/** The columns of our results that belong to the script. */
const scriptColumns = new Set([
  "scenario_id",
  "turn",
  "turn_index",
  "interaction_id",
  "interaction_type",
  "user_message",
  "agent_reply",
  "reference_reply",
  "references",
  "reference_tool_calls",
  "reference_metadata",
  "generated_metadata",
  "checks",
]);

/** Reduces exported results of a run to the first attempt of each scenario. Other tables are returned unchanged. */
function firstAttempts(table: Table, collector: ScenarioCollector): Table {
  const isScored = table.names.some((name) => name === "scores" || name.startsWith("score."));
  if (!isScored || !["scenario_id", "attempt", "user_message"].every((name) => table.names.includes(name)))
    return table;
  const left = table.names.filter((name) => !scriptColumns.has(name));
  collector.note("dropped", { line: 1 }, `results of the past run: ${left.join(", ")}`);
  const byScenario = Map.groupBy(table.rows, ({ cells }) => scalarText(cells["scenario_id"]));
  return {
    names: table.names.filter((name) => scriptColumns.has(name)),
    rows: [...byScenario.values()].flatMap((rows) => firstRowAttempt(rows, collector)),
  };
}

function firstRowAttempt(rows: readonly TableRow[], collector: ScenarioCollector): TableRow[] {
  const [[first, ...own] = [], ...others] = Map.groupBy(rows, ({ cells }) => scalarText(cells["attempt"])).values();
  if (!first) return [];
  if (others.length > 0)
    collector.note("dropped", first.place, `the replies of ${allButFirst("attempt", others.length + 1)}`);
  return [first, ...own];
}

/** Alpaca-style datasets split the user's message into `instruction` and an often empty `input`. */
function joinInstructions(table: Table, mapping: ColumnMapping): Table {
  const find = (wanted: string): string | undefined => table.names.find((name) => normalizeName(name) === wanted);
  const [instruction, input] = [find("instruction"), find("input")];
  const isNamed = mapping.user !== undefined || find("usermessage") !== undefined;
  if (isNamed || instruction === undefined || input === undefined || mapping.labels?.includes(input)) return table;
  const rows = table.rows.map(({ place, cells: { [input]: about, ...cells } }) => {
    const said = [cells[instruction], about].map((cell) => scalarText(cell) ?? "").filter((text) => text.trim() !== "");
    return { place, cells: { ...cells, [instruction]: said.join("\n\n") } };
  });
  return { names: table.names.filter((name) => name !== input), rows };
}

/** In Ragas tables, `response` is a past reply, never a reference; so is `output` in AlpacaEval's, beside its `generator`. */
function withPastResponse(names: readonly string[], mapping: ColumnMapping): ColumnMapping {
  const find = (wanted: string): string | undefined => names.find((name) => normalizeName(name) === wanted);
  const past = (find("userinput") && find("response")) ?? (find("instruction") && find("generator") && find("output"));
  const isMapped = mapping.agent_reply !== undefined || mapping.reference === past || mapping.user === past;
  return past !== undefined && !isMapped ? { ...mapping, agent_reply: past } : mapping;
}
