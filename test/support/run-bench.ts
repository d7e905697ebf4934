import { randomUUIDv7 } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EvaluationRequest } from "../../src/contract/schemas/evaluation-request.ts";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { ChatModel } from "../../src/contract/ports/chat-model.ts";
import type { Queue } from "../../src/contract/ports/queue.ts";
import type { RunRecord, Store } from "../../src/contract/ports/store.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { createRuns } from "../../src/runs/create-runs.ts";
import type { RunServices } from "../../src/runs/run-services.ts";
import type { ModelTarget } from "../../src/runs/plan/model-target.ts";
import { planRuns } from "../../src/runs/plan/plan-variants.ts";
import type { Runs } from "../../src/runs/runs.ts";

/** Runs on a real store in a temporary folder, with the given models. */
export interface RunBench extends AsyncDisposable {
  readonly runs: Runs;
  readonly store: Store;
  readonly queue: Queue;
  /** The path of the store. */
  readonly file: string;
  /** Creates a run from a request, waits for its end and reads its results. */
  evaluate(request: Record<string, unknown>): Promise<EvaluationResponse>;
  results(run: RunRecord): Promise<EvaluationResponse>;
  /** Creates a run and does not wait. */
  create(request: Record<string, unknown>): Promise<RunRecord>;
}

export const planLimits = {
  attempts: 100,
  interactions: 10_000,
  callsPerRun: 100_000,
  metadataKeys: 100,
  metadataBytes: 10_000,
  scores: 1000,
};

export async function startBench({
  models,
  helpers = {},
  ...options
}: {
  /** By model id; "model" is the one under test. */
  models: Record<string, ChatModel>;
} & Partial<RunServices>): Promise<RunBench> {
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-runs-"));
  const file = join(folder, "runs.db");
  const storage = await openSqlite({ file, leaseMs: 15_000 });
  const createModel = ({ model_id }: ModelTarget): ChatModel => {
    const model = models[model_id];
    if (!model) throw new Error(`no model ${model_id}`);
    return model;
  };
  const runs = createRuns({
    store: storage.store,
    queue: storage.queue,
    createModel,
    isDemo: () => false,
    workerId: `test:${process.pid}:1`,
    newId: randomUUIDv7,
    concurrency: { global: 8, perRun: 8 },
    heartbeatMs: 5_000,
    onError: (error) => {
      throw error;
    },
    helpers,
    ...options,
  });
  await runs.start();

  async function create(request: Record<string, unknown>): Promise<RunRecord> {
    const parsed = EvaluationRequest.parse({ endpoint: "http://test", model_id: "model", ...request });
    const created = await runs.createPlanned(planRuns(parsed, planLimits, helpers), { warnings: [], owner: null });
    if (created.outcome === "mismatch") throw new Error("mismatch");
    return created.run;
  }

  async function results(run: RunRecord): Promise<EvaluationResponse> {
    let text = "";
    for await (const piece of runs.results(run)) text += piece;
    return EvaluationResponse.parse(JSON.parse(text));
  }

  return {
    runs,
    store: storage.store,
    queue: storage.queue,
    file,
    create,
    results,
    async evaluate(request) {
      const { id } = await create(request);
      return results(await runs.wait(id, AbortSignal.timeout(20_000)));
    },
    async [Symbol.asyncDispose]() {
      await runs.stop({ graceMs: 1_000 });
      await storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A scenario whose turns ask `q1`, `q2`, … and expect `a1`, `a2`, …. */
export function numberedScenario(id: string, turns: number, fields: Record<string, unknown> = {}) {
  return {
    id,
    interactions: Array.from({ length: turns }, (_, index) => ({
      id: `t${index + 1}`,
      user_message: `q${index + 1}`,
      reference_reply: `a${index + 1}`,
      ...fields,
    })),
  };
}
