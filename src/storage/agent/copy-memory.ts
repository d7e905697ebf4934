import { sql, type SqlBool } from "kysely";
import type { Database, Reader, Writer } from "../tables/database.ts";
import { anyTables, copyRows } from "../queries/copy-rows.ts";
import { isUnused } from "./answers.ts";

export interface CopiedMemory {
  readonly agent_runs: number;
  readonly threads: number;
  /** Runs and threads that continued in both databases since an earlier copy. The target's version is kept. */
  readonly apart: number;
}

/**
 * Copies agent runs and threads with all their parts, stored answers and responses, open runs and hand-overs. Rows that exist in
 * the target are kept; parts that were added only in the source are appended. Holds and claims belong to processes of
 * the source and are not copied.
 */
export async function copyMemory(reader: Reader, to: Database): Promise<CopiedMemory> {
  const runs = await reader.selectFrom("agent_run").orderBy("id").select("id").execute();
  const threads = await reader.selectFrom("agent_thread").orderBy("name").select("name").execute();
  const ends = { runs: new Array<Copy>(), threads: new Array<Copy>() };
  for (const { id } of runs)
    ends.runs.push(await to.write((writer) => copyParted(reader, writer, { ...runTable, id })));
  for (const { name } of threads)
    ends.threads.push(await to.write((writer) => copyParted(reader, writer, { ...threadTable, id: name })));
  const isKept = sql<SqlBool>`(answer is not null or not ${isUnused})`;
  await to.write((writer) =>
    copyRows(reader, writer, { table: "agent_answer", key: ["name"], where: isKept, pageSize: 10 }),
  );
  await copyOpenRuns(reader, to);
  await to.write((writer) => copyRows(reader, writer, { table: "agent_handover", key: ["key"], pageSize: 10 }));
  await to.write((writer) => copyRows(reader, writer, { table: "agent_response", key: ["run_id"], pageSize: 10 }));
  const count = (copies: readonly Copy[], sought: Copy) => copies.filter((copy) => copy === sought).length;
  return {
    agent_runs: count(ends.runs, "copied"),
    threads: count(ends.threads, "copied"),
    apart: count([...ends.runs, ...ends.threads], "apart"),
  };
}

type Copy = "copied" | "there" | "apart";

/** The source parts that the target lacks; null when the two have diverged. */
function missing<Part>(ours: readonly Part[], theirs: readonly Part[], textOf: (part: Part) => unknown): Part[] | null {
  const isSame = theirs.every((part, index) => index >= ours.length || textOf(part) === textOf(ours[index]!));
  return isSame ? ours.slice(theirs.length) : null;
}

/** A table of rows that grow by numbered parts. */
interface PartedTable {
  readonly table: "agent_run" | "agent_thread";
  readonly key: "id" | "name";
  readonly parts: {
    readonly table: "agent_run_part" | "agent_thread_part";
    readonly of: string;
    readonly text: string;
  };
  /** Columns that change when parts are added. */
  readonly updated: readonly string[];
}

const runTable: PartedTable = {
  table: "agent_run",
  key: "id",
  parts: { table: "agent_run_part", of: "run_id", text: "entries" },
  updated: ["state", "summary"],
};

const threadTable: PartedTable = {
  table: "agent_thread",
  key: "name",
  parts: { table: "agent_thread_part", of: "thread", text: "messages" },
  updated: ["updated_at"],
};

async function copyParted(
  reader: Reader,
  writer: Writer,
  { table, key, parts, updated, id }: PartedTable & { readonly id: string },
): Promise<Copy> {
  const row = await anyTables(reader).selectFrom(table).where(key, "=", id).selectAll().executeTakeFirst();
  if (!row) return "there";
  const where = sql<SqlBool>`${sql.ref(key)} = ${id}`;
  const isNew = (await copyRows(reader, writer, { table, key: [key], where })) > 0;
  const partsAt = (at: Reader) =>
    anyTables(at).selectFrom(parts.table).where(parts.of, "=", id).orderBy("number").selectAll().execute();
  const added = missing(await partsAt(reader), await partsAt(writer), (part) => part[parts.text]);
  if (!added) return "apart";
  for (const part of added) await anyTables(writer).insertInto(parts.table).values(part).execute();
  if (isNew) return "copied";
  if (added.length === 0) return "there";
  const changes = Object.fromEntries(updated.map((column) => [column, row[column]]));
  await anyTables(writer).updateTable(table).set(changes).where(key, "=", id).execute();
  // The run was decided in the source.
  if (table === "agent_run" && row["state"] !== "waiting")
    await writer.deleteFrom("agent_open_run").where("run_id", "=", id).execute();
  return "copied";
}

async function copyOpenRuns(reader: Reader, to: Database): Promise<void> {
  const open = await reader.selectFrom("agent_open_run").select("run_id").execute();
  for (const { run_id } of open) {
    const where = sql<SqlBool>`run_id = ${run_id}`;
    await to.write(async (writer) => {
      const inserted = await copyRows(reader, writer, { table: "agent_open_run", key: ["run_id"], where });
      if (inserted > 0) await copyRows(reader, writer, { table: "agent_open_run_step", key: ["number"], where });
    });
  }
}
