import { expect, test, vi } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { startTortureBench } from "../torture/bench.ts";
import { planRun } from "../../src/runs/plan/plan-run.ts";
import { EvaluationRequest } from "../../src/contract/schemas/evaluation-request.ts";
import { numberedScenario, planLimits } from "../support/run-bench.ts";

const hour = 3_600_000;

test("hosts whose clocks are apart agree on when a run began, how long it may take and how old it is", async () => {
  await using database = await createTestDatabase();
  await using here = await openPostgres({ url: database.url });
  const request = {
    endpoint: "http://test",
    model_id: "m",
    test_batch: numberedScenario("s", 3),
    budget: { seconds: 600 },
  };
  const plan = planRun(EvaluationRequest.parse(request), planLimits);
  await using creator = await startTortureBench(here, { now: here.now, concurrency: { global: 0, perRun: 0 } });
  const created = await creator.runs.create(plan, { warnings: [], owner: null });
  const id = created.outcome === "created" ? created.run.id : "";
  await here.store.runs.start(id, here.now());

  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hour });
  try {
    await using ahead = await openPostgres({ url: database.url });
    expect(Date.now() - ahead.now()).toBeGreaterThan(hour / 2);
    await using worker = await startTortureBench(ahead, { now: ahead.now });
    const run = await worker.ended(id);
    expect(run.summary).toMatchObject({ interactions: 3 });
    expect(run.summary?.stopped_by).toBeUndefined();
    expect(run.finished_at! - run.started_at!).toBeLessThan(hour / 2);
  } finally {
    vi.useRealTimers();
  }
});
