import { expect, test } from "vitest";
import type { AgentRunEntry } from "../../../src/contract/schemas/agent/agent-run.ts";
import { toTimeline } from "../../../web/agent/timeline.ts";
import { sampleAgentLog } from "../support/sample-agent-runs.ts";

test("puts steps in the order in which they began, from the start of the run", () => {
  const { steps, total } = toTimeline(sampleAgentLog, { state: "completed", now: 99_999 });
  expect(steps.map(({ kind, from, duration }) => [kind, from, duration])).toEqual([
    ["model", 5, 400],
    ["approval", 410, 590],
    ["tool", 1000, 20],
    ["model", 1030, 300],
  ]);
  expect(total).toBe(1330);
});

test("a run that waits names its calls, and lasts until now", () => {
  const waiting = sampleAgentLog.slice(0, 3);
  const { steps, total } = toTimeline(waiting, { state: "waiting", now: 1_000_000 + 2_000 });
  const last = steps.at(-1);
  expect(last).toMatchObject({ kind: "approval", decisions: null, duration: 1590 });
  expect(last?.kind === "approval" && last.calls).toEqual([
    { id: "call-1", name: "send_mail", args: { to: "a@example.org" } },
  ]);
  expect(total).toBe(2000);
});

test("arguments that are no JSON object are shown as the model wrote them", () => {
  const broken = structuredClone(sampleAgentLog.slice(0, 3)) as AgentRunEntry[];
  const [, call] = broken;
  if (call?.type === "model-call" && call.reply?.ok) Object.assign(call.reply.tool_calls[0] ?? {}, { arguments: "[1" });
  const [, step] = toTimeline(broken, { state: "waiting", now: 0 }).steps;
  expect(step?.kind === "approval" && step.calls[0]?.args).toEqual({ arguments: "[1" });
});
