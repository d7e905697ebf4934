import { advanceSummary, type AgentRunEntry, type AgentRunSummary } from "../../contract/schemas/agent/agent-run.ts";
import type { Database, Writer } from "../tables/database.ts";
import { insertStatements, statement } from "../queries/statement.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";

/** Entries to append to the log of one run. */
export interface RunPart {
  readonly id: string;
  /** The owner, when the run begins with this part. A recovered run may begin again in the log of an earlier process. */
  readonly start: { readonly owner: string | null; readonly recovered?: true | undefined } | null;
  /** The entries as JSON. */
  readonly texts: readonly string[];
  /** The summary after these entries; null when only the database knows the entries before them. */
  readonly summary: AgentRunSummary | null;
}

interface ReadyPart extends RunPart {
  readonly summary: AgentRunSummary;
}

/**
 * Writes parts of many runs in one transaction. Parts of runs without a stored beginning are dropped, because they
 * could not be read.
 */
export async function writeRuns({ write }: Database, parts: readonly RunPart[], process: string): Promise<void> {
  const recovered = parts.filter(({ start }) => start?.recovered).map(({ id }) => id);
  await write(async (writer) => {
    const known = new Set<string>();
    if (recovered.length > 0) {
      const rows = await writer.selectFrom("agent_run").where("id", "in", recovered).select("id").execute();
      for (const { id } of rows) known.add(id);
    }
    const begins = ({ id, start }: RunPart): boolean => start !== null && !known.has(id);
    await insertRuns(writer, parts.filter(begins).filter(isReady), process);
    await addToRuns(
      writer,
      parts.filter((part) => !begins(part)),
      process,
    );
  });
}

/** Writes parts of runs whose beginning is stored. */
export async function addToRuns(writer: Writer, parts: readonly RunPart[], process: string): Promise<void> {
  for (const part of await withSummaries(writer, parts)) await addPart(writer, part, process);
}

/** A part with one more entry. */
export function toRunPart(before: AgentRunSummary, entry: AgentRunEntry): RunPart {
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

/** After an uncertain commit everything is written again; rows that exist are then kept. */
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
/** Entries contain their times, so identical entries were written by an uncertain commit. */
const addEntries = statement(
  `insert into agent_run_part (run_id, number, entries)
    select ?, coalesce(max(number), 0) + 1, ? from agent_run_part where run_id = ?
    having not exists (select 1 from agent_run_part where run_id = ? and entries = ?)`,
);

async function addPart(writer: Writer, part: ReadyPart, process: string): Promise<void> {
  const { id, summary } = part;
  const entries = entriesOf(part);
  const [known] = await advanceRun(writer, [summary.state, process, toJsonText(summary), id]);
  // No row: the run was deleted for its age while it continued.
  if (known) await addEntries(writer, [id, entries, id, id, entries]);
}

/** Rows per statement: few round trips, and few statements for the database to keep prepared. */
const rowsAtOnce = 32;

/** Inserts rows given as lists of values in the order of `columns`. Existing rows are kept. */
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
