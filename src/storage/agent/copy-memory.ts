import type { Database, Reader, Writer } from "../database.ts";

export interface CopiedMemory {
  readonly agent_runs: number;
  readonly threads: number;
}

/**
 * Copies what the agent remembers: runs and threads each with all their parts, answers that were given, runs that wait.
 * What is there already is left alone. Holds and claims belong to processes at the old place and end with it.
 */
export async function copyMemory(reader: Reader, to: Database): Promise<CopiedMemory> {
  const runs = await reader.selectFrom("agent_run").orderBy("id").select("id").execute();
  const threads = await reader.selectFrom("agent_thread").orderBy("name").select("name").execute();
  const copied = { agent_runs: 0, threads: 0 };
  for (const { id } of runs) if (await to.write((writer) => copyRun(reader, writer, id))) copied.agent_runs += 1;
  for (const { name } of threads) {
    if (await to.write((writer) => copyThread(reader, writer, name))) copied.threads += 1;
  }
  await copyAnswers(reader, to);
  await copyWaitingRuns(reader, to);
  return copied;
}

async function copyRun(reader: Reader, writer: Writer, id: string): Promise<boolean> {
  const run = await reader.selectFrom("agent_run").where("id", "=", id).selectAll().executeTakeFirst();
  if (!run) return false;
  const inserted = await writer
    .insertInto("agent_run")
    .values(run)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .execute();
  if (inserted.length === 0) return false;
  const parts = await reader.selectFrom("agent_run_part").where("run_id", "=", id).selectAll().execute();
  for (const part of parts) await writer.insertInto("agent_run_part").values(part).execute();
  return true;
}

async function copyThread(reader: Reader, writer: Writer, name: string): Promise<boolean> {
  const thread = await reader.selectFrom("agent_thread").where("name", "=", name).selectAll().executeTakeFirst();
  if (!thread) return false;
  const inserted = await writer
    .insertInto("agent_thread")
    .values(thread)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("name")
    .execute();
  if (inserted.length === 0) return false;
  const parts = await reader.selectFrom("agent_thread_part").where("thread", "=", name).selectAll().execute();
  for (const part of parts) await writer.insertInto("agent_thread_part").values(part).execute();
  return true;
}

async function copyAnswers(reader: Reader, to: Database): Promise<void> {
  const answered = await reader.selectFrom("agent_answer").where("answer", "is not", null).select("name").execute();
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

async function copyWaitingRuns(reader: Reader, to: Database): Promise<void> {
  const waiting = await reader.selectFrom("agent_waiting_run").selectAll().execute();
  for (const row of waiting) {
    const { run_id } = row;
    const done = await reader.selectFrom("agent_resumed_part").where("run_id", "=", run_id).selectAll().execute();
    await to.write(async (writer) => {
      const inserted = await writer
        .insertInto("agent_waiting_run")
        .values(row)
        .onConflict((conflict) => conflict.column("run_id").doNothing())
        .returning("run_id")
        .execute();
      if (inserted.length > 0 && done.length > 0) await writer.insertInto("agent_resumed_part").values(done).execute();
    });
  }
}
