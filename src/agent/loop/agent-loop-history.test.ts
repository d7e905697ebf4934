import fc from "fast-check";
import { expect, test } from "vitest";
import type { SuccessfulReply, ToolCall } from "../../contract/ports/chat-model.ts";
import { AgentMessage, AgentReply } from "../../contract/schemas/agent/agent-message.ts";
import type { SuccessfulOutcome } from "./agent-outcome.ts";
import { fromAgentMessages } from "../messages/history.ts";
import { resumeAgent } from "./resume-agent.ts";
import { runAgent } from "./agent-loop.ts";
import { historyProblem } from "../testing/history-problem.ts";
import { failsWith, scriptedModel, type ScriptedTurn } from "../testing/scripted-model.ts";
import { toAgentReply } from "../messages/agent-reply.ts";
import { defineTool } from "../tools/tool.ts";
import { calculator } from "../tools/calculator.ts";

const { signal } = new AbortController();

const broken = defineTool({
  name: "broken",
  description: "",
  parameters: { type: "object" },
  run: () => Promise.reject(new Error("no")),
});
const guarded = defineTool({ name: "guarded", description: "", parameters: {}, needsApproval: true, run: () => "ran" });
const tools = [calculator(), broken, guarded];
const clientTools = [{ name: "theirs", description: "", parameters: {} }];

const call: fc.Arbitrary<ToolCall> = fc.record({
  id: fc.constantFrom("", "a", "b", "call00001", "syn000001"),
  name: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("calculator", "broken") },
    { weight: 1, arbitrary: fc.constantFrom("guarded", "theirs", "unknown", "functions.calculator", "", "ü") },
  ),
  arguments: fc.constantFrom("", "{}", '{"expression":"1+1"}', '{"expression":"1/0"}', '{"expression":', "null", "[]"),
});
const reply: fc.Arbitrary<Partial<SuccessfulReply>> = fc.record({
  text: fc.constantFrom("", "Let me see."),
  tool_calls: fc.array(call, { maxLength: 10 }),
  finish_reason: fc.constantFrom("stop", "tool_calls", "length", ""),
  usage: fc.constant(null),
  completion_id: fc.constant("same"),
});
const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  { weight: 8, arbitrary: reply },
  { weight: 1, arbitrary: fc.constantFrom<ScriptedTurn>("Done.", failsWith("upstream_error")) },
);
const client = fc.array(
  fc.constantFrom<AgentMessage>(
    { type: "human", content: "Hi" },
    { type: "ai", content: "", tool_calls: [{ id: "a", name: "calculator", args: {} }] },
    { type: "tool", content: "x" },
    { type: "tool", content: "y", tool_call_id: "a" },
  ),
  { minLength: 1, maxLength: 5 },
);
const limits = fc.record({
  steps: fc.integer({ min: 0, max: 6 }),
  toolCalls: fc.integer({ min: 0, max: 12 }),
  toolCallsPerStep: fc.integer({ min: 1, max: 8 }),
  repairs: fc.integer({ min: 0, max: 3 }),
  tokens: fc.constantFrom(5, 60, Number.POSITIVE_INFINITY),
});

/** The history when the client comes with the results of its calls, and whatever had to wait for them was approved. */
async function onceAnswered({ reply, pending_tool_calls, handed_out }: SuccessfulOutcome) {
  if (!handed_out) return [];
  const { history, calls, results, postponed } = handed_out;
  const theirs = pending_tool_calls.map(({ id }) => ({ role: "tool", content: "x", tool_call_id: id }) as const);
  if (!postponed) {
    return [...history, { role: "assistant", content: reply.text, tool_calls: calls } as const, ...results, ...theirs];
  }
  const model = scriptedModel("Done.");
  const given = { model, tools, clientTools, signal };
  const waiting = await runAgent({ ...given, messages: history, postponed: { reply: postponed, results: theirs } });
  if (!waiting.ok || !waiting.pending_run) throw new Error("Nothing waits.");
  const decisions = Object.fromEntries(waiting.pending_tool_calls.map(({ id }) => [id, "approve" as const]));
  expect(await resumeAgent({ ...given, pending: waiting.pending_run, decisions })).toMatchObject({ model_calls: 1 });
  return model.requests[0]?.messages ?? [];
}

test("keeps the history valid, ends, and keeps the contract whatever the model does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 8 }), client, limits, async (turns, sent, limit) => {
      const model = scriptedModel(...turns);
      const messages = fromAgentMessages(sent);
      const outcome = await runAgent({ model, messages, tools, clientTools, limits: limit, signal });

      expect(model.requests.map((request) => historyProblem(request.messages)).filter(Boolean)).toEqual([]);
      expect(outcome.model_calls).toBe(model.requests.length);
      expect(outcome.model_calls).toBeLessThanOrEqual(limit.steps + 1);
      expect(outcome.tool_calls.length).toBeLessThanOrEqual(limit.toolCalls);
      expect(outcome.tool_calls.filter(({ name }) => name === "guarded" || name === "theirs")).toEqual([]);
      if (!outcome.ok) return;

      expect(historyProblem(await onceAnswered(outcome))).toBeNull();
      const body = AgentReply.strict().parse(toAgentReply(outcome));
      const again = fromAgentMessages([...sent, AgentMessage.parse(body)]);
      expect(historyProblem(again)).toBeNull();
    }),
    { numRuns: 300 },
  );
});
