import { expect, test } from "vitest";
import { messages, outline, readFixture } from "../../../test/support/read-fixture.ts";
import { importScenarios } from "../import-scenarios.ts";

const said = (role: string, content: unknown) => ({ role, content });
const asked = said("user", "Where is my order?");
const answered = said("assistant", "It was sent today.");

function read(...items: readonly object[]) {
  const { format, scenarios, notes } = importScenarios({ text: items.map((item) => JSON.stringify(item)).join("\n") });
  const turns = scenarios.map(({ interactions }) =>
    interactions.map(({ user_message, reference_reply }) => [user_message, reference_reply]),
  );
  return { format, scenarios, turns, notes: notes.map(({ message }) => message) };
}

test.each([
  ["a request to Anthropic", { system: "Be brief.", messages: [asked, answered] }],
  ["a line for Bedrock", { system: [{ text: "Be brief." }], messages: [asked, answered] }],
  [
    "a line for Gemini",
    {
      systemInstruction: { role: "system", parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: asked.content }] },
        { role: "model", parts: [{ text: answered.content }] },
      ],
    },
  ],
  [
    "a line for OpenAI's batch interface",
    { custom_id: "a", method: "POST", body: { messages: [said("system", "Be brief."), asked, answered] } },
  ],
  [
    "a line for OpenAI's batch interface that asks for a response",
    {
      custom_id: "a",
      url: "/v1/responses",
      body: {
        instructions: "Be brief.",
        input: [said("user", [{ type: "input_text", text: asked.content }]), answered],
      },
    },
  ],
  [
    "parts with their text under value",
    {
      messages: [
        said("system", [{ type: "text", value: "Be brief." }]),
        said("user", [{ type: "text", value: asked.content }]),
        said("assistant", [{ type: "text", text: { value: answered.content, annotations: [] } }]),
      ],
    },
  ],
])("reads %s as a conversation with its system prompt", (_name, item) => {
  const { format, turns, scenarios } = read(item);
  expect(format).toBe("openai-chat");
  expect(turns).toEqual([[[asked.content, answered.content]]]);
  expect(scenarios[0]?.system_prompt).toBe("Be brief.");
});

test("reads a Responses API request with a single text", () => {
  const { turns, notes } = read({ custom_id: "a", url: "/v1/responses", body: { model: "m", input: "Hello" } });
  expect(turns).toEqual([[["Hello", ""]]]);
  expect(notes).toEqual(["kept as metadata, not scored: model", "kept as metadata, not scored: url"]);
});

test("reads the visible branch of a ChatGPT export", () => {
  const node = (id: string, parent: string | null, role?: string, ...parts: unknown[]) => ({
    [id]: { id, parent, message: role ? { author: { role }, content: { content_type: "text", parts } } : null },
  });
  const call = {
    author: { role: "assistant" },
    recipient: "browser",
    content: { content_type: "code", text: "find()" },
  };
  const thoughts = { author: { role: "assistant" }, content: { content_type: "thoughts", thoughts: [] } };
  const mapping = {
    ...node("root", null),
    ...node("system", "root", "system", ""),
    ...node("asked", "system", "user", { content_type: "image_asset_pointer", asset_pointer: "x" }, asked.content),
    ...node("old", "asked", "assistant", "No idea."),
    call: { parent: "asked", message: call },
    found: { parent: "call", message: { author: { role: "tool" }, content: { content_type: "text", parts: ["…"] } } },
    thoughts: { parent: "found", message: thoughts },
    ...node("new", "thoughts", "assistant", answered.content),
  };
  const { format, scenarios, turns, notes } = read({ title: "Order", mapping, current_node: "new", id: "c1" });
  expect({ format, turns }).toEqual({ format: "openai-chat", turns: [[[asked.content, answered.content]]] });
  expect(scenarios[0]).toMatchObject({ id: "c1", description: "Order" });
  expect(notes).toEqual([
    "not part of a scenario: thoughts",
    "only text is kept; dropped: image_asset_pointer",
    "the arguments of a call of browser are no JSON object; any arguments are accepted",
  ]);
  expect(scenarios[0]?.interactions[0]?.reference_tool_calls).toEqual([{ name: "browser" }]);
  expect(scenarios[0]?.world?.recorded).toEqual([{ name: "browser", arguments: "find()", result: "…" }]);
});

test("stops at a cycle in a tree of messages", () => {
  const message = { author: { role: "user" }, content: { content_type: "text", parts: ["Hello"] } };
  const mapping = { a: { parent: "b", message }, b: { parent: "a", message: null } };
  expect(read({ mapping, current_node: "a" }).turns).toEqual([[["Hello", ""]]]);
});

