import { expect, test } from "vitest";
import { fromResponseItems } from "./openai-responses.ts";

test("joins the calls of one turn and the text before them into one message, for any number of calls", () => {
  const call = (index: number) => ({
    type: "function_call" as const,
    call_id: `c${index}`,
    name: "go",
    arguments: "{}",
  });
  const answers = [{ type: "function_call_output" as const, call_id: "c0", output: "Done." }, call(-1)];
  const text = { role: "assistant" as const, content: "Let me see." };
  const input = [
    { role: "user" as const, content: "Go." },
    text,
    ...Array.from({ length: 150_000 }, (_, index) => call(index)),
  ];
  const [, first, ...rest] = fromResponseItems([...input, ...answers], null);
  expect(first).toMatchObject({ role: "assistant" as const, content: "Let me see.", tool_calls: { length: 150_000 } });
  expect(rest.slice(-2)).toMatchObject([
    { role: "assistant", content: "", tool_calls: [{ id: "c-1" }] },
    { role: "tool", tool_call_id: "c-1" },
  ]);
});
