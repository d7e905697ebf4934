import { expect, test } from "vitest";
import { failsWith, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { Problem } from "../../src/contract/problem.ts";
import { human, post, readEvents, runAgentApp, scripted } from "./agent-support.ts";

const key = { "idempotency-key": "key-1" };

test("the same key and body get the same answer, without another call", async () => {
  const { models, model } = scripted("First", "Second");
  await using agent = await runAgentApp(models);
  const first = await post(agent.url, human("Hi"), key);
  const second = await post(agent.url, human("Hi"), key);
  expect(await second.json()).toEqual(await first.json());
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect(second.headers.get("x-run-id")).toBe(first.headers.get("x-run-id"));
  expect(model.requests).toHaveLength(1);

  const events = await readEvents(await post(agent.url, human("Hi"), { ...key, accept: "text/event-stream" }));
  expect(events.map(({ event }) => event)).toEqual(["run-start", "text-delta", "run-end"]);
  expect(events.at(-1)?.data).toMatchObject({ message: { content: "First" } });
  expect(model.requests).toHaveLength(1);
});

test("requests at the same time share one run, whatever the wire", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: ScriptedTurn = async () => {
    asked.resolve();
    await release.promise;
    return "Once";
  };
  const { models, model } = scripted(slow);
  await using agent = await runAgentApp(models);
  const first = post(agent.url, human("Hi"), key);
  await asked.promise;
  const attached = await post(agent.url, human("Hi"), { ...key, accept: "text/event-stream" });
  expect(attached.headers.get("idempotent-replayed")).toBe("true");
  release.resolve();
  const reply = await (await first).json();
  const events = await readEvents(attached);
  expect(events.at(-1)?.data["message"]).toEqual(reply);
  expect(model.requests).toHaveLength(1);
});

test("another body, or another model, under the same key is refused", async () => {
  await using agent = await runAgentApp({ ...scripted("Hi").models, "other/model": scripted("Hi").model });
  await post(agent.url, human("Hi"), key);
  for (const response of [
    await post(agent.url, human("Bye"), key),
    await post(agent.url, human("Hi"), { ...key, "x-model-id": "other/model" }),
  ]) {
    expect(response.status).toBe(422);
    expect(Problem.parse(await response.json()).code).toBe("idempotency_mismatch");
  }
});

test("a failure is not kept: the same key tries again", async () => {
  const { models, model } = scripted(failsWith("upstream_error"), "Now");
  await using agent = await runAgentApp(models);
  expect((await post(agent.url, human("Hi"), key)).status).toBe(502);
  const second = await post(agent.url, human("Hi"), key);
  expect(await second.json()).toMatchObject({ content: "Now" });
  expect(model.requests).toHaveLength(2);
});

test("a client that lost its connection comes back for the answer", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: ScriptedTurn = async (_request, { signal }) => {
    asked.resolve();
    await release.promise;
    signal.throwIfAborted();
    return "Kept";
  };
  const { models, model } = scripted(slow);
  await using agent = await runAgentApp(models);
  const controller = new AbortController();
  const lost = post(agent.url, human("Hi"), key, controller.signal);
  await asked.promise;
  controller.abort();
  await expect(lost).rejects.toThrow(/abort/i);
  const again = post(agent.url, human("Hi"), key);
  release.resolve();
  expect(await (await again).json()).toMatchObject({ content: "Kept" });
  expect(model.requests).toHaveLength(1);
});

test.each(["", "x".repeat(256), "naïve"])("an unusable key (%s) is refused", async (value) => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const response = await agent.app.request("http://localhost/", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-model-id": "test/model",
      "idempotency-key": value,
      host: "localhost",
    },
    body: JSON.stringify(human("Hi")),
  });
  expect(response.status).toBe(400);
});
