import { randomUUIDv7 } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { finalStates, type Run } from "../../contract/run.ts";
import type { RunRecord } from "../../contract/store.ts";
import type { EvaluationResponse } from "../../contract/evaluation-response.ts";
import { createRuns } from "../../runs/create-runs.ts";
import { toRun } from "../../runs/to-run.ts";
import type { Settings } from "../../settings.ts";
import type { OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import { CliError } from "../cli-error.ts";
import type { RunSource } from "./run-source.ts";

/** The runs kept by this machine, whoever owns them. Nothing is carried out: there is no worker here. */
export async function openLocalSource(settings: Settings): Promise<RunSource> {
  const storage = await openStored(settings);
  if (!storage) return noRuns;
  const { store, queue } = storage;
  const runs = createRuns({
    store,
    queue,
    createModel: () => {
      throw new Error("Nothing is evaluated here");
    },
    isDemo: () => false,
    workerId: "reader",
    newId: randomUUIDv7,
    concurrency: { global: 1, perRun: 1 },
    heartbeatMs: settings.runs.heartbeatMs,
    onError: () => {},
  });

  async function find(runId: string): Promise<RunRecord> {
    return (await store.runs.get(runId)) ?? noSuchRun(runId);
  }

  return {
    async list({ limit = 50, ...filter }) {
      const page = await runs.list({ limit, ...filter });
      return { runs: page.runs.map(toRun), next_cursor: page.next_cursor };
    },
    get: async (runId) => toRun(await find(runId)),
    async results(runId) {
      const pieces = await Array.fromAsync(runs.results(await find(runId)));
      return JSON.parse(pieces.join("")) as EvaluationResponse;
    },
    async cancel(runId): Promise<Run> {
      const run = await find(runId);
      if (finalStates.has(run.state)) throw new CliError(`the run ${runId} has already ended (${run.state})`);
      return toRun(await runs.cancel(runId, run.owner));
    },
    async delete(runId) {
      await runs.remove(runId, (await find(runId)).owner, AbortSignal.timeout(30_000));
    },
    [Symbol.asyncDispose]: () => storage.close(),
  };
}

/** A command that only reads makes no database: null when there is none. */
async function openStored(settings: Settings): Promise<OpenedStorage | null> {
  const { databaseUrl, dataDir, runs } = settings;
  if (databaseUrl?.reveal().startsWith("postgres")) {
    const { openPostgres } = await import("../../storage/drivers/open-postgres.ts");
    return openPostgres({ url: databaseUrl.reveal(), sweepMs: 0, reconcileMs: 0 });
  }
  const file = databaseUrl ? databaseUrl.reveal().replace(/^sqlite:(\/\/(?=\/))?/, "") : join(dataDir, "rehearsal.db");
  if (!existsSync(file)) return null;
  const { openSqlite } = await import("../../storage/drivers/open-sqlite.ts");
  return openSqlite({ file, leaseMs: runs.leaseMs });
}

function noSuchRun(runId: string): never {
  throw new CliError(`there is no run "${runId}" (rehearsal list shows what there is)`);
}

const noRuns: RunSource = {
  list: async () => ({ runs: [], next_cursor: null }),
  get: async (runId) => noSuchRun(runId),
  results: async (runId) => noSuchRun(runId),
  cancel: async (runId) => noSuchRun(runId),
  delete: async (runId) => noSuchRun(runId),
  async [Symbol.asyncDispose]() {},
};
