import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Selectable } from "kysely";
import { uuidV7 } from "../../base/uuid.ts";
import type { CreatedRun, UnfinishedLimits, NewRun, RunRecord } from "../../contract/ports/store.ts";
import type { Dispatch, Writer } from "../tables/database.ts";
import { toJsonText } from "../tables/text-columns.ts";
import type { RunCarriers } from "./run-holds.ts";
import type { RunTable, Tables } from "../tables/schema.ts";
import { createScenarioWriter, createStateHash, findSharedStates, storeStates } from "./shared-states.ts";
import { insertStatements } from "./statement.ts";
import { toRunRecords } from "./runs.ts";
import { unfinishedRunStates } from "./conditions.ts";

/** Rows per step: four full statements. */
const chunkSize = 1_024;

const scenarioRows = insertRows("run_scenario", ["run_id", "scenario_index", "definition"]);
const attemptRows = insertRows("attempt", ["id", "run_id", "scenario_index", "attempt"]);

interface CreateOptions {
  readonly dispatch: Dispatch;
  readonly carriers: RunCarriers;
  /** A new run is refused when this many are unfinished. Default: never. */
  readonly mostUnfinished?: UnfinishedLimits | undefined;
}

/**
 * Stores a run with its scenarios and attempts. An idempotency key that exists returns its run, or a mismatch when the
 * body differs.
 */
export async function storeRun(
  writer: Writer,
  run: NewRun,
  { dispatch, carriers, mostUnfinished }: CreateOptions,
): Promise<CreatedRun> {
  const full = mostUnfinished && (await exceededLimit(writer, mostUnfinished, run.owner ?? null));
  if (full) return (await replay(writer, run, carriers)) ?? { outcome: "full", of: full };
  while (!(await insertRun(writer, run))) {
    const replayed = await replay(writer, run, carriers);
    if (replayed) return replayed;
    // With concurrent writers, the run that had the key may be removed in between: then the key is free.
  }
  await writer.insertInto("run_sequence").values({ run_id: run.id, last: 0 }).execute();
  if (run.tied) await carriers.add(writer, run.id);
  await insertScenarios(writer, run);
  await insertAttempts(writer, run);
  const row = await writer.selectFrom("run").where("id", "=", run.id).selectAll().executeTakeFirstOrThrow();
  // Only processes that name a tied run execute it.
  if (!run.tied) await dispatch.enqueue(writer, { ...row, attempts: row.attempts_total });
  return { outcome: "created", run: await recordOf(writer, row, carriers) };
}

async function exceededLimit(
  writer: Writer,
  { all, perOwner }: UnfinishedLimits,
  owner: string | null,
): Promise<"owner" | "all" | null> {
  if (owner !== null && (await reachesLimit(writer, perOwner, owner))) return "owner";
  return (await reachesLimit(writer, all)) ? "all" : null;
}

/** Counts only up to the limit. Concurrent requests may exceed it slightly. */
async function reachesLimit(writer: Writer, most: number, owner?: string): Promise<boolean> {
  if (most === 0) return false;
  const unfinished = await writer
    .selectFrom("run")
    .where("state", "in", unfinishedRunStates)
    .$if(owner !== undefined, (runs) => runs.where("owner", "=", owner!))
    .select("id")
    .limit(most)
    .execute();
  return unfinished.length >= most;
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
      tied: run.tied ? 1 : 0,
      metered: isMetered(settings) ? 1 : 0,
      endpoint_policy: run.policy ? toJsonText(run.policy) : null,
      trace_prefix: randomBytes(8).toString("hex"),
      trace_secret: randomBytes(32).toString("hex"),
    })
    .onConflict((conflict) => conflict.column("idempotency_key").doNothing())
    .returning("id")
    .execute();
  return rows.length > 0;
}

/** A time budget passes for all processes alike; spending is known only to the process that makes the calls. */
function isMetered({ budget: { calls, tokens, money } = {} }: NewRun["settings"]): boolean {
  return [calls, tokens, money].some((limit) => limit !== undefined);
}

async function insertScenarios(writer: Writer, { id, scenarios }: NewRun): Promise<void> {
  const hashOf = createStateHash();
  const shared = findSharedStates(scenarios, hashOf);
  await storeStates(writer, id, shared);
  const write = createScenarioWriter(hashOf, new Set(shared.keys()));
  const rows = scenarios.entries().map(([index, scenario]) => [id, index, write(scenario)]);
  for (const chunk of chunks(rows)) await scenarioRows(writer, chunk);
}

/** A run may have a million attempts: they are created and stored in chunks, and other work runs in between. */
async function insertAttempts(writer: Writer, run: NewRun): Promise<void> {
  let isFirst = true;
  for (const chunk of chunks(attemptsOf(run))) {
    if (!isFirst) await setImmediate();
    isFirst = false;
    await attemptRows(writer, chunk);
  }
}

function* attemptsOf({ id, scenarios, settings }: NewRun): Generator<readonly [string, string, number, number]> {
  for (const index of scenarios.keys()) {
    for (let attempt = 1; attempt <= settings.attempts; attempt += 1) yield [uuidV7(), id, index, attempt];
  }
}

/** Null when no run has the key. */
async function replay(writer: Writer, run: NewRun, carriers: RunCarriers): Promise<CreatedRun | null> {
  const key = idempotencyKey(run);
  if (key === null) return null;
  const earlier = await writer.selectFrom("run").where("idempotency_key", "=", key).selectAll().executeTakeFirst();
  if (!earlier) return null;
  if (earlier.idempotency_hash !== run.idempotency?.hash) return { outcome: "mismatch" };
  return { outcome: "replayed", run: await recordOf(writer, earlier, carriers) };
}

async function recordOf(writer: Writer, row: Selectable<RunTable>, carriers: RunCarriers): Promise<RunRecord> {
  const [record] = await toRunRecords(writer, [row], carriers);
  return record!;
}

function idempotencyKey({ idempotency, owner }: NewRun): string | null {
  return idempotency ? toJsonText([owner ?? null, idempotency.key]) : null;
}

function* chunks<Row>(rows: Iterable<Row>): Generator<readonly Row[]> {
  let chunk: Row[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Rows per statement: the remainder goes into smaller ones. */
const sizes = [256, 64, 16, 4, 1];

/** Inserts many rows in few statements. */
function insertRows<Table extends keyof Tables & string>(
  table: Table,
  columns: readonly (keyof Tables[Table] & string)[],
): (writer: Writer, rows: readonly (readonly unknown[])[]) => Promise<void> {
  const insertOf = insertStatements(table, columns);
  return async (writer, rows) => {
    let start = 0;
    for (const size of sizes) {
      for (; start + size <= rows.length; start += size) {
        await insertOf(size)(writer, rows.slice(start, start + size).flat());
      }
    }
  };
}
