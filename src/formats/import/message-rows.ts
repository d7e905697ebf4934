import type { ColumnMapping } from "../column-mapping.ts";
import { readMessage, type PeerMessage } from "../read-message.ts";
import { sameName, scalarText } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { noteLosses } from "../turns-from-messages.ts";
import { assignColumns, type ColumnPlan } from "./assign-columns.ts";
import type { Row, Table } from "./table.ts";

interface MappedTable {
  readonly table: Table;
  readonly mapping: ColumnMapping;
}

/** A row that is one message, and who said it. */
interface Said {
  readonly row: Row;
  readonly message: PeerMessage;
}

interface Chat {
  readonly said: readonly Said[];
  /** The column of what was said, and those of who said it. */
  readonly text: string;
  readonly speakers: readonly string[];
  /** The column that says which messages are one conversation. */
  readonly id: string | undefined;
  readonly roles: ColumnPlan["roles"];
}

const speakerName = /^(?:who|from|(?:speaker|sender|author|participant)?(?:role|type)?)$/;
const textNames = new Set(["content", "text", "body"]);
/** The columns that rows get beside their own. */
const added = { scenario_id: "scenario_id", reference: "reference_reply", system: "system_prompt" };

/**
 * The record of a chat has a row for each message and says whose it is: what the assistant says is the expected reply to the user's
 * message before it. Any other table as it is.
 */
export function joinMessages(table: Table, mapping: ColumnMapping, collector: ScenarioCollector): MappedTable {
  const chat = findChat(table, mapping);
  if (!chat) return { table, mapping };
  const rows = conversationsIn(chat, collector).flatMap((said) => toTurns(said, chat, collector));
  const { id = "", speakers } = chat;
  const names = [...table.names.filter((name) => ![id, ...speakers].includes(name)), ...Object.values(added)];
  return { table: { names: [...new Set(names)], rows }, mapping: { ...mapping, ...added, user: chat.text } };
}

function findChat({ names, rows }: Table, mapping: ColumnMapping): Chat | undefined {
  const { roles } = assignColumns(names, mapping);
  const text = roles.user ?? names.find((name) => textNames.has(sameName(name)));
  // Our own tables have a row for each turn, whatever stands beside it.
  if (text === undefined || text === "user_message" || roles.reference !== undefined) return undefined;
  const given = rows.filter(({ cells }) => (cells[text] ?? "") !== "");
  const named = names.filter((name) => speakerName.test(sameName(name)) && !mapping.labels?.includes(name));
  const speakers = named.filter((name) => given.some(({ cells }) => readMessage({ role: cells[name] })));
  const said = given.flatMap((row) => saidIn(row, text, speakers) ?? []);
  const isChat = ["user", "assistant"].every((role) => said.some(({ message }) => message.role === role));
  const id = roles.scenario_id ?? repeatedIn(roles.id, said);
  return isChat && said.length === given.length ? { said, text, speakers, id, roles } : undefined;
}

/** What numbers each message by itself says nothing of conversations. */
function repeatedIn(name: string | undefined, said: readonly Said[]): string | undefined {
  return new Set(said.map(({ row }) => row.cells[name ?? ""])).size < said.length ? name : undefined;
}

/** A message is one cell that says both, or two cells. */
function saidIn(row: Row, text: string, speakers: readonly string[]): Said | undefined {
  const content = row.cells[text];
  const whole = typeof content === "object" ? readMessage(content) : undefined;
  const named = speakers.map((name) => readMessage({ role: row.cells[name], content }));
  const message = whole ?? named.find((found) => found !== undefined);
  return message && { row, message };
}

/** The messages of each conversation in their order, with its id. */
function conversationsIn({ said, id, roles }: Chat, collector: ScenarioCollector): Said[][] {
  if (id === undefined)
    collector.note(
      "changed",
      { line: 1 },
      "no column says which rows are one conversation: all were taken for one; name it with the mapping scenario_id=…",
    );
  const groups = Map.groupBy(said, ({ row }) => (id === undefined ? "conversation" : scalarText(row.cells[id])));
  return [...groups].map(([scenario_id, own]) =>
    inOrder(own, roles.turn).map(({ row: { place, cells }, message }) => ({
      row: { place, cells: { ...cells, [added.scenario_id]: scenario_id } },
      message,
    })),
  );
}

function inOrder(said: readonly Said[], turn: string | undefined): readonly Said[] {
  const numberOf = ({ row }: Said): number => Number.parseFloat(scalarText(row.cells[turn ?? ""]) ?? "");
  if (said.some((own) => Number.isNaN(numberOf(own)))) return said;
  return said.toSorted((left, right) => numberOf(left) - numberOf(right));
}

/** A row for each message of the user, with the reply, and with what is said of the reply. */
function toTurns(said: readonly Said[], { text, roles }: Chat, collector: ScenarioCollector): Row[] {
  const rows: Row[] = [];
  const system = said.flatMap(({ message }) => (message.role === "system" ? message.text : [])).join("\n\n");
  const own = new Set([text, added.scenario_id, ...Object.values(roles)]);
  for (const { row, message } of said) {
    noteLosses(message, row.place, collector);
    const prompt = system || row.cells[roles.system ?? ""];
    if (message.role === "user")
      rows.push({ ...row, cells: { ...row.cells, [added.system]: prompt, [text]: message.text } });
    else if (message.role === "assistant" && !message.callsTools) {
      const asked = rows.pop();
      if (asked) rows.push(answered(asked, { row, message }, own));
      else collector.note("dropped", row.place, "an assistant message before the first user message has no turn");
    }
  }
  return rows;
}

function answered({ place, cells }: Row, { row, message }: Said, own: ReadonlySet<string>): Row {
  const labels = Object.entries(row.cells).filter(([name, cell]) => !own.has(name) && (cell ?? "") !== "");
  const replies = [cells[added.reference], message.text].filter((reply) => reply !== undefined);
  return { place, cells: { ...cells, ...Object.fromEntries(labels), [added.reference]: replies.join("\n\n") } };
}
