import { randomUUIDv7 } from "node:crypto";
import type { CreatedRun, NewRun, RunRecord } from "../../contract/store.ts";
import type { Writer } from "../database.ts";
import type { Dispatch } from "../dispatch.ts";
import { toJsonText } from "../json-text.ts";
import { toRunRecords } from "./run-record.ts";

/** Rows of one insert: few statements, and far below the parameters a statement may have. */
const chunkSize = 1_000;

/** Run, scenarios and attempts. The same idempotency key gives the run that has it, or says that the body differs. */
export async function createRun(writer: Writer, run: NewRun, dispatch: Dispatch): Promise<CreatedRun> {
  const inserted = await insertRun(writer, run);
  if (!inserted) return replay(writer, run);
  await writer.insertInto("run_sequence").values({ run_id: run.id, last: 0 }).execute();
  await insertScenarios(writer, run);
  await dispatch.enqueue(writer, { runId: run.id, attemptIds: await insertAttempts(writer, run) });
  return { outcome: "created", run: await recordOf(writer, run.id) };
}

async function insertRun(writer: Writer, run: NewRun): Promise<boolean> {
  const { settings, scenarios } = run;
  const turns = scenarios.reduce((total, scenario) => total + scenario.interactions.length, 0);
  const rows = await writer
    .insertInto("run")
    .values({
      id: run.id,
      owner: run.owner ?? null,
      state: "queued",
      priority: run.priority ?? 0,
      demo: run.demo ? 1 : 0,
      settings: toJsonText(settings),
      warnings: toJsonText(run.warnings),
      message: toJsonText(""),
      summary: null,
      test_name: toJsonText(settings.test_name),
      model_id: toJsonText(settings.model_id),
      max_concurrency: settings.concurrency ?? null,
      idempotency_key: idempotencyKey(run),
      idempotency_hash: run.idempotency?.hash ?? null,
      created_at: run.created_at,
      started_at: null,
      finished_at: null,
      attempts_total: scenarios.length * settings.attempts,
      interactions_total: turns * settings.attempts,
      attempts_done: 0,
      interactions_done: 0,
      interactions_failed: 0,
      removed: 0,
      unclosed: 0,
    })
    .onConflict((conflict) => conflict.column("idempotency_key").doNothing())
    .returning("id")
    .execute();
  return rows.length > 0;
}

async function insertScenarios(writer: Writer, { id, scenarios }: NewRun): Promise<void> {
  const rows = scenarios.map((scenario, index) => ({
    run_id: id,
    scenario_index: index,
    definition: toJsonText(scenario),
  }));
  for (const chunk of chunks(rows)) await writer.insertInto("run_scenario").values(chunk).execute();
}

async function insertAttempts(writer: Writer, { id, scenarios, settings }: NewRun): Promise<string[]> {
  const rows = scenarios.flatMap((_, index) =>
    Array.from({ length: settings.attempts }, (__, attempt) => ({
      id: randomUUIDv7(),
      run_id: id,
      scenario_index: index,
      attempt: attempt + 1,
    })),
  );
  for (const chunk of chunks(rows)) await writer.insertInto("attempt").values(chunk).execute();
  return rows.map((row) => row.id);
}

async function replay(writer: Writer, run: NewRun): Promise<CreatedRun> {
  const earlier = await writer
    .selectFrom("run")
    .where("idempotency_key", "=", idempotencyKey(run))
    .select(["id", "idempotency_hash"])
    .executeTakeFirstOrThrow();
  if (earlier.idempotency_hash !== run.idempotency?.hash) return { outcome: "mismatch" };
  return { outcome: "replayed", run: await recordOf(writer, earlier.id) };
}

async function recordOf(writer: Writer, id: string): Promise<RunRecord> {
  const row = await writer.selectFrom("run").where("id", "=", id).selectAll().executeTakeFirstOrThrow();
  const [record] = await toRunRecords(writer, [row]);
  return record!;
}

function idempotencyKey({ idempotency, owner }: NewRun): string | null {
  return idempotency ? toJsonText([owner ?? null, idempotency.key]) : null;
}

function* chunks<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += chunkSize) yield rows.slice(start, start + chunkSize);
}
