import { expect, test } from "vitest";
import { withPromptedTools } from "./tool-support.ts";
import { runAgent } from "../loop/agent-loop.ts";
import { failsWith, scriptedModel } from "../testing/scripted-model.ts";
import { calculator } from "../tools/calculator.ts";
import { toUserMessage } from "../messages/user-message.ts";

const { signal } = new AbortController();
const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "What is 6 × 7?" },
] as const;
const block = (args: string) => `I will work it out.\n\`\`\`tool_call\n{"tool": "calculator", "args": ${args}}\n\`\`\``;

test("lets a model without tools use them in a conversation of plain text", async () => {
  const model = scriptedModel(block('{"expression": "6*7"}'), "It is 42.");
  const outcome = await runAgent({ model: withPromptedTools(model), messages, tools: [calculator()], signal });
  expect(outcome).toMatchObject({
    ok: true,
    reply: { text: "It is 42." },
    finish_reason: "stop",
    tool_calls: [{ name: "calculator", ok: true, result: "42" }],
  });
  const [first, second] = model.requests;
  expect(first).not.toHaveProperty("tools");
  expect(first?.messages[0]?.content).toMatch(/^Be brief\.\n\nYou can use these tools:\n- calculator: /);
  expect(second?.messages.slice(1)).toEqual([
    { role: "user", content: "What is 6 × 7?" },
    {
      role: "assistant",
      content: 'I will work it out.\n```tool_call\n{"tool": "calculator", "args": {"expression":"6*7"}}\n```',
    },
    {
      role: "user",
      content: "Result of calculator:\n<untrusted_tool_output>\n42\n</untrusted_tool_output>",
    },
  ]);
});

test("repairs a broken block like any other call", async () => {
  const model = scriptedModel(block('{"expression": 6'), block('{"expression": "6*7"}'), "42");
  const outcome = await runAgent({ model: withPromptedTools(model), messages, tools: [calculator()], signal });
  expect(outcome).toMatchObject({ ok: true, reply: { text: "42" }, repairs: 1, tool_calls: [{ result: "42" }] });
});

test("joins consecutive results into one user message, and writes history as plain text", async () => {
  const model = scriptedModel("ok");
  await withPromptedTools(model)(
    {
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "", tool_calls: [{ id: "a", name: "x", arguments: "{}" }] },
        { role: "tool", content: "1", tool_call_id: "a", name: "x" },
        { role: "tool", content: "2", tool_call_id: "b" },
      ],
    },
    { signal },
  );
  expect(model.requests[0]?.messages).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", content: '```tool_call\n{"tool": "x", "args": {}}\n```' },
    { role: "user", content: "Result of x:\n1\n\nResult of the tool:\n2" },
  ]);
});

test("keeps the names of speakers when messages are joined", async () => {
  const model = scriptedModel("Hi both.");
  const both = [
    { role: "user", name: "alice", content: "Hi" },
    { role: "user", name: "bob", content: "Hello" },
  ] as const;
  await withPromptedTools(model)({ messages: both }, { signal });
  expect(model.requests[0]?.messages).toEqual([{ role: "user", content: "alice: Hi\n\nbob: Hello" }]);
});

test("keeps a picture when messages are joined", async () => {
  const image = { type: "image", url: "https://example.com/cat.png" } as const;
  const model = scriptedModel("A cat.");
  await withPromptedTools(model)(
    {
      messages: [toUserMessage([{ type: "text", text: "What is " }, image]), { role: "user", content: "Well?" }],
    },
    { signal },
  );
  expect(model.requests[0]?.messages).toMatchObject([
    {
      role: "user",
      parts: [
        { type: "text", text: "What is " },
        image,
        { type: "text", text: "\n\n" },
        { type: "text", text: "Well?" },
      ],
    },
  ]);
});

test("offers no tools that must not be used, and streams text", async () => {
  const pieces: string[] = [];
  const model = scriptedModel((request, { onText }) => {
    onText?.("Hello");
    return { text: `Hello ${request.messages.length}` };
  });
  const request = { messages, tools: [calculator().definition], tool_choice: "none" } as const;
  await withPromptedTools(model)(request, { signal, onText: (text) => pieces.push(text) });
  expect(pieces).toEqual(["Hello"]);
  expect(model.requests[0]?.messages).toEqual(messages);
});

test("never streams a call block", async () => {
  const pieces: string[] = [];
  const model = scriptedModel((request, { onText }) => {
    if (request.messages.length > 2) return "It is 42.";
    const text = block('{"expression": "6*7"}');
    onText?.(text);
    return text;
  });
  await runAgent({
    model: withPromptedTools(model),
    messages,
    tools: [calculator()],
    signal,
    stream: true,
    onEvent: (event) => event.type === "text-delta" && pieces.push(event.text),
  });
  expect(pieces).toEqual(["I will work it out.", "It is 42."]);
});

test("returns a failed reply unchanged", async () => {
  const model = withPromptedTools(scriptedModel(failsWith("upstream_error")));
  expect(await model({ messages, tools: [calculator().definition] }, { signal })).toMatchObject({ ok: false });
});

test("does not take a call block for a last answer", async () => {
  const pieces: string[] = [];
  const text = '```tool_call\n{"tool": "calculator", "args": {"expression": "6*7"}}\n```';
  const model = scriptedModel((_request, { onText }) => {
    onText?.(text);
    return text;
  });
  const outcome = await runAgent({
    model: withPromptedTools(model),
    messages,
    tools: [calculator()],
    limits: { steps: 1 },
    signal,
    stream: true,
    onEvent: (event) => event.type === "text-delta" && pieces.push(event.text),
  });
  const said = "I could not finish this request: the step limit was reached before I had an answer.";
  expect(outcome).toMatchObject({ reply: { text: said }, finish_reason: "step_limit", model_calls: 2 });
  expect(pieces).toEqual([said]);
});
