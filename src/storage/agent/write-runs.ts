import { advanceSummary, type AgentRunEntry, type AgentRunSummary } from "../../contract/schemas/agent-run.ts";
import type { Database, Writer } from "../database.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { insertStatements } from "../queries/insert-statements.ts";
import { statement } from "../queries/statement.ts";

/** What is to be added to the log of one run. */
export interface RunPart {
  readonly id: string;
  /** Whose run it is, when it begins with this part. */
  readonly start: { readonly owner: string | null } | null;
  /** Its entries as JSON. */
  readonly texts: readonly string[];
  /** The run after these entries; null when only the database knows what came before them. */
  readonly summary: AgentRunSummary | null;
}

interface ReadyPart extends RunPart {
  readonly summary: AgentRunSummary;
}

/**
 * Writes parts of many runs in one transaction. Parts of runs whose beginning is not stored are dropped: nothing could be
 * read of them.
 */
export async function writeRuns({ write }: Database, parts: readonly RunPart[], process: string): Promise<void> {
  const begun = parts.filter(({ start }) => start !== null).filter(isReady);
  const others = parts.filter(({ start }) => start === null);
  await write(async (writer) => {
    await insertRuns(writer, begun, process);
    await addToRuns(writer, others, process);
  });
}

/** Writes parts of runs whose beginning is stored. */
export async function addToRuns(writer: Writer, parts: readonly RunPart[], process: string): Promise<void> {
  for (const part of await withSummaries(writer, parts)) await addPart(writer, part, process);
}

/** The part that one more entry is, of a run that has come so far. */
export function onePart(before: AgentRunSummary, entry: AgentRunEntry): RunPart {
  const { id } = before;
  return { id, start: null, texts: [toJsonText(entry)], summary: advanceSummary(id, before, entry) };
}

const isReady = (part: RunPart): part is ReadyPart => part.summary !== null;

const entriesOf = ({ texts }: RunPart): string => `[${texts.join(",")}]`;

const insertRunRows = insertNewRows("agent_run", [
  "id",
  "owner",
  "thread_id",
  "wire",
  "model_id",
  "state",
  "created_at",
  "process",
  "summary",
]);
const insertPartRows = insertNewRows("agent_run_part", ["run_id", "number", "entries"]);

/** After a commit of which nobody knows whether it took place, everything is written again; then nothing is new. */
async function insertRuns(writer: Writer, parts: readonly ReadyPart[], process: string): Promise<void> {
  const runs = parts.map(({ id, start, summary }) => [
    id,
    start?.owner ?? null,
    summary.thread_id === null ? null : toJsonText(summary.thread_id),
    summary.wire,
    toJsonText(summary.model_id),
    summary.state,
    summary.created_at,
    process,
    toJsonText(summary),
  ]);
  await insertRunRows(writer, runs);
  await insertPartRows(
    writer,
    parts.map((part) => [part.id, 1, entriesOf(part)]),
  );
}

async function withSummaries(writer: Writer, parts: readonly RunPart[]): Promise<ReadyPart[]> {
  const unknown = parts.filter(({ summary }) => summary === null).map(({ id }) => id);
  if (unknown.length === 0) return parts.filter(isReady);
  const rows = await writer.selectFrom("agent_run").where("id", "in", unknown).select(["id", "summary"]).execute();
  const stored = new Map(rows.map((row) => [row.id, fromJsonText<AgentRunSummary>(row.summary)]));
  return parts
    .map((part) => ({ ...part, summary: part.summary ?? summaryAfter(part, stored.get(part.id) ?? null) }))
    .filter(isReady);
}

function summaryAfter({ id, texts }: RunPart, before: AgentRunSummary | null): AgentRunSummary | null {
  return texts.reduce((summary, text) => advanceSummary(id, summary, fromJsonText<AgentRunEntry>(text)), before);
}

const advanceRun = statement<{ id: string }>(
  "update agent_run set state = ?, process = ?, summary = ? where id = ? returning id",
);
/** Entries tell their times: the same ones again were written by a commit of which nobody knew whether it took place. */
const addEntries = statement(
  `insert into agent_run_part (run_id, number, entries)
    select ?, coalesce(max(number), 0) + 1, ? from agent_run_part where run_id = ?
    having not exists (select 1 from agent_run_part where run_id = ? and entries = ?)`,
);

async function addPart(writer: Writer, part: ReadyPart, process: string): Promise<void> {
  const { id, summary } = part;
  const entries = entriesOf(part);
  const [known] = await advanceRun(writer, [summary.state, process, toJsonText(summary), id]);
  // Deleted for its age while it went on.
  if (known) await addEntries(writer, [id, entries, id, id, entries]);
}

/** Rows of one statement: few round trips, and a handful of texts for the database to keep ready. */
const rowsAtOnce = 32;

/** Inserts rows of one shape, given as lists of values in the order of `columns`. What is there already stays. */
function insertNewRows(
  table: string,
  columns: readonly string[],
): (writer: Writer, rows: readonly (readonly unknown[])[]) => Promise<void> {
  const insertOf = insertStatements(table, columns, " on conflict do nothing");
  return async (writer, rows) => {
    for (let start = 0; start < rows.length; start += rowsAtOnce) {
      const chunk = rows.slice(start, start + rowsAtOnce);
      await insertOf(chunk.length)(writer, chunk.flat());
    }
  };
}
