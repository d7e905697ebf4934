import { expect, test } from "vitest";
import type { ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { ChatCompletion } from "../../src/contract/schemas/wires/openai-chat.ts";
import { ResponseBody } from "../../src/contract/schemas/wires/openai-responses.ts";
import { sampleReply } from "../../src/contract/testing/sample-reply.ts";
import { parseEvents, post, runAgentApp, scripted } from "./agent-support.ts";

test("a refusal is sent as one, and accepted back as the model's reply", async () => {
  const { models, model } = scripted({ text: "", refusal: "I can't help with that." });
  await using agent = await runAgentApp(models);
  const url = `${agent.url}/v1/responses`;
  const first = { model: "test/model", input: "How do I pick a lock?" };
  const { output } = ResponseBody.parse(await (await post(url, first)).json());
  const part = { type: "refusal", refusal: "I can't help with that." };
  expect(output).toMatchObject([{ content: [part] }]);

  const again = [
    { role: "user", content: first.input },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "…" },
    ...output,
    { role: "user", content: "Why?" },
  ];
  expect((await post(url, { ...first, input: again })).status).toBe(200);
  const messages = [
    { role: "user", content: first.input },
    { role: "assistant", content: [part] },
    { role: "user", content: "Why?" },
  ];
  const chat = await post(`${agent.url}/v1/chat/completions`, { model: "test/model", messages });
  const { choices } = ChatCompletion.parse(await chat.json());
  expect(choices[0]?.message).toMatchObject({ content: null, refusal: "I can't help with that." });
  const said = [{ role: "user" }, { role: "assistant", content: "I can't help with that." }, { role: "user" }];
  expect(model.requests.slice(1)).toMatchObject([{ messages: said }, { messages: said }]);

  const events = parseEvents(await (await post(url, { ...first, stream: true })).text());
  expect(events.map(({ event }) => event).slice(2, -1)).toEqual([
    "response.output_item.added",
    "response.content_part.added",
    "response.refusal.delta",
    "response.refusal.done",
    "response.content_part.done",
    "response.output_item.done",
  ]);
  expect(events.map(({ data }) => data).slice(3, 7)).toMatchObject([
    { content_index: 0, part: { type: "refusal", refusal: "" } },
    { content_index: 0, delta: "I can't help with that." },
    { content_index: 0, refusal: "I can't help with that." },
    { content_index: 0, part },
  ]);
});

test("a refusal after some words is a second part of the streamed message", async () => {
  const refuses: ScriptedTurn = async (_request, { onText }) => {
    onText?.("Well. ");
    return { ...sampleReply("Well. "), refusal: "No." };
  };
  await using agent = await runAgentApp(scripted(refuses).models);
  const answer = await post(`${agent.url}/v1/responses`, { model: "test/model", input: "Hi", stream: true });
  const events = parseEvents(await answer.text());
  const parts = events.filter(({ event }) => event.startsWith("response.content_part."));
  expect(parts.map(({ event, data }) => [event, data["content_index"]])).toEqual([
    ["response.content_part.added", 0],
    ["response.content_part.done", 0],
    ["response.content_part.added", 1],
    ["response.content_part.done", 1],
  ]);
});

test("an unknown item of the input is refused with the known kinds", async () => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const answer = await post(`${agent.url}/v1/responses`, { model: "test/model", input: [{ type: "image_call" }] });
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    {
      error: {
        param: "input[0].type",
        message:
          '/input/0/type must be one of "message", "function_call", "function_call_output", "reasoning", "item_reference"',
      },
    },
  ]);
});