test("reads a preference pair written as a transcript", () => {
  const start = "\n\nHuman: Hello\n\nAssistant: Good day.\n\nA list: of sorts\n\nHuman: Bye\n\nAssistant:";
  const { format, turns, notes } = read({ chosen: `${start} Good bye.`, rejected: `${start} Go.` });
  expect(format).toBe("openai-chat");
  expect(turns).toEqual([
    [
      ["Hello", "Good day.\n\nA list: of sorts"],
      ["Bye", "Good bye."],
    ],
  ]);
  expect(notes).toEqual(["the rejected reply"]);
});

test("does not use a reply with weight 0 as a reference", () => {
  const messages = [asked, { ...said("assistant", "No idea."), weight: 0 }, asked, { ...answered, weight: 1 }];
  const { turns, notes } = read({ messages });
  expect(turns).toEqual([
    [
      [asked.content, ""],
      [asked.content, answered.content],
    ],
  ]);
  expect(notes).toEqual(["a reply with weight 0 is excluded from training, so it is not a reference reply"]);
});

const args = { order: 7 };
const found = { status: "sent" };

test.each([
  [
    "Anthropic",
    "messages",
    "content",
    { type: "text" },
    { type: "tool_use", id: "1", name: "look_up", input: args },
    { type: "tool_result", tool_use_id: "1", content: JSON.stringify(found) },
  ],
  [
    "Bedrock",
    "messages",
    "content",
    {},
    { toolUse: { toolUseId: "1", name: "look_up", input: args } },
    { toolResult: { toolUseId: "1", content: [{ json: found }] } },
  ],
  [
    "Gemini",
    "contents",
    "parts",
    {},
    { functionCall: { name: "look_up", args } },
    { functionResponse: { name: "look_up", response: found } },
  ],
  [
    "the AI SDK",
    "messages",
    "content",
    { type: "text" },
    { type: "tool-call", toolCallId: "1", toolName: "look_up", input: args },
    { type: "tool-result", toolCallId: "1", toolName: "look_up", output: { type: "json", value: found } },
  ],
])("expects the tool calls of %s, and records their results", (_name, list, content, kind, call, result) => {
  const parts = (role: string, ...given: object[]) => ({ role, [content]: given });
  const says = (text: unknown) => ({ ...kind, text });
  const { turns, notes, scenarios } = read({
    [list]: [
      parts("user", says(asked.content)),
      parts(list === "contents" ? "model" : "assistant", says("Let me see."), call),
      parts("user", result),
      parts("assistant", says(answered.content)),
    ],
  });
  expect(turns).toEqual([[[asked.content, answered.content]]]);
  expect(notes).toEqual(["text beside a tool call is not part of the reply"]);
  expect(scenarios[0]).toMatchObject({
    interactions: [{ reference_tool_calls: [{ name: "look_up", arguments: args }] }],
    world: {
      tools: [{ name: "look_up", parameters: { type: "object", properties: { order: { type: "number" } } } }],
      recorded: [{ name: "look_up", arguments: args, result: found }],
    },
  });
});

test("expects the calls of the Responses API and of ShareGPT, and leaves out reasoning", () => {
  const input = [
    asked,
    { type: "reasoning", summary: [] },
    { type: "function_call", call_id: "c", name: "look_up", arguments: JSON.stringify(args) },
    { type: "function_call_output", call_id: "c", output: JSON.stringify(found) },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: answered.content }] },
  ];
  const conversations = [
    { from: "human", value: asked.content },
    { from: "function_call", value: JSON.stringify({ name: "look_up", arguments: args }) },
    { from: "observation", value: JSON.stringify(found) },
    { from: "gpt", value: answered.content },
  ];
  const responses = read({ url: "/v1/responses", body: { input } });
  expect(responses.notes).toContain("reasoning is not part of a reply");
  for (const { turns, scenarios } of [responses, read({ conversations })]) {
    expect(turns).toEqual([[[asked.content, answered.content]]]);
    expect(scenarios[0]).toMatchObject({
      interactions: [{ reference_tool_calls: [{ name: "look_up", arguments: args }] }],
      world: { recorded: [{ name: "look_up", arguments: args, result: found }] },
    });
  }
});

