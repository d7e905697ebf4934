import type { AgentRunEntry, AgentRunSummary } from "../../contract/agent-run.ts";
import { advanceSummary } from "../../contract/agent-run-summary.ts";
import type { Database, Writer } from "../database.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { statement } from "../queries/statement.ts";
import { insertNewRows } from "./insert-new-rows.ts";

/** What is to be added to the log of one run. */
export interface RunPart {
  readonly id: string;
  readonly entries: readonly AgentRunEntry[];
  /** The run so far; null when it begins here, or when only the database knows. */
  readonly summary: AgentRunSummary | null;
}

interface ReadyPart {
  readonly id: string;
  readonly summary: AgentRunSummary;
  readonly owner: string | null;
  readonly entries: string;
}

/**
 * Writes parts of many runs in one transaction and gives the summaries they lead to. Parts of runs whose beginning is not
 * stored are dropped: nothing could be read of them.
 */
export async function writeRuns(
  { write }: Database,
  parts: readonly RunPart[],
  { process, onError }: { process: string; onError: (error: unknown) => void },
): Promise<ReadonlyMap<string, AgentRunSummary>> {
  const begun = parts.filter(({ entries }) => entries[0]?.type === "run-start");
  const others = parts.filter(({ entries }) => entries[0]?.type !== "run-start");
  const fresh = prepare(begun, onError);
  return write(async (writer) => {
    await insertRuns(writer, fresh, process);
    const added = await addToRuns(writer, others, { process, onError });
    return new Map([...fresh, ...added].map(({ id, summary }) => [id, summary]));
  });
}

/** Writes parts of runs whose beginning is stored. */
export async function addToRuns(
  writer: Writer,
  parts: readonly RunPart[],
  { process, onError }: { process: string; onError: (error: unknown) => void },
): Promise<readonly ReadyPart[]> {
  const ready = prepare(await withSummaries(writer, parts), onError);
  for (const part of ready) await addPart(writer, part, process);
  return ready;
}

/** One that cannot be written must not keep the others from it. */
function prepare(parts: readonly RunPart[], onError: (error: unknown) => void): ReadyPart[] {
  return parts.flatMap(({ id, entries, summary: before }) => {
    try {
      const summary = entries.reduce<AgentRunSummary | null>(
        (earlier, entry) => advanceSummary(id, earlier, entry),
        before,
      );
      const [first] = entries;
      const owner = first?.type === "run-start" ? first.owner : null;
      return summary ? [{ id, summary, owner, entries: toJsonText(entries) }] : [];
    } catch (error) {
      onError(error);
      return [];
    }
  });
}

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
  const runs = parts.map(({ id, owner, summary }) => [
    id,
    owner,
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
    parts.map(({ id, entries }) => [id, 1, entries]),
  );
}

async function withSummaries(writer: Writer, parts: readonly RunPart[]): Promise<RunPart[]> {
  const unknown = parts.filter(({ summary }) => summary === null).map(({ id }) => id);
  if (unknown.length === 0) return [...parts];
  const rows = await writer.selectFrom("agent_run").where("id", "in", unknown).select(["id", "summary"]).execute();
  const stored = new Map(rows.map((row) => [row.id, fromJsonText<AgentRunSummary>(row.summary)]));
  return parts.map((part) => ({ ...part, summary: part.summary ?? stored.get(part.id) ?? null }));
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

async function addPart(writer: Writer, { id, summary, entries }: ReadyPart, process: string): Promise<void> {
  const [known] = await advanceRun(writer, [summary.state, process, toJsonText(summary), id]);
  // Deleted for its age while it went on.
  if (known) await addEntries(writer, [id, entries, id, id, entries]);
}
