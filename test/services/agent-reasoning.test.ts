import OpenAI from "openai";
import { expect, test } from "vitest";
import { asksFor, scriptedModel } from "../../src/agent/testing/scripted-model.ts";
import type { ChatModel } from "../../src/contract/ports/chat-model.ts";
import { sampleReply } from "../../src/contract/testing/sample-reply.ts";
import { human, post, readEvents, runAgentApp } from "./agent-support.ts";

const weather = { type: "function" as const, name: "weather", parameters: {}, strict: false };

/** Thinks, uses our tool, thinks again and answers; asked about the weather, it uses the client's. */
function thinker(): ChatModel {
  return async ({ messages }, { onText, onReasoning }) => {
    const last = messages.at(-1);
    const isDone = last?.role === "tool";
    const wantsWeather = last?.content === "Weather?";
    const thoughts = isDone ? ["It ", "is known."] : ["I must ", "look."];
    const text = isDone ? "391." : "Let me see.";
    for (const piece of thoughts) onReasoning?.(piece);
    onText?.(text);
    const reasoning = thoughts.join("");
    if (isDone) return sampleReply(text, { reasoning });
    const { tool_calls } = wantsWeather ? asksFor("weather") : asksFor("calculator", { expression: "17 * 23" });
    const calls = tool_calls.map((call) => ({ ...call, echo: { message: { reasoning_content: reasoning } } }));
    return sampleReply(text, { reasoning, tool_calls: calls, finish_reason: "tool_calls" });
  };
}

const runThinker = () => runAgentApp({ "test/model": thinker() });
const clientOf = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
const ask = (content: string) => ({ model: "test/model", messages: [{ role: "user" as const, content }] });

test("a completion tells what was thought beside its text, never in it", async () => {
  await using agent = await runThinker();
  const client = clientOf(agent.url);
  const { choices } = await client.chat.completions.create(ask("17 * 23?"));
  expect(choices[0]?.message).toMatchObject({ content: "391.", reasoning_content: "It is known." });

  const pieces = { content: "", reasoning_content: "" };
  for await (const chunk of await client.chat.completions.create({ ...ask("17 * 23?"), stream: true })) {
    const delta = chunk.choices[0]?.delta as Partial<typeof pieces> | undefined;
    pieces.content += delta?.content ?? "";
    pieces.reasoning_content += delta?.reasoning_content ?? "";
  }
  expect(pieces).toEqual({ content: "Let me see.\n\n391.", reasoning_content: "I must look.\n\nIt is known." });
});

test("streamed text is not repeated beside the client's calls", async () => {
  await using agent = await runThinker();
  const tools = [{ type: "function" as const, function: { name: "weather" } }];
  const stream = await clientOf(agent.url).chat.completions.create({ ...ask("Weather?"), tools, stream: true });
  const deltas: object[] = [];
  for await (const chunk of stream) deltas.push(chunk.choices[0]?.delta ?? {});
  expect(deltas.filter((delta) => "reasoning_content" in delta)).toEqual([
    { reasoning_content: "I must " },
    { reasoning_content: "look." },
  ]);
  expect(deltas.find((delta) => "tool_calls" in delta)).toMatchObject({ tool_calls: [{ index: 0 }] });
});

test.each(["reasoning", "think"])(
  "reasoning that a provider sends as %s is streamed once and sent back to it",
  async (name) => {
    const echo = { message: { [name]: "Hm." } };
    const asks = asksForWeather("Hm.").tool_calls.map((call) => ({ ...call, echo }));
    const turn = { text: "", reasoning: "Hm.", tool_calls: asks };
    const model = scriptedModel(turn, turn, "Sunny.");
    await using agent = await runAgentApp({ "test/model": model });
    const { completions } = clientOf(agent.url).chat;
    const tools = [{ type: "function" as const, function: { name: "weather" } }];

    const deltas: object[] = [];
    for await (const chunk of await completions.create({ ...ask("Weather?"), tools, stream: true })) {
      deltas.push(chunk.choices[0]?.delta ?? {});
    }
    expect(deltas.filter((delta) => "reasoning_content" in delta)).toEqual([{ reasoning_content: "Hm." }]);
    expect(deltas.filter((delta) => name in delta)).toEqual([]);

    const { choices } = await completions.create({ ...ask("Weather?"), tools });
    const [message] = choices.map((choice) => choice.message);
    if (!message) throw new Error("there is no message");
    expect(message).not.toHaveProperty(name);
    const result = { role: "tool" as const, tool_call_id: message.tool_calls?.[0]?.id ?? "", content: "Sun" };
    await completions.create({ ...ask("Weather?"), messages: [...ask("Weather?").messages, message, result], tools });
    expect(model.requests.at(-1)?.messages[1]).toMatchObject({ tool_calls: [{ echo }] });
  },
);