test("keeps failed calls, several in a turn, calls without a result, and arguments that look like matchers", () => {
  const call = (id: string, name: string, text: string) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  });
  const messages = [
    asked,
    {
      role: "assistant",
      content: "",
      tool_calls: [call("1", "find", '{"filter":{"$regex":"a"}}'), call("2", "find", "{oops"), call("3", "log", "")],
    },
    { role: "tool", tool_call_id: "2", content: [{ type: "text", text: "No" }], status: "error" },
    { role: "tool", tool_call_id: "1", content: "plain" },
    { role: "tool", tool_call_id: "9", content: "lost" },
  ];
  const { scenarios, notes } = read({ messages });
  expect(scenarios[0]).toMatchObject({
    interactions: [
      {
        reference_reply: "",
        reference_tool_calls: [
          { name: "find", arguments: { filter: { $literal: { $regex: "a" } } } },
          { name: "find" },
          { name: "log", arguments: {} },
        ],
      },
    ],
    world: {
      recorded: [
        { name: "find", arguments: { filter: { $regex: "a" } }, result: "plain" },
        { name: "find", arguments: "{oops", error: "No" },
      ],
    },
  });
  expect(notes).toEqual([
    "a tool result without the call that it answers",
    "the arguments of a call of find are no JSON object; any arguments are accepted",
  ]);
});

test("does not expect the replies and calls of a failed conversation unless asked", () => {
  const tool_calls = [{ id: "1", type: "function", function: { name: "look_up", arguments: "{}" } }];
  const messages = [
    asked,
    { role: "assistant", content: null, tool_calls },
    { role: "tool", tool_call_id: "1", content: "x" },
    answered,
  ];
  const text = JSON.stringify({ messages, reward: 0 });
  const [failed] = importScenarios({ text }).scenarios;
  expect(failed?.interactions).toMatchObject([{ reference_reply: "", agent_reply: answered.content }]);
  expect(failed?.interactions[0]).not.toHaveProperty("reference_tool_calls");
  expect(failed?.world?.recorded).toHaveLength(1);
  const wanted = importScenarios({ text, expectsRecorded: true }).scenarios[0]?.interactions;
  expect(wanted).toMatchObject([{ reference_reply: answered.content, reference_tool_calls: [{ name: "look_up" }] }]);
  const passed = importScenarios({ text: JSON.stringify({ messages, reward: 1 }) }).scenarios[0];
  expect(passed?.interactions).toMatchObject([{ reference_reply: answered.content }]);
  expect(importScenarios({ text, makesWorlds: false }).scenarios[0]).not.toHaveProperty("world");
});

const rude = said("assistant", "Look it up.");

test.each<[string, string, object]>([
  [
    "ShareGPT",
    "sharegpt",
    {
      conversations: [{ from: "human", value: asked.content }],
      chosen: { from: "gpt", value: answered.content },
      rejected: { from: "gpt", value: rude.content },
    },
  ],
  ["messages", "openai-chat", { messages: [asked], chosen: answered, rejected: rude }],
  ["two conversations", "openai-chat", { chosen: [asked, answered], rejected: [asked, rude] }],
  ["a prompt and messages", "rows", { prompt: [asked], chosen: [answered], rejected: [rude] }],
  ["texts", "rows", { prompt: asked.content, chosen: answered.content, rejected: rude.content }],
])("uses the chosen reply of a preference pair in %s as the reference", (_name, format, item) => {
  expect(read(item)).toMatchObject({ format, turns: [[[asked.content, answered.content]]] });
  expect(read(item).scenarios[0]?.interactions[0]?.reference_metadata).toEqual({});
});

test.each<[string, object]>([
  ["messages", { messages: [asked, answered] }],
  ["ShareGPT", { conversations: [asked, answered] }],
  ["prompt and completion", { prompt: asked.content, completion: answered.content }],
  ["prompt and completion as messages", { prompt: [asked], completion: [answered] }],
])("does not use an undesired reply of KTO data in %s as a reference", (_name, item) => {
  const { turns, scenarios, notes } = read({ ...item, label: true }, { ...item, label: false });
  expect(turns).toEqual([[[asked.content, answered.content]], [[asked.content, ""]]]);
  expect(scenarios.map(({ interactions }) => interactions[0]?.reference_metadata)).toEqual([{}, {}]);
  expect(notes).toEqual(["a reply marked as undesired is not a reference reply"]);
});

test("notes a label that is not a KTO mark", () => {
  for (const item of [{ messages: [asked, answered] }, { conversations: [asked, answered] }])
    expect(read({ ...item, label: "orders" }).notes).toEqual(["kept as metadata, not scored: label"]);
});

test.each(["expected", "ground_truth", "output"])(
  "uses %s as the reference if the last message is the user's",
  (name) => {
    expect(read({ messages: [asked], [name]: answered.content })).toMatchObject({
      turns: [[[asked.content, answered.content]]],
      notes: [],
    });
    const { turns, notes } = read({ messages: [asked, answered], [name]: "Look it up." });
    expect(turns).toEqual([[[asked.content, answered.content]]]);
    expect(notes).toEqual([`kept as metadata, not scored: ${name}`]);
  },
);

