import { sql, type Selectable, type SqlBool } from "kysely";
import type { StoredKey } from "../contract/ports/api-keys.ts";
import { copyMemory, type CopiedMemory } from "./agent/copy-memory.ts";
import { StoreFileError, type Database, type Dispatch, type Reader, type Writer } from "./tables/database.ts";
import { openPostgresDatabase } from "./drivers/postgres-database.ts";
import { openSqliteDatabase } from "./drivers/sqlite-database.ts";
import { hostClock, isDeadWorker, ownProcessId, thisHost } from "./tables/host.ts";
import { latestLeaseEnd } from "./queues/leases/leases.ts";
import { createPresence } from "./leases/presence.ts";
import { createKeyRecords } from "./queries/api-keys.ts";
import { activeRunStates, running } from "./queries/conditions.ts";
import { copyRows, type AnyRow } from "./queries/copy-rows.ts";
import type { LibraryScenarioTable, RunTable } from "./tables/schema.ts";

interface MoveOptions extends Pick<CopyOptions, "onRun"> {
  readonly file: string;
  readonly url: string;
  /** How long a silent worker of the file keeps an attempt. */
  readonly leaseMs?: number;
  /** The API keys of the data folder. */
  readonly keys?: readonly StoredKey[];
}

/**
 * Copies a SQLite database and its API keys to PostgreSQL and queues unfinished attempts there. The file is not
 * changed. Rejects with a `StoreFileError` while a worker uses the file, because its attempts would run twice, or while
 * a run is being rescored, because half of it would be copied.
 */
export async function moveToPostgres({ file, url, leaseMs = 15_000, keys = [], onRun }: MoveOptions): Promise<Copied> {
  const from = await openSqliteDatabase({ file });
  try {
    await refuseBusy(from, { file, leaseMs });
    const { database: to, dispatch, close } = await openPostgresDatabase({ url });
    try {
      await createKeyRecords(to).add(keys);
      return await copyStore({ from, to, dispatch, onRun });
    } finally {
      await close();
    }
  } finally {
    await from.close();
  }
}

/**
 * Applies the rules of a claim: leases that expired, belong to dead processes or predate a restart of the host do not
 * count.
 */
async function refuseBusy(database: Database, { file, leaseMs }: { file: string; leaseMs: number }): Promise<void> {
  const now = hostClock.steady();
  const location = { host: thisHost(), pid: ownProcessId() };
  const presence = createPresence({ database, readNow: async () => now, location, onError() {} });
  const lives = await presence.isAlive(database.reader, "run_rescoring.process");
  const held = await database.reader
    .selectFrom("attempt")
    .where("state", "=", running)
    .where("lease_until", ">", now)
    .where("lease_until", "<=", latestLeaseEnd({ now, leaseMs }))
    .select("lease_owner")
    .union((queries) => queries.selectFrom("run_rescoring").where(lives).select("process as lease_owner"))
    .execute();
  const busy = held.find(({ lease_owner }) => lease_owner !== null && !isDeadWorker(lease_owner, location));
  if (!busy) return;
  throw new StoreFileError(
    `The database ${file} is in use (by ${busy.lease_owner}). Stop its services and workers, then try again.`,
  );
}

interface CopyOptions {
  readonly from: Database;
  readonly to: Database;
  /** Makes workers continue unfinished runs in the target. */
  readonly dispatch: Dispatch;
  readonly onRun?: ((progress: { readonly copied: number; readonly total: number }) => void) | undefined;
}

interface Copied extends CopiedMemory {
  readonly runs: number;
  /** Present in the target from an earlier copy. */
  readonly skipped: number;
  /** The skipped runs that continued in the source since then. Their new results are not copied. */
  readonly behind: readonly string[];
  readonly scenarios: number;
  readonly audits: number;
}

/** The reply that a verdict is about. */
const replyColumns = ["scenario_index", "attempt", "turn_index"] as const;

/**
 * Copies the scenario library, judge audits, agent memory and every run, each run in one transaction with the slices
 * of its unfinished attempts. Rows that exist in the target are kept, so an interrupted copy can be repeated.
 */
async function copyStore({ from, to, dispatch, onRun = () => {} }: CopyOptions): Promise<Copied> {
  const scenarios = await copyLibrary(from.reader, to);
  const audits = await to.write((writer) =>
    copyRows(from.reader, writer, { table: "judge_audit", key: ["fingerprint"] }),
  );
  const memory = await copyMemory(from.reader, to);
  const rows = await from.reader
    .selectFrom("run")
    .where("removed", "=", 0)
    .orderBy("created_at")
    .orderBy("id")
    .select("id")
    .execute();
  let runs = 0;
  const behind: string[] = [];
  for (const [index, { id }] of rows.entries()) {
    if (await to.write((writer) => copyRun(from.reader, writer, { id, dispatch }))) runs += 1;
    else if (await isBehind(from.reader, to.reader, id)) behind.push(id);
    onRun({ copied: index + 1, total: rows.length });
  }
  return { runs, skipped: rows.length - runs, behind, scenarios, audits, ...memory };
}

/** The tables of a run in the order of their references, with the columns that order the rows of one run. */
const runTables = [
  { table: "run_sequence", key: ["run_id"] },
  { table: "run_totals", key: ["run_id"] },
  { table: "run_state", key: ["hash"], pageSize: 1 },
  { table: "run_scenario", key: ["scenario_index"] },
  { table: "attempt", key: ["scenario_index", "attempt"], change: withoutLease, pageSize: 500 },
  { table: "interaction", key: ["seq"] },
  { table: "turn_journal", key: ["attempt_id", "turn_index", "number"] },
  { table: "run_span", key: ["trace_id", "span_id", "part"] },
  { table: "human_verdict", key: [...replyColumns, "question", "against", "adjudication", "rater"] },
  { table: "review_skip", key: [...replyColumns, "question", "against", "rater"] },
] as const;

