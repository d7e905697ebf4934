import { expect, test } from "vitest";
import { asksFor, failsWith, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { defineTool } from "../../src/agent/tools/tool.ts";
import { send } from "../support/http.ts";
import { human, post, runAgentApp, scripted } from "./agent-support.ts";

test("counts turns, failures, tool calls and tokens", async () => {
  const script = [asksFor("calculator", { expression: "1 + 1" }), "Two.", failsWith("upstream_error")];
  await using agent = await runAgentApp(scripted(...script).models);
  await post(agent.url, human("1 + 1?"));
  await post(agent.url, human("1 + 1?"));
  const response = await fetch(`${agent.url}/metrics`);
  expect(response.headers.get("content-type")).toContain("text/plain");
  const lines = (await response.text()).split("\n");
  expect(lines).toContain('rehearsal_agent_turns_total{wire="agent",state="completed"} 1');
  expect(lines).toContain('rehearsal_agent_turns_total{wire="agent",state="failed"} 1');
  expect(lines).toContain('rehearsal_agent_turn_failures_total{code="upstream_error"} 1');
  expect(lines).toContain('rehearsal_agent_tool_calls_total{tool="calculator",outcome="ok"} 1');
  expect(lines).toContain('rehearsal_agent_tokens_total{direction="input"} 20');
  expect(lines).toContain('rehearsal_agent_tokens_total{direction="output"} 10');
  expect(lines).toContain("rehearsal_agent_turns_running 0");
  expect(lines).toContain('rehearsal_agent_turn_duration_seconds_count{wire="agent"} 2');
});

test("counts the calls of a provider whose fallback answers, and shows that it fails", async () => {
  const failing = scripted(failsWith("upstream_auth"), failsWith("upstream_auth")).model;
  const models = { "first/model": failing, "second/model": scripted("Yes.", "Yes.").model };
  await using agent = await runAgentApp(models, { providers: [{ name: "demo", kind: "demo", origin: null }] });
  const headers = { "x-model-id": "first/model", "x-model-fallbacks": "second/model" };
  for (let count = 0; count < 2; count += 1) expect((await post(agent.url, human("Hi"), headers)).status).toBe(200);
  const lines = (await (await fetch(`${agent.url}/metrics`)).text()).split("\n");
  expect(lines).toContain('rehearsal_agent_model_calls_total{provider="demo",outcome="upstream_auth"} 2');
  expect(lines).toContain('rehearsal_agent_model_calls_total{provider="demo",outcome="ok"} 2');
  expect((await send(`${agent.url}/agent/upstreams`)).body).toMatchObject({
    providers: [{ name: "demo", calls: 4, failures: 2, last_error: { code: "upstream_auth" } }],
  });
});

test("counts the requests that were refused", async () => {
  let lagMs = 1000;
  const overload = { requests: 10, lagMs: 250, rssBytes: 1, load: () => ({ lagMs, rssBytes: 0, heapShare: 0 }) };
  await using agent = await runAgentApp(scripted("Yes").models, { overload });
  for (let index = 0; index < 3; index += 1) expect((await post(agent.url, human("Hi"))).status).toBe(503);
  lagMs = 0;
  const metrics = await (await fetch(`${agent.url}/metrics`)).text();
  expect(metrics.split("\n")).toContain("rehearsal_agent_requests_refused_total 3");
});

test("a turn whose client disconnects is counted and recorded", async () => {
  let begun = Promise.withResolvers<void>();
  const hang = (signal: AbortSignal) => {
    begun.resolve();
    return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const hangs: ScriptedTurn = (_request, { signal }) => hang(signal);
  const parameters = { type: "object", properties: {} };
  const order = defineTool({ name: "order", description: "", parameters, run: (_args, { signal }) => hang(signal) });
  await using agent = await runAgentApp(scripted(hangs, asksFor("order", {}, "call_1")).models, {
    tools: () => [order],
  });
  for (const _ of ["the model", "the tool"]) {
    begun = Promise.withResolvers<void>();
    const client = new AbortController();
    const asked = post(agent.url, human("Order it."), {}, client.signal);
    await begun.promise;
    client.abort();
    await expect(asked).rejects.toThrow(/abort/i);
  }
  const runs = async () => (await send(`${agent.url}/agent/runs?state=cancelled`)).body as { runs: { id: string }[] };
  await expect.poll(async () => (await runs()).runs.length).toBe(2);
  expect((await runs()).runs).toMatchObject([
    { model_calls: 1, tool_calls: 1 },
    { model_calls: 1, tool_calls: 0 },
  ]);
  const [byTool, byModel] = await Promise.all(
    (await runs()).runs.map(async ({ id }) => (await send(`${agent.url}/agent/runs/${id}`)).body),
  );
  const order1 = { type: "tool-call", id: "call_1", name: "order", ok: false };
  expect(byTool).toMatchObject({ log: [{ type: "run-start" }, { type: "model-call" }, order1, { type: "run-end" }] });
  expect(byModel).toMatchObject({ log: [{}, { type: "model-call", call: 1, reply: null }, { type: "run-end" }] });

  const lines = (await (await fetch(`${agent.url}/metrics`)).text()).split("\n");
  expect(lines).toContain('rehearsal_agent_turns_total{wire="agent",state="cancelled"} 2');
  expect(lines.filter((line) => line.startsWith("rehearsal_agent_model_calls_total"))).toEqual([
    expect.stringMatching(/outcome="cancelled"} 1$/),
    expect.stringMatching(/outcome="ok"} 1$/),
  ]);
  expect(lines).toContain('rehearsal_agent_tool_calls_total{tool="order",outcome="cut_off"} 1');
});
