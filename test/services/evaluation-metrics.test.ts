import { expect, test } from "vitest";
import { createEvaluationClient } from "../../src/client.ts";
import { runServices } from "../support/services.ts";

test("the evaluation service counts runs, the queue and workers for Prometheus", async () => {
  await using services = await runServices();
  const figures = async () => {
    const answer = await fetch(`${services.evaluation}/metrics`);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    const lines = (await answer.text()).split("\n").filter((line) => line.startsWith("rehearsal_evaluation_"));
    return Object.fromEntries(
      lines.map((line) => [line.slice("rehearsal_evaluation_".length).split(" ")[0], Number(line.split(" ")[1])]),
    );
  };
  const before = await figures();
  const client = createEvaluationClient({ url: services.evaluation });
  const turn = { id: "1", user_message: "Hi", checks: [{ type: "length" as const, min: 1 }] };
  await client.evaluate({
    test_batch: { id: "greeting", interactions: [turn] },
    endpoint: services.agent,
    protocol: "agent",
    model_id: "demo/scripted",
  });
  expect(await figures()).toEqual({
    ...before,
    [`runs{state="completed"}`]: (before[`runs{state="completed"}`] ?? 0) + 1,
    attempts_waiting: 0,
    attempts_running: 0,
    workers: 0,
  });
});
