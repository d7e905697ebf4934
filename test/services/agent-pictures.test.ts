import OpenAI from "openai";
import { expect, test } from "vitest";
import { asksFor, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { createPlugInRunner } from "../../src/agent/loop/plug-in.ts";
import type { AgentDependencies } from "../../src/services/agent/dependencies.ts";
import { send } from "../support/http.ts";
import { mailTool, post, runAgentApp, scripted } from "./agent-support.ts";

const picture = `data:image/png;base64,${"A".repeat(4096)}`;
const address = "https://pictures.example.com/cat.jpg?signature=secret";
const shown = [
  { type: "text", text: "Is this " },
  { type: "image", url: picture, detail: "low" },
  { type: "text", text: " the same as " },
  { type: "image", url: address },
];
const content = [
  { type: "text" as const, text: "Is this " },
  { type: "image_url" as const, image_url: { url: picture, detail: "low" as const } },
  { type: "text" as const, text: " the same as " },
  { type: "image_url" as const, image_url: { url: address } },
];
const question = { model: "test/model", messages: [{ role: "user" as const, content }] };
const inWords =
  /^Is this \[image [0-9a-f]{8}: image\/png, 3 KB\] the same as \[image [0-9a-f]{8}: https:\/\/pictures\.example\.com\/cat\.jpg\]$/;

async function start(turns: readonly ScriptedTurn[], overrides: Partial<AgentDependencies> = {}) {
  const { model, models } = scripted(...turns);
  const agent = await runAgentApp(models, overrides);
  const client = new OpenAI({ baseURL: `${agent.url}/v1`, apiKey: "none", maxRetries: 0 });
  return { ...agent, model, client };
}

test("pictures reach the model with every step, in their places", async () => {
  await using agent = await start([asksFor("calculator", { expression: "1 + 1" }), "Yes."]);
  const completion = await agent.client.chat.completions.create(question);
  expect(completion.choices[0]?.message.content).toBe("Yes.");
  expect(agent.model.requests.map(({ messages }) => messages[0])).toEqual([
    { role: "user", content: expect.stringMatching(inWords), parts: shown },
    { role: "user", content: expect.stringMatching(inWords), parts: shown },
  ]);
});

test("pictures from responses and from the AI SDK's chat reach the model too", async () => {
  await using agent = await start(["Yes.", "Yes."]);
  await agent.client.responses.create({
    model: "test/model",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Is this " },
          { type: "input_image", image_url: picture, detail: "low" },
          { type: "input_text", text: " the same as " },
          { type: "input_image", image_url: address, detail: "auto" },
        ],
      },
    ],
  });
  expect(agent.model.requests[0]?.messages).toMatchObject([{ role: "user", parts: shown }]);

  const parts = [
    { type: "file", mediaType: "image/png", url: picture },
    { type: "data-place", data: { city: "Paris" } },
    { type: "text", text: "What is it?" },
  ];
  await (
    await post(`${agent.url}/agent/ui-messages`, { model: "test/model", messages: [{ id: "u", role: "user", parts }] })
  ).text();
  expect(agent.model.requests[1]?.messages).toMatchObject([
    {
      role: "user",
      parts: [
        { type: "image", url: picture },
        { type: "text", text: "What is it?" },
      ],
    },
  ]);
});

test("the log has words in their stead, and no scenario is made of it", async () => {
  await using agent = await start(["Yes."]);
  const { response } = await agent.client.chat.completions.create(question).withResponse();
  const id = response.headers.get("x-run-id");
  const messages = [{ role: "user", content: expect.stringMatching(inWords), images: 2 }];
  const { body } = await send(`${agent.url}/agent/runs/${id}`);
  expect(body).toMatchObject({ log: [{ type: "run-start", messages }, {}, {}] });
  expect(await (await post(`${agent.url}/agent/runs/${id}/replay`, {})).json()).toMatchObject({ matches: true });
  const scenario = await post(`${agent.url}/agent/runs/${id}/scenario`, {});
  expect(scenario.status).toBe(422);
  expect(await scenario.json()).toMatchObject({ detail: expect.stringContaining("images") });
});

test("a run that waited for approval still has them", async () => {
  await using agent = await start([asksFor("send_mail", { to: "a@example.com" }, "call_1"), "Sent."], {
    tools: () => [mailTool([])],
  });
  const { response } = await agent.client.chat.completions.create(question).withResponse();
  const run = response.headers.get("x-run-id");
  await post(`${agent.url}/agent/runs/${run}/resume`, { decisions: { call_1: "approve" } });
  expect(agent.model.requests[1]?.messages[0]).toMatchObject({ parts: shown });
});

test("a plug-in whose messages have no place for them does not lose them", async () => {
  const runner = createPlugInRunner(async ({ messages, ask }) => {
    const plain = messages.map(({ role, content: text }) => ({ role: role as "user", content: text }));
    return (await ask({ messages: plain })).text;
  });
  await using agent = await start(["Yes."], { runner });
  await agent.client.chat.completions.create(question);
  expect(agent.model.requests[0]?.messages[0]).toMatchObject({ parts: shown });
});

test("a file that is no picture, or not a user's, is refused with its place", async () => {
  await using agent = await start([]);
  const refusal = async (path: string, body: object) => {
    const answer = await post(`${agent.url}${path}`, { model: "test/model", ...body });
    const { error, detail } = await answer.json();
    return [answer.status, error?.param ?? null, error?.message ?? detail];
  };
  const chat = (role: string, part: object) =>
    refusal("/v1/chat/completions", { messages: [{ role, content: [part] }] });
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  const anAddress = expect.stringContaining("must be an http(s) URL or a base64 data URL of an image");
  expect(await chat("user", image("file:///etc/passwd"))).toEqual([
    422,
    "messages[0].content[0].image_url.url",
    anAddress,
  ]);
  expect(await chat("user", image("data:text/html;base64,AAAA"))).toEqual([422, expect.anything(), anAddress]);
  expect(await chat("system", image(picture))).toEqual([
    422,
    "messages[0].content[0].type",
    expect.stringContaining("only user messages may have images"),
  ]);
  expect(await chat("user", { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } })).toEqual([
    422,
    "messages[0].content[0].type",
    expect.stringContaining("audio and files are not supported"),
  ]);
  const stored = { type: "input_image", file_id: "file-1", detail: "auto" };
  expect(await refusal("/v1/responses", { input: [{ role: "user", content: [stored] }] })).toEqual([
    422,
    expect.anything(),
    expect.stringContaining("image_url"),
  ]);
  for (const [role, part] of [
    ["user", { type: "file", mediaType: "application/pdf", url: "data:application/pdf;base64,AAAA" }],
    ["user", { type: "file" }],
    ["assistant", { type: "file", mediaType: "image/png", url: picture }],
  ] as const) {
    expect(await refusal("/agent/ui-messages", { messages: [{ id: "m", role, parts: [part] }] })).toEqual([
      422,
      null,
      expect.stringContaining("is a file"),
    ]);
  }
});
