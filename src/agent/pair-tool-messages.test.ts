import { expect, test } from "vitest";
import { pairToolMessages } from "./pair-tool-messages.ts";
import { historyProblem } from "./testing/history-problem.ts";

test.each([
  ["", "{}"],
  ["null", "{}"],
  ['{"city": "Ro', "{}"],
  ["[1]", "{}"],
  ['{ "id": 12345678901234567890 }', '{ "id": 12345678901234567890 }'],
])("a call whose arguments are %j is history with %j", (sent, expected) => {
  const history = pairToolMessages([
    { role: "user", content: "Go." },
    { role: "assistant", content: "", tool_calls: [{ id: "a", name: "go", arguments: sent }] },
    { role: "tool", content: "Done.", tool_call_id: "a" },
  ]);
  expect(history[1]).toMatchObject({ tool_calls: [{ arguments: expected }] });
  expect(historyProblem(history)).toBeNull();
});

test("results go to the calls with their ids in turn, whatever was taken by name before", () => {
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

test("a reply may have had any number of calls", () => {
  const ids = Array.from({ length: 200_000 }, (_, index) => `call-${index}`);
  const history = pairToolMessages([
    { role: "assistant", content: "", tool_calls: ids.map((id) => ({ id, name: "go", arguments: "{}" })) },
    ...ids.toReversed().map((id) => ({ role: "tool" as const, content: "Done.", tool_call_id: id })),
  ]);
  expect(history).toHaveLength(1 + ids.length);
  expect(history[1]).toMatchObject({ tool_call_id: ids.at(-1) });
});
