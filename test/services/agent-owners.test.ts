import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { send } from "../support/http.ts";
import { human, post, runAgentApp, scripted } from "./agent-support.ts";

test("runs and threads are seen only by the key they belong to", async () => {
  const keys = ["one", "two"].map((name) => ({
    name,
    sha256: createHash("sha256").update(`key-${name}`).digest("hex"),
    scopes: new Set(["agent"] as const),
  }));
  await using agent = await runAgentApp(scripted("Hi").models, { apiKeys: keys });
  const one = { authorization: "Bearer key-one" };
  const two = { authorization: "Bearer key-two" };
  const answer = await post(agent.url, human("Hi"), { ...one, "x-thread-id": "t", "idempotency-key": "k" });
  const run = `${agent.url}/agent/runs/${answer.headers.get("x-run-id")}`;
  expect((await send(run, { headers: one })).status).toBe(200);
  for (const url of [run, `${agent.url}/agent/threads/t`]) {
    expect((await send(url, { headers: two })).status).toBe(404);
  }
  expect((await send(`${run}/cancel`, { method: "POST", headers: two })).status).toBe(404);
  expect((await send(`${run}/replay`, { method: "POST", headers: two })).status).toBe(404);
  const other = await post(agent.url, human("Other"), { ...two, "idempotency-key": "k" });
  expect(other.status).toBe(200);
  expect((await send(`${agent.url}/v1/models`, { headers: one })).status).toBe(403);
  expect((await send(`${agent.url}/v1/models`)).body).toMatchObject({ error: { type: "authentication_error" } });
});