test("a response has items for it, where it was thought", async () => {
  await using agent = await runThinker();
  const client = clientOf(agent.url);
  const request = { model: "test/model", input: "17 * 23?" };
  const whole = await client.responses.create(request);
  expect(whole.output).toMatchObject([
    { type: "reasoning", summary: [{ type: "summary_text", text: "It is known." }] },
    { type: "message" },
  ]);
  expect(whole.output_text).toBe("391.");

  const stream = client.responses.stream(request);
  const finished: unknown[] = [];
  stream.on("event", (event) => event.type === "response.output_item.done" && finished.push(event.item.type));
  const { output, output_text } = await stream.finalResponse();
  expect(output).toMatchObject([
    { type: "reasoning", summary: [{ text: "I must look." }] },
    { type: "message" },
    { type: "reasoning", summary: [{ text: "It is known." }] },
  ]);
  expect(output_text).toBe("Let me see.\n\n391.");
  // A client that shows a thought as long as it lasts sees it end when the words begin.
  expect(finished).toEqual(["reasoning", "reasoning", "message"]);

  const input = [{ role: "user", content: "17 * 23?" }, ...whole.output, { role: "user", content: "Sure?" }];
  const again = await post(`${agent.url}/v1/responses`, { model: "test/model", input });
  expect(again.status).toBe(200);
  const called = await client.responses.create({ model: "test/model", input: "Weather?", tools: [weather] });
  expect(called.output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
});

test("the chat of the AI SDK and the events of POST / tell it as it comes", async () => {
  await using agent = await runThinker();
  const messages = [{ id: "u", role: "user", parts: [{ type: "text", text: "17 * 23?" }] }];
  const chunks = await readEvents(await post(`${agent.url}/agent/ui-messages`, { messages }));
  expect(chunks.map(({ data }) => data["type"]).filter((type) => /^(?:reasoning|text)-/.test(String(type)))).toEqual([
    "reasoning-start",
    "reasoning-delta",
    "reasoning-delta",
    "reasoning-end",
    "text-start",
    "text-delta",
    "text-end",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-delta",
    "reasoning-end",
    "text-start",
    "text-delta",
    "text-end",
  ]);

  const events = await readEvents(await post(agent.url, human("17 * 23?"), { accept: "text/event-stream" }));
  const thought = events.filter(({ event }) => event === "reasoning-delta");
  expect(thought.map(({ data }) => [data["call"], data["text"]])).toEqual([
    [1, "I must "],
    [1, "look."],
    [2, "It "],
    [2, "is known."],
  ]);
  expect(JSON.stringify(events.at(-1)?.data["message"])).not.toContain("known");
});

test.each([false, true])(
  "a response whose output comes back brings what the provider wants to see (stream: %s)",
  async (stream) => {
    const model = scriptedModel(
      { ...asksForWeather("Hm."), reasoning: "Hm.", text: "Let me see." },
      asksForWeather("Again."),
      "Sunny.",
    );
    await using agent = await runAgentApp({ "test/model": model });
    const { responses } = clientOf(agent.url);
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Weather?" }];
    for (const name of ["first", "second", "third"]) {
      const body = { model: "test/model", tools: [weather], input };
      const response = stream ? await responses.stream(body).finalResponse() : await responses.create(body);
      const output: OpenAI.Responses.ResponseOutputItem[] = response.output;
      input.push(...(output as OpenAI.Responses.ResponseInput));
      const call = output.find((item) => item.type === "function_call");
      if (call) input.push({ type: "function_call_output", call_id: call.call_id, output: name });
    }
    const replies = model.requests.at(-1)?.messages.filter(({ role }) => role === "assistant");
    expect(replies).toMatchObject([
      { content: "Let me see.", tool_calls: [{ echo: { message: { reasoning_content: "Hm." } } }] },
      { tool_calls: [{ echo: { message: { reasoning_content: "Again." } } }] },
    ]);
  },
);

function asksForWeather(reasoning_content: string) {
  const { tool_calls } = asksFor("weather", {}, `call_${reasoning_content}`);
  return { tool_calls: tool_calls.map((call) => ({ ...call, echo: { from: "x", message: { reasoning_content } } })) };
}