test("uses the mapped field beside the messages as the reference", () => {
  const messages = [asked, said("assistant", "No idea.")];
  const text = JSON.stringify({ messages, gold: { text: answered.content }, output: "Look it up." });
  const { scenarios, notes } = importScenarios({ text, format: "openai-chat", mapping: { reference: "gold" } });
  expect(scenarios).toMatchObject([{ interactions: [{ reference_reply: answered.content }] }]);
  expect(notes).toMatchObject([{ message: "kept as metadata, not scored: output" }]);
});

test.each(["conversation_id", "conversation_hash", "prompt_id"])("uses %s as the id of a conversation", (name) => {
  const conversations = [
    { from: "human", value: asked.content },
    { from: "gpt", value: answered.content },
  ];
  expect(read({ [name]: "talk-7", conversations }).scenarios[0]?.id).toBe("talk-7");
  expect(read({ [name]: "talk-7", messages: [asked, answered] }).scenarios[0]?.id).toBe("talk-7");
});

test("reads a conversation under any name, with its labels", () => {
  const { turns, scenarios } = read({ dialog: [said("customer", "Where is my order?"), answered], intent: "order" });
  expect(turns).toEqual([[[asked.content, answered.content]]]);
  expect(scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ intent: "order" });
});

test.each([
  { input: { role: "user", content: asked.content }, expected: answered.content },
  { input: { role: "user", parts: [{ text: asked.content }] }, expected: answered.content },
  { inputs: asked, outputs: answered },
])("reads an input that is one message: %j", (item) => {
  expect(read(item)).toMatchObject({ turns: [[[asked.content, answered.content]]], notes: [] });
});

test("notes other parts of a message, and prefers a question field", () => {
  const parts = [{ type: "text", text: "What is it?" }, { type: "image_url" }];
  expect(read({ input: { role: "user", content: parts, name: "Ann" }, expected: "A cat" })).toMatchObject({
    turns: [[["What is it?", "A cat"]]],
    notes: ["only text is kept; dropped: image_url", "not part of the user's message; kept as metadata: name"],
  });
  const input = { type: "customer", content: "What the page says", question: "What is it?" };
  expect(read({ input, expected: "A cat" }).turns).toEqual([[["What is it?", "A cat"]]]);
});

test("reads OpenAI chat lines, and notes tools and images", () => {
  const result = readFixture("openai-chat.jsonl");
  expect(result.format).toBe("openai-chat");
  expect(outline(result).map((entry) => entry.slice(1))).toEqual([
    [
      ["When do you open?", "At seven."],
      ["And what is this?", "A rye loaf."],
    ],
    [["Where is my order?", "It was sent today."]],
    [["Say hello.", "Hello!"]],
  ]);
  expect(result.scenarios[0]?.system_prompt).toBe("You answer for a bakery.");
  expect(messages(result)).toEqual([
    "1 | /messages/3 | only text is kept; dropped: image_url",
    "3 | the rejected reply",
  ]);
});

test("reads all turns of ShareGPT conversations", () => {
  const result = readFixture("sharegpt.json");
  expect(result.format).toBe("sharegpt");
  expect(outline(result)).toEqual([
    ["talk-1", ["One?", "Uno."], ["Two?", "Dos."], ["Three?", "Tres."]],
    [expect.stringMatching(/^scenario-/), ["Hi", ""]],
  ]);
  expect(result.scenarios[0]?.system_prompt).toBe("Be brief.");
  expect(messages(result)).toEqual([
    "16 | /1/conversations/0 | an assistant message before the first user message belongs to no turn",
    "18 | /1/conversations/2 | this is not a message with a known role",
  ]);
});

test("reads a bare list of messages as one conversation, in each line", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello." },
    { role: "user", content: "Bye" },
    { role: "assistant", content: null, tool_calls: [{ id: "1" }] },
  ];
  const one = importScenarios({ text: JSON.stringify(messages, null, 1), name: "chat.json" });
  expect(one).toMatchObject({
    format: "openai-chat",
    scenarios: [
      {
        system_prompt: "Be brief.",
        interactions: [
          { user_message: "Hi", reference_reply: "Hello." },
          { user_message: "Bye", reference_reply: "" },
        ],
      },
    ],
    notes: [],
  });
  const two = importScenarios({ text: `${JSON.stringify(messages)}\n${JSON.stringify(messages.slice(1))}\n` });
  expect(two.scenarios.map(({ system_prompt }) => system_prompt)).toEqual(["Be brief.", undefined]);
});