async function copyRun(
  reader: Reader,
  writer: Writer,
  { id, dispatch }: { id: string; dispatch: Dispatch },
): Promise<boolean> {
  const run: Selectable<RunTable> | undefined = await reader
    .selectFrom("run")
    .where("id", "=", id)
    .selectAll()
    .executeTakeFirst();
  if (!run || !(await insertMovedRun(writer, run))) return false;
  for (const rows of runTables) await copyRows(reader, writer, { ...rows, where: sql<SqlBool>`run_id = ${id}` });
  const ready = writer.selectFrom("attempt").where("run_id", "=", id).where("state", "=", "ready");
  const { count } = await ready.select(({ fn }) => fn.countAll().as("count")).executeTakeFirstOrThrow();
  const [attempts, isActive] = [Number(count), (activeRunStates as readonly string[]).includes(run.state)];
  if (isActive && attempts > 0 && run.tied === 0) await dispatch.enqueue(writer, { ...run, attempts });
  return true;
}

/** Leases and delays belong to the source. */
function withoutLease(attempt: AnyRow): AnyRow {
  const state = attempt["state"] === "running" ? "ready" : attempt["state"];
  return { ...attempt, state, lease_owner: null, lease_until: null, available_at: 0, slice: null };
}

/** True when a run has ended, or has more turns, only in the source. */
async function isBehind(old: Reader, reader: Reader, id: string): Promise<boolean> {
  const endAt = (at: Reader) => at.selectFrom("run").where("id", "=", id).select("finished_at").executeTakeFirst();
  const turnsAt = async (at: Reader): Promise<number> => {
    const count = at
      .selectFrom("interaction")
      .where("run_id", "=", id)
      .select(({ fn }) => fn.countAll().as("turns"));
    return Number((await count.executeTakeFirstOrThrow()).turns);
  };
  const [ours, theirs] = [(await endAt(old))?.finished_at ?? null, (await endAt(reader))?.finished_at ?? null];
  if (ours !== null && theirs === null) return true;
  if (ours !== null && ours === theirs) return false;
  return (await turnsAt(old)) > (await turnsAt(reader));
}

/** False when the target has the run. If another run there has the same idempotency key, the copy loses the key. */
async function insertMovedRun(writer: Writer, run: Selectable<RunTable>): Promise<boolean> {
  const insert = async (row: Selectable<RunTable>): Promise<boolean> => {
    const query = writer.insertInto("run").values(row);
    const rows = await query
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .execute();
    return rows.length > 0;
  };
  if (await insert(run)) return true;
  return run.idempotency_key !== null && insert({ ...run, idempotency_key: null, idempotency_hash: null });
}

type StoreVersion = Pick<Selectable<LibraryScenarioTable>, "version" | "number" | "demo" | "created_at">;

/**
 * Copies every scenario with all its versions, each scenario in one transaction. Returns the number of versions copied.
 */
async function copyLibrary(reader: Reader, to: Database): Promise<number> {
  const ids = await reader.selectFrom("library_scenario").select("id").distinct().orderBy("id").execute();
  let copied = 0;
  for (const { id } of ids) copied += await to.write((writer) => copyScenario(reader, writer, id));
  return copied;
}

async function copyScenario(reader: Reader, writer: Writer, id: string): Promise<number> {
  const [brought, present] = [await versionsOf(reader, id), await versionsOf(writer, id)];
  const known = new Map(present.map((version) => [version.version, version]));
  for (const { version, demo } of brought) {
    if (demo === 0 && known.get(version)?.demo === 1) await update(writer, { id, version }, { demo: 0 });
  }
  const missing = brought.filter(({ version }) => !known.has(version));
  if (missing.length === 0) return 0;
  const versions = sql.join(missing.map(({ version }) => version));
  const where = sql<SqlBool>`id = ${id} and version in (${versions})`;
  await copyRows(reader, writer, { table: "library_scenario", key: ["version"], where });
  if (present.length > 0) await putInOrder(writer, id, [...present, ...missing]);
  return missing.length;
}

/** When source and target have versions of one scenario, their times decide which is the newest. */
async function putInOrder(writer: Writer, id: string, versions: readonly StoreVersion[]): Promise<void> {
  const ordered = versions.toSorted((left, right) => left.created_at - right.created_at || left.number - right.number);
  for (const [index, { version }] of ordered.entries()) {
    await update(writer, { id, version }, { number: index + 1, newest: index === ordered.length - 1 ? 1 : 0 });
  }
}

type Key = Pick<LibraryScenarioTable, "id" | "version">;

async function update(
  writer: Writer,
  { id, version }: Key,
  change: Partial<Pick<LibraryScenarioTable, "number" | "newest" | "demo">>,
): Promise<void> {
  await writer
    .updateTable("library_scenario")
    .where("id", "=", id)
    .where("version", "=", version)
    .set(change)
    .execute();
}

function versionsOf(reader: Reader, id: string): Promise<StoreVersion[]> {
  return reader
    .selectFrom("library_scenario")
    .where("id", "=", id)
    .select(["version", "number", "demo", "created_at"])
    .execute();
}
