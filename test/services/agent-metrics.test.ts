import { expect, test } from "vitest";
import { asksFor, failsWith } from "../../src/agent/testing/scripted-model.ts";
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
  expect(lines).toContain("rehearsal_agent_turns_running 0");
  expect(lines).toContain('rehearsal_agent_turn_duration_seconds_count{wire="agent"} 2');
});

test("counts the requests that were refused", async () => {
  let lagMs = 1000;
  const overload = { requests: 10, lagMs: 250, rssBytes: 1, load: () => ({ lagMs, rssBytes: 0 }) };
  await using agent = await runAgentApp(scripted("Yes").models, { overload });
  for (let index = 0; index < 3; index += 1) expect((await post(agent.url, human("Hi"))).status).toBe(503);
  lagMs = 0;
  const metrics = await (await fetch(`${agent.url}/metrics`)).text();
  expect(metrics.split("\n")).toContain("rehearsal_agent_requests_refused_total 3");
});
