import { expect, test } from "vitest";
import { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import type { Store } from "../contract/ports/store.ts";
import { openSqlite } from "../storage/drivers/open-sqlite.ts";
import { concludeRun } from "./conclude-run.ts";
import { planRun } from "./plan-run.ts";
import { numberedScenario, planLimits } from "./testing/run-bench.ts";

test("a run that is cancelled while its figures are made ends as cancelled", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const { store, queue } = storage;
  const request = { endpoint: "http://test", model_id: "model", test_batch: numberedScenario("s", 1) };
  const { scenarios, ...settings } = planRun(EvaluationRequest.parse(request), planLimits, {});
  await store.runs.create({ id: "r", settings, scenarios, warnings: [], demo: false, created_at: 1 });
  const [claimed] = await queue.claim({ worker: "w", limit: 1, perRun: 1 });
  await queue.finish(claimed!.lease, { average_scores: {} });

  const cancelledMeanwhile: Store = {
    ...store,
    attempts: {
      ...store.attempts,
      async *withInteractions(id, scenarioIndex) {
        expect(await store.runs.cancel(id)).toBe(true);
        yield* store.attempts.withInteractions(id, scenarioIndex);
      },
    },
  };
  await concludeRun("r", { store: cancelledMeanwhile, now: () => 2 });
  expect(await store.runs.get("r")).toMatchObject({
    state: "cancelled",
    message: "Evaluation cancelled: 0 of 1 interaction was done",
  });
});
