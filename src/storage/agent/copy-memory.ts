import { sql } from "kysely";
import type { Database, Reader, Writer } from "../tables/database.ts";
import { isUnused } from "./answers.ts";

export interface CopiedMemory {
  readonly agent_runs: number;
  readonly threads: number;
  /** Runs and threads that continued in both databases since an earlier copy. The target's version is kept. */
  readonly apart: number;
}

/**
 * Copies agent runs and threads with all their parts, stored answers, open runs and hand-overs. Rows that exist in
 * the target are kept; parts that were added only in the source are appended. Holds and claims belong to processes of
 * the source and are not copied.
 */
export async function copyMemory(reader: Reader, to: Database): Promise<CopiedMemory> {
  const runs = await reader.selectFrom("agent_run").orderBy("id").select("id").execute();
  const threads = await reader.selectFrom("agent_thread").orderBy("name").select("name").execute();
  const ends = { runs: new Array<Copy>(), threads: new Array<Copy>() };
  for (const { id } of runs) ends.runs.push(await to.write((writer) => copyRun(reader, writer, id)));
  for (const { name } of threads) ends.threads.push(await to.write((writer) => copyThread(reader, writer, name)));
  await copyAnswers(reader, to);
  await copyOpenRuns(reader, to);
  await copyHandovers(reader, to);
  const count = (copies: readonly Copy[], sought: Copy) => copies.filter((copy) => copy === sought).length;
  return {
    agent_runs: count(ends.runs, "copied"),
    threads: count(ends.threads, "copied"),
    apart: count([...ends.runs, ...ends.threads], "apart"),
  };
}

type Copy = "copied" | "there" | "apart";

/** The source parts that the target lacks; null when the two have diverged. */
function missing<Part>(ours: readonly Part[], theirs: readonly Part[], textOf: (part: Part) => string): Part[] | null {
  const isSame = theirs.every((part, index) => index >= ours.length || textOf(part) === textOf(ours[index]!));
  return isSame ? ours.slice(theirs.length) : null;
}

async function copyRun(reader: Reader, writer: Writer, id: string): Promise<Copy> {
  const run = await reader.selectFrom("agent_run").where("id", "=", id).selectAll().executeTakeFirst();
  if (!run) return "there";
  const inserted = await writer
    .insertInto("agent_run")
    .values(run)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .execute();
  const partsAt = (at: Reader) =>
    at.selectFrom("agent_run_part").where("run_id", "=", id).orderBy("number").selectAll().execute();
  const parts = missing(await partsAt(reader), await partsAt(writer), ({ entries }) => entries);
  if (!parts) return "apart";
  for (const part of parts) await writer.insertInto("agent_run_part").values(part).execute();
  if (inserted.length > 0) return "copied";
  if (parts.length === 0) return "there";
  const { state, summary } = run;
  await writer.updateTable("agent_run").set({ state, summary }).where("id", "=", id).execute();
  // The run was decided in the source.
  if (state !== "waiting") await writer.deleteFrom("agent_open_run").where("run_id", "=", id).execute();
  return "copied";
}

async function copyThread(reader: Reader, writer: Writer, name: string): Promise<Copy> {
  const thread = await reader.selectFrom("agent_thread").where("name", "=", name).selectAll().executeTakeFirst();
  if (!thread) return "there";
  const inserted = await writer
    .insertInto("agent_thread")
    .values(thread)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("name")
    .execute();
  const partsAt = (at: Reader) =>
    at.selectFrom("agent_thread_part").where("thread", "=", name).orderBy("number").selectAll().execute();
  const parts = missing(await partsAt(reader), await partsAt(writer), ({ messages }) => messages);
  if (!parts) return "apart";
  for (const part of parts) await writer.insertInto("agent_thread_part").values(part).execute();
  if (inserted.length > 0) return "copied";
  if (parts.length === 0) return "there";
  const { updated_at } = thread;
  await writer.updateTable("agent_thread").set({ updated_at }).where("name", "=", name).execute();
  return "copied";
}

async function copyAnswers(reader: Reader, to: Database): Promise<void> {
  const answered = await reader
    .selectFrom("agent_answer")
    .where(sql<boolean>`(answer is not null or not ${isUnused})`)
    .select("name")
    .execute();
  for (const { name } of answered) {
    const row = await reader.selectFrom("agent_answer").where("name", "=", name).selectAll().executeTakeFirstOrThrow();
    await to.write((writer) =>
      writer
        .insertInto("agent_answer")
        .values(row)
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute(),
    );
  }
}

async function copyOpenRuns(reader: Reader, to: Database): Promise<void> {
  const open = await reader.selectFrom("agent_open_run").selectAll().execute();
  for (const row of open) {
    const { run_id } = row;
    const done = await reader.selectFrom("agent_open_run_step").where("run_id", "=", run_id).selectAll().execute();
    await to.write(async (writer) => {
      const inserted = await writer
        .insertInto("agent_open_run")
        .values(row)
        .onConflict((conflict) => conflict.column("run_id").doNothing())
        .returning("run_id")
        .execute();
      if (inserted.length > 0 && done.length > 0) await writer.insertInto("agent_open_run_step").values(done).execute();
    });
  }
}

async function copyHandovers(reader: Reader, to: Database): Promise<void> {
  const keys = await reader.selectFrom("agent_handover").select("key").execute();
  for (const { key } of keys) {
    const row = await reader.selectFrom("agent_handover").where("key", "=", key).selectAll().executeTakeFirst();
    if (!row) continue;
    await to.write((writer) =>
      writer
        .insertInto("agent_handover")
        .values(row)
        .onConflict((conflict) => conflict.column("key").doNothing())
        .execute(),
    );
  }
}
