import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { testShell } from "../../../../test/support/test-shell.ts";
import { fakeModel } from "../../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../../test/support/run-bench.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { analysisRoutes } from "./analysis.ts";

test("finishes rescoring after the client disconnects", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const app = testShell();
  for (const route of analysisRoutes) app.mount(route, { runs: bench.runs } as EvaluationDependencies);
  const left = { method: "POST", signal: AbortSignal.abort() };
  expect((await app.request(`/runs/${run_id}/rescore`, left)).status).toBe(200);
});

test.each([
  { judge: { endpoint: "http://judge", model_id: "judge" }, ask_models: true },
  { labeller: { endpoint: "http://labeller", model_id: "labeller" } },
  { ask_models: true },
])("refuses to ask models by rescoring for a key without the evaluate scope: %j", async (request) => {
  const sha256 = createHash("sha256").update("secret").digest("hex");
  const app = testShell({ apiKeys: [{ name: "writer", sha256, scopes: new Set(["runs:write"] as const) }] });
  const dependencies = { checkEndpoint: () => {} } as unknown as EvaluationDependencies;
  for (const route of analysisRoutes) app.mount(route, dependencies);
  const headers = { "content-type": "application/json", authorization: "Bearer secret" };
  const body = JSON.stringify(request);
  const answer = await app.request("/runs/r/rescore", { method: "POST", headers, body });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: "scope_missing" }]);
});
