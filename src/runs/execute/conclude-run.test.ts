import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Store } from "../../contract/ports/store.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { openSqlite } from "../../storage/drivers/open-sqlite.ts";
import { concludeRun, createConcluder } from "./conclude-run.ts";
import { planRun } from "../plan/plan-run.ts";
import { numberedScenario, planLimits } from "../../../test/support/run-bench.ts";

/** A concluder of two runs that have ended already, of which reading the first one fails. */
function concluderOf(failure: Error) {
  const ended: string[] = [];
  const runs = {
    unconcluded: async () => ["first", "second"],
    async get(id: string) {
      if (id === "first") throw failure;
      return { id, state: "completed", settings: {} };
    },
  };
  const concluder = createConcluder({
    store: { runs } as unknown as Store,
    now: Date.now,
    figuresOf: async () => undefined,
    onEnd: (id) => ended.push(id),
  });
  return { ...concluder, ended };
}

test("ends the other runs when one cannot be ended, and reports it", async () => {
  const damaged = new SyntaxError("no JSON");
  const drained = concluderOf(damaged);
  await expect(drained.concludeDrained()).rejects.toBe(damaged);
  expect(drained.ended).toEqual(["second"]);
  const forgotten = concluderOf(damaged);
  await forgotten.concludeForgotten();
  await expect(forgotten.concludeForgotten()).rejects.toBe(damaged);
  expect(forgotten.ended).toEqual(["second"]);
});

test("stops at the first failure when the store is unavailable", async () => {
  const away = new ServiceError("storage_unavailable", "The database does not answer.");
  const { concludeDrained, ended } = concluderOf(away);
  await expect(concludeDrained()).rejects.toBe(away);
  expect(ended).toEqual([]);
});

test("ends a run as cancelled when it is cancelled while its figures are computed", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const { store, queue } = storage;
  const request = { endpoint: "http://test", model_id: "model", test_batch: numberedScenario("s", 1) };
  const { scenarios, survey: _, ...settings } = planRun(EvaluationRequest.parse(request), planLimits, {});
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
