import { expect, test } from "vitest";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import type { RunSequence } from "../../src/contract/schemas/sequence.ts";
import type { ScoreAgreements } from "../../src/contract/schemas/judging/score-agreement.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { runServices } from "../support/services.ts";

const test_batch = Array.from({ length: 40 }, (_, index) => ({
  id: `s${index}`,
  interactions: [{ id: "1", user_message: `Say yes ${index}`, reference_reply: "Yes, of course" }],
}));

test("two models are compared until it is decided, on PostgreSQL", async () => {
  await using database = await createTestDatabase();
  await using services = await runServices({ DATABASE_URL: database.url });
  await using provider = await startFakeProvider({
    behaviour: (call) => text(call.request.body?.["model"] === "new" ? "Yes, of course" : "Never")(call),
  });
  const headers = { "content-type": "application/json" };
  const ask = async <Answer>(path: string, body?: object): Promise<Answer> =>
    (await (
      await fetch(`${services.evaluation}${path}`, body ? { method: "POST", headers, body: JSON.stringify(body) } : {})
    ).json()) as Answer;

  const attempts = { until: "decided", against: { model_id: "old" }, margin: 0.05 };
  const request = { test_batch, endpoint: provider.url, model_id: "new", attempts };
  const ended = await ask<EvaluationResponse>("/evaluate", request);
  expect(ended.summary.decision).toMatchObject({ stopped_by: "decided", margin: 0.05, left_out: 0 });
  expect(["better", "not_worse"]).toContain(ended.summary.decision?.verdict);
  expect(provider.requests.length).toBeLessThan(60);
  const run = await ask<Run>(`/runs/${ended.run_id}`);
  expect(run.sequence).toEqual({ side: "candidate", opponent: expect.any(String) });
  const sequences = await Promise.all(
    [ended.run_id, run.sequence?.opponent].map((id) => ask<RunSequence>(`/runs/${id}/sequence`)),
  );
  expect(sequences[1]).toEqual(sequences[0]);
  // p values of runs that stopped early say so.
  const compared = await ask<{ notes: string[] }>(
    `/compare?baseline=${run.sequence?.opponent}&candidate=${ended.run_id}`,
  );
  expect(compared.notes.join(" ")).toContain("too optimistic");

  const plain = await ask<EvaluationResponse>("/evaluate", {
    ...request,
    test_batch: test_batch.slice(0, 12),
    attempts: 1,
  });
  expect(await ask<object>(`/runs/${plain.run_id}/sequence`)).toMatchObject({ code: "not_found", status: 404 });
  const verdicts = test_batch
    .slice(0, 12)
    .map(({ id }, index) => ({ scenario_id: id, interaction_id: "1", value: index % 2 }));
  const agreement = await ask<ScoreAgreements>(`/runs/${plain.run_id}/score-agreement`, { verdicts });
  expect(agreement).toMatchObject({ verdicts: 12, notes: [] });
  expect(agreement.scores.find(({ score }) => score === "overall")?.method).toBe(
    "none: the scores or the verdicts are all the same",
  );
  expect(await ask<object>(`/runs/${plain.run_id}/score-agreement`)).toMatchObject({ verdicts: 0, scores: [] });
});
