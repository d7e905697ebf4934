import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentMessage } from "../../contract/schemas/agent/agent-message.ts";
import { historyProblem } from "../testing/history-problem.ts";
import { fenceUntrusted } from "./tool-result.ts";
import { fromAgentMessages, missingResult, pairToolMessages } from "./history.ts";

test.each([
  ["", "{}"],
  ["null", "{}"],
  ['{"city": "Ro', "{}"],
  ["[1]", "{}"],
  ['{ "id": 12345678901234567890 }', '{ "id": 12345678901234567890 }'],
])("writes the arguments %j as %j", (sent, expected) => {
  const history = pairToolMessages([
    { role: "user", content: "Go." },
    { role: "assistant", content: "", tool_calls: [{ id: "a", name: "go", arguments: sent }] },
    { role: "tool", content: "Done.", tool_call_id: "a" },
  ]);
  expect(history[1]).toMatchObject({ tool_calls: [{ arguments: expected }] });
  expect(historyProblem(history)).toBeNull();
});

test("pairs results by id in order, whatever was paired by name before", () => {
  const call = (id: string | null, name: string) => ({ id, name, arguments: "{}" });
  const tool_calls = [call("a", "one"), call("a", "two"), call(null, "two"), call("a", "three")];
  const history = pairToolMessages([
    { role: "assistant", content: "", tool_calls },
    { role: "tool", content: "2", name: "two" },
    { role: "tool", content: "1", tool_call_id: "a" },
    { role: "tool", content: "3", tool_call_id: "a" },
    { role: "tool", content: "none", tool_call_id: "a" },
    { role: "tool", content: "first left" },
  ]);
  const results = history.filter(({ role }) => role === "tool");
  expect(results.map((result) => "name" in result && result.name)).toEqual(["two", "one", "three", "tool", "two"]);
  expect(historyProblem(history)).toBeNull();
});

test("pairs any number of calls quickly", () => {
  const ids = Array.from({ length: 200_000 }, (_, index) => `call-${index}`);
  const history = pairToolMessages([
    { role: "assistant", content: "", tool_calls: ids.map((id) => ({ id, name: "go", arguments: "{}" })) },
    ...ids.toReversed().map((id) => ({ role: "tool" as const, content: "Done.", tool_call_id: id })),
  ]);
  expect(history).toHaveLength(1 + ids.length);
  expect(history[1]).toMatchObject({ tool_call_id: ids.at(-1) });
});

const human = (content: string): AgentMessage => ({ type: "human", content });

test("keeps order and text of a plain conversation", () => {
  expect(fromAgentMessages([human("Hi"), { type: "ai", content: "Hello" }, human("Bye")])).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "Bye" },
  ]);
});

test("puts tool messages without ids into the turn before them", () => {
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

test("adds an empty assistant turn before a lone tool message", () => {
  const [first, second, third] = fromAgentMessages([human("Hi"), { type: "tool", content: "x", name: "my tool!" }]);
  expect(first).toEqual({ role: "user", content: "Hi" });
  expect(second).toEqual({
    role: "assistant",
    content: "",
    tool_calls: [{ id: "syn000001", name: "my_tool_", arguments: "{}" }],
  });
  expect(third).toMatchObject({ role: "tool", tool_call_id: "syn000001" });
});

test("keeps the client's calls and ids, in the order of its results", () => {
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

test("gives a result without an id to the open call of its name", () => {
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

test("adds a result to calls that have none", () => {
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

test("keeps an unknown result id in a synthetic call", () => {
  const history = fromAgentMessages([
    { type: "ai", content: "ok" },
    { type: "tool", content: "x", tool_call_id: "call_9", name: "weather" },
  ]);
  expect(history[0]).toMatchObject({ tool_calls: [{ id: "call_9", name: "weather", arguments: "{}" }] });
});

test("generates ids that the client does not use", () => {
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

test("turns any conversation into valid history with all its text in order", () => {
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
