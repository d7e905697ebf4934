import { expect, test } from "vitest";
import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { rawStream, streamDeltas } from "../../../test/support/fake-provider/streams.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";

async function ask(behaviour: Behaviour, protocol: Protocol = "openai-chat") {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol, endpoint: provider.url, modelId: "thinker" });
  const heard = { text: "", reasoning: "" };
  const reply = await model(
    { messages: [{ role: "user", content: "Hello" }] },
    {
      signal: new AbortController().signal,
      onText: (piece) => (heard.text += piece),
      onReasoning: (piece) => (heard.reasoning += piece),
    },
  );
  return { reply, heard };
}

const expected = { text: "Four.", reasoning: "Two and two." };
const marked = { extra_content: { google: { thought: true } } };
const whole = (message: object) => json({ choices: [{ message, finish_reason: "stop" }] });
const events = (...list: readonly object[]) =>
  rawStream(list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

test.each([
  ["DeepSeek", [{ reasoning_content: "Two " }, { reasoning_content: "and two." }, { content: "Four." }]],
  ["Groq, Ollama, vLLM", [{ content: "", reasoning: "Two " }, { reasoning: "and two." }, { content: "Four." }]],
  [
    "OpenRouter",
    [
      { content: "", reasoning: "Two ", reasoning_details: [{ type: "reasoning.text", text: "Two ", index: 0 }] },
      { content: "", reasoning_details: [{ type: "reasoning.summary", summary: "and two.", index: 1 }] },
      { content: "Four.", reasoning: null, reasoning_details: [] },
    ],
  ],
  [
    "Mistral",
    [
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "Two and two." }] }] },
      { content: [{ type: "text", text: "Four." }] },
    ],
  ],
  [
    "Gemini",
    [
      { content: "<thought>Two ", ...marked },
      { content: "and two.", ...marked },
      { content: "</thought>Fo" },
      { content: "ur." },
    ],
  ],
  ["a server that does not know its model", [{ content: "<thi" }, { content: "nk>Two and two.</think>\n\nFour." }]],
])("separates reasoning of %s from the streamed reply", async (_, deltas) => {
  const { reply, heard } = await ask(streamDeltas([{ role: "assistant", content: "" }, ...deltas]));
  expect(heard).toEqual(expected);
  expect(reply).toMatchObject(expected);
});

test.each([
  { content: "Four.", reasoning_content: "Two and two." },
  { content: "Four.", reasoning: "Two and two." },
  { content: [{ type: "thinking", thinking: "Two and two." }, "Four."] },
  { content: "<thought>Two and two.</thought>Four.", ...marked },
  { content: "<think>Two and two.</think>Four." },
  { content: "Two and two.\n</think>\n\nFour." },
])("separates reasoning in one piece: %j", async (message) => {
  const { reply, heard } = await ask(whole(message));
  expect(heard).toEqual(expected);
  expect(reply).toMatchObject(expected);
});

test("removes reasoning that began in the prompt from a streamed reply", async () => {
  const { reply } = await ask(streamDeltas([{ content: "Two and two.\n</th" }, { content: "ink>\n\nFour." }]));
  expect(reply).toMatchObject(expected);
});

test("has no reasoning in a plain reply", async () => {
  expect((await ask(whole({ content: "Four.", reasoning_content: "" }))).reply).not.toHaveProperty("reasoning");
});

test("does not take reasoning cut off by the token limit for a reply", async () => {
  const { reply } = await ask(json({ choices: [{ message: { content: "<think>Two and" }, finish_reason: "length" }] }));
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_invalid_reply", detail: /token limit/ } });
});

test("reads Claude's thinking", async () => {
  const block = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
  const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields });
  const streamed = events(
    { type: "message_start", message: { role: "assistant", content: [] } },
    block(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Two " }),
    delta(0, { type: "thinking_delta", thinking: "and two." }),
    delta(0, { type: "signature_delta", signature: "s" }),
    block(1, { type: "text", text: "" }),
    delta(1, { type: "text_delta", text: "Four." }),
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  );
  const { reply, heard } = await ask(streamed, "anthropic-messages");
  expect(heard).toEqual(expected);
  expect(reply).toMatchObject(expected);
});

test("reads the summaries and the text of a response", async () => {
  const summary = (summary_index: number, text: string) => [
    { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index, delta: text },
  ];
  const output = [
    { type: "reasoning", summary: ["Two", "and two."].map((text) => ({ type: "summary_text", text })) },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Four." }] },
  ];
  const streamed = events(
    ...summary(0, "Two"),
    ...summary(1, "and two."),
    { type: "response.output_text.delta", delta: "Four." },
    { type: "response.completed", response: { status: "completed", output } },
  );
  const { reply, heard } = await ask(streamed, "openai-responses");
  expect(heard).toEqual({ text: "Four.", reasoning: "Two\n\nand two." });
  expect(reply).toMatchObject(heard);
  const open = [
    { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Two and two." }] },
    output[1],
  ];
  expect((await ask(json({ status: "completed", output: open }), "openai-responses")).heard).toEqual(expected);
});
