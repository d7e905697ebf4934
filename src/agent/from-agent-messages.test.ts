import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentMessage } from "../contract/schemas/agent-message.ts";
import { fromAgentMessages } from "./from-agent-messages.ts";
import { missingResult } from "./pair-tool-messages.ts";
import { historyProblem } from "./testing/history-problem.ts";
import { fenceUntrusted } from "./untrusted-text.ts";

const human = (content: string): AgentMessage => ({ type: "human", content });

test("a plain conversation keeps its order and its words", () => {
  expect(fromAgentMessages([human("Hi"), { type: "ai", content: "Hello" }, human("Bye")])).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "Bye" },
  ]);
});

test("tool messages without ids share one made-up turn with the assistant message before them", () => {
  const history = fromAgentMessages([
    human("Weather?"),
    { type: "ai", content: "Let me look." },
    { type: "tool", content: "sunny", name: "weather" },
    { type: "tool", content: "12:00" },
    human("Thanks"),
  ]);
  expect(history).toEqual([
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: "Let me look.",
      tool_calls: [
        { id: "syn000001", name: "weather", arguments: "{}" },
        { id: "syn000002", name: "tool", arguments: "{}" },
      ],
    },
    { role: "tool", content: fenceUntrusted("sunny"), tool_call_id: "syn000001", name: "weather" },
    { role: "tool", content: fenceUntrusted("12:00"), tool_call_id: "syn000002", name: "tool" },
    { role: "user", content: "Thanks" },
  ]);
});

test("a tool message that follows no assistant message gets an empty assistant turn", () => {
  const [first, second, third] = fromAgentMessages([human("Hi"), { type: "tool", content: "x", name: "my tool!" }]);
  expect(first).toEqual({ role: "user", content: "Hi" });
  expect(second).toEqual({
    role: "assistant",
    content: "",
    tool_calls: [{ id: "syn000001", name: "my_tool_", arguments: "{}" }],
  });
  expect(third).toMatchObject({ role: "tool", tool_call_id: "syn000001" });
});

test("calls and ids the client sent are honoured, in the order of its results", () => {
  const history = fromAgentMessages([
    {
      type: "ai",
      content: "",
      tool_calls: [
        { id: "a", name: "calculator", args: { expression: "1+1" } },
        { id: "b", name: "weather", args: {} },
      ],
    },
    { type: "tool", content: "sunny", tool_call_id: "b" },
    { type: "tool", content: "2", tool_call_id: "a" },
  ]);
  expect(history[0]).toMatchObject({
    tool_calls: [
      { id: "a", name: "calculator", arguments: '{"expression":"1+1"}' },
      { id: "b", name: "weather", arguments: "{}" },
    ],
  });
  expect(history.slice(1)).toMatchObject([
    { tool_call_id: "b", name: "weather" },
    { tool_call_id: "a", name: "calculator" },
  ]);
});

test("a result without an id goes to the open call of its name", () => {
  const history = fromAgentMessages([
    {
      type: "ai",
      content: "",
      tool_calls: [
        { id: "a", name: "calculator", args: {} },
        { id: null, name: "weather", args: {} },
      ],
    },
    { type: "tool", content: "sunny", name: "weather" },
    { type: "tool", content: "2" },
    { type: "tool", content: "?", name: "other" },
  ]);
  expect(history.slice(1)).toMatchObject([
    { tool_call_id: "syn000001", name: "weather" },
    { tool_call_id: "a", name: "calculator" },
    { tool_call_id: "syn000002", name: "other" },
  ]);
  expect(historyProblem(history)).toBeNull();
});

test("calls that have no result get one that says so", () => {
  const pending: AgentMessage = { type: "ai", content: "", tool_calls: [{ id: "a", name: "weather", args: {} }] };
  for (const messages of [
    [human("Hi"), pending],
    [pending, human("Well?")],
  ]) {
    const history = fromAgentMessages(messages);
    expect(history).toContainEqual({ role: "tool", content: missingResult, tool_call_id: "a", name: "weather" });
    expect(historyProblem(history)).toBeNull();
  }
});

test("a result with an id nobody asked for keeps its id in a made-up call", () => {
  const history = fromAgentMessages([
    { type: "ai", content: "ok" },
    { type: "tool", content: "x", tool_call_id: "call_9", name: "weather" },
  ]);
  expect(history[0]).toMatchObject({ tool_calls: [{ id: "call_9", name: "weather", arguments: "{}" }] });
});

test("made-up ids avoid those the client uses", () => {
  const history = fromAgentMessages([
    { type: "tool", content: "x" },
    { type: "tool", content: "y", tool_call_id: "syn000001" },
  ]);
  expect(history.slice(1)).toMatchObject([{ tool_call_id: "syn000002" }, { tool_call_id: "syn000001" }]);
  const later = fromAgentMessages([
    { type: "tool", content: "x" },
    { type: "ai", content: "", tool_calls: [{ id: "syn000001", name: "weather", args: {} }] },
  ]);
  expect(later.slice(1)).toMatchObject([{ tool_call_id: "syn000002" }, { tool_calls: [{ id: "syn000001" }] }, {}]);
});

test("any conversation becomes history that a strict provider accepts, with every word of it in order", () => {
  const id = fc.constantFrom("a", "b", "", "syn000001", null, undefined);
  const name = fc.constantFrom("weather", "my tool", "", "x".repeat(70));
  const args = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 });
  const message: fc.Arbitrary<AgentMessage> = fc.oneof(
    fc.record({ type: fc.constant("human" as const), content: fc.string() }),
    fc.record({
      type: fc.constant("ai" as const),
      content: fc.string(),
      tool_calls: fc.array(fc.record({ name, args, id }), { maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant("tool" as const),
      content: fc.string(),
      name: fc.option(name),
      tool_call_id: id,
    }),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      const history = fromAgentMessages(messages);
      expect(historyProblem(history)).toBeNull();
      const said = messages.map(({ type, content }) => (type === "tool" ? fenceUntrusted(content) : content));
      const kept = history
        .map(({ content }) => content)
        .filter((content) => content !== "" && content !== missingResult);
      expect(kept).toEqual(said.filter((content) => content !== ""));
    }),
    { numRuns: 300 },
  );
});
