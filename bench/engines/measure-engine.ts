import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { sampleRun } from "../../test/conformance/sample-runs.ts";
import type { TestDatabase, TestPostgres } from "../../test/support/postgres.ts";
import type { Figures } from "../bench.ts";
import { startServer } from "../harness/child-process.ts";
import { familyCpuSeconds } from "../harness/process-figures.ts";
import type { EngineWorkerOptions } from "./engine-worker.ts";

/** Work for two processes: runs of attempts that take so long, and the attempts of a run and of a process at once. */
export interface EngineWork extends Omit<EngineWorkerOptions, "url" | "engine"> {
  readonly runs: number;
  readonly attempts: number;
}

const workers = 2;
const script = fileURLToPath(new URL("engine-worker.ts", import.meta.url));

/** The rate of attempts, and what each costs the workers, the server and its log, with one engine on a database of its own. */
export async function measureEngine(
  postgres: TestPostgres,
  engine: EngineWorkerOptions["engine"],
  { runs, attempts, ...options }: EngineWork,
): Promise<Figures> {
  await using database = await postgres.createDatabase();
  await storeRuns(database, { runs, attempts, perRun: options.perRun });
  const worker = JSON.stringify({ ...options, engine, url: database.url } satisfies EngineWorkerOptions);
  const started = await Promise.all(
    Array.from({ length: workers }, () => startServer({ arguments: [script, worker], hears: true })),
  );
  try {
    // Later pages are logged whole once, as after any checkpoint, and none falls into the measurement.
    await database.query("checkpoint");
    const before = await readUse(database);
    const workersBefore = started.reduce((sum, process) => sum + process.cpuSeconds(), 0);
    const began = performance.now();
    await Promise.all(started.map((process) => process.send("begin")));
    const total = runs * attempts;
    while ((await attemptsDone(database)) < total) await sleep(50);
    const seconds = (performance.now() - began) / 1_000;
    const workersCpu = started.reduce((sum, process) => sum + process.cpuSeconds(), 0) - workersBefore;
    const after = await readUse(database);
    return {
      per_second: total / seconds,
      cpu_ms: (workersCpu * 1_000) / total,
      db_cpu_ms: ((after.cpu - before.cpu) * 1_000) / total,
      wal_kb: (after.wal - before.wal) / 1_000 / total,
    };
  } finally {
    await Promise.all(started.map((process) => process.stop()));
  }
}

async function storeRuns(
  { url }: TestDatabase,
  { runs, attempts, perRun }: { runs: number; attempts: number; perRun: number },
): Promise<void> {
  await using storage = await openPostgres({ url, perRun, sweepMs: 0 });
  for (let run = 0; run < runs; run += 1) {
    await storage.store.runs.create(sampleRun({ scenarios: attempts, created_at: Date.now() + run }));
  }
}

async function attemptsDone(database: TestDatabase): Promise<number> {
  const [row] = await database.query("select sum(attempts_done)::int as done from run_sequence");
  return Number(row?.["done"]);
}

/** Processor seconds of the server with all its processes, and bytes of its log, since its start. */
async function readUse(database: TestDatabase): Promise<{ cpu: number; wal: number }> {
  const [row] = await database.query(
    "select current_setting('data_directory') as folder, pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal",
  );
  const [pid] = (await readFile(join(String(row?.["folder"]), "postmaster.pid"), "utf8")).split("\n");
  return { cpu: familyCpuSeconds(Number(pid)), wal: Number(row?.["wal"]) };
}
