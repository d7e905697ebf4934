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
