import { ContextOverflowError } from "@langchain/core/errors";
import { HumanMessage, type AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asksFor, failsWith, scriptedModel } from "../../src/agent/testing/scripted-model.ts";
import type { ChatModel } from "../../src/contract/ports/chat-model.ts";
import { runAgentApp, scripted, type AgentUnderTest } from "./agent-support.ts";

const weather = {
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** Answers by what it was asked, so that tests can share it. */
const model: ChatModel = (request, options) => {
  const last = request.messages.at(-1);
  const script = () => {
    if (last?.role === "tool") return `The tool said ${last.content.includes("391") ? "391" : "21 degrees"}.`;
    if (last?.content === "17 * 23?") return asksFor("calculator", { expression: "17 * 23" }, "call_own");
    if (last?.content === "Weather?") return asksFor("weather", { city: "Paris" }, "call_weather");
    if (last?.content === "Fail") return failsWith("upstream_rate_limited");
    if (last?.content === "Too long") return failsWith("context_length_exceeded");
    return `You said ${last?.content}${request.messages[0]?.role === "system" ? ` to ${request.messages[0].content}` : ""}`;
  };
  return scripted(script).model(request, options);
};

let agent: AgentUnderTest;
let client: OpenAI;
beforeAll(async () => {
  agent = await runAgentApp({ "test/model": model });
  client = new OpenAI({ baseURL: `${agent.url}/v1`, apiKey: "none", maxRetries: 0 });
});
afterAll(() => agent[Symbol.asyncDispose]());

const ask = (content: string) => ({ model: "test/model", messages: [{ role: "user" as const, content }] });

describe("the openai client", () => {
  test("lists and finds models", async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(["best", "test/model"]);
    expect((await client.models.retrieve("test/model")).owned_by).toBe("hub");
  });

  test("gets a completion with the usage of the whole run, our tools carried out", async () => {
    const completion = await client.chat.completions.create(ask("17 * 23?"));
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "The tool said 391.", refusal: null },
    });
    expect(completion.usage).toEqual({ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 });
    expect(completion.model).toBe("test/model");
  });

  test("gets the cached and the reasoning tokens of the whole run, where they are reported", async () => {
    const counted = (cached_tokens: number, reasoning_tokens: number) => ({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens },
      completion_tokens_details: { reasoning_tokens },
    });
    const turns = [
      { ...asksFor("calculator", { expression: "1 + 1" }), usage: counted(0, 3) },
      { text: "2", usage: counted(8, 4) },
    ];
    const clientOf = ({ url }: AgentUnderTest) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    await using first = await runAgentApp(scripted(...turns).models);
    const completion = await clientOf(first).chat.completions.create(ask("1 + 1?"));
    expect(completion.usage).toMatchObject({
      total_tokens: 30,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 7 },
    });
    await using second = await runAgentApp(scripted(...turns).models);
    const response = await clientOf(second).responses.create({ model: "test/model", input: "1 + 1?" });
    expect(response.usage).toMatchObject({
      input_tokens_details: { cached_tokens: 8 },
      output_tokens_details: { reasoning_tokens: 7 },
    });
  });

  test("reads a stream with usage", async () => {
    const stream = await client.chat.completions.create({
      ...ask("Hello"),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: unknown;
    let finish: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finish ??= chunk.choices[0]?.finish_reason;
      usage ??= chunk.usage;
    }
    expect([text, finish, usage]).toEqual([
      "You said Hello",
      "stop",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    ]);
  });

  test("a stream without include_usage has none", async () => {
    for await (const chunk of await client.chat.completions.create({ ...ask("Hello"), stream: true })) {
      expect(chunk).not.toHaveProperty("usage");
    }
  });

  test.each([false, true])(
    "gets calls of its own tools back and goes on with their results (stream: %s)",
    async (stream) => {
      const tools = [{ type: "function" as const, function: weather }];
      const body = { ...ask("Weather?"), tools };
      const message = stream
        ? (await client.chat.completions.stream(body).finalChatCompletion()).choices[0]?.message
        : (await client.chat.completions.create(body)).choices[0]?.message;
      expect(message?.tool_calls).toMatchObject([
        { id: "call_weather", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } },
      ]);
      const answer = await client.chat.completions.create({
        ...body,
        messages: [
          ...body.messages,
          { role: "assistant", content: null, tool_calls: message?.tool_calls ?? [] },
          { role: "tool", tool_call_id: "call_weather", content: "21 degrees" },
        ],
      });
      expect(answer.choices[0]?.message.content).toBe("The tool said 21 degrees.");
    },
  );

  test.each([false, true])(
    "brings back what the provider wants to see again beside its calls (stream: %s)",
    async (stream) => {
      const echo = {
        call: { extra_content: { google: { thought_signature: "s" } } },
        message: { reasoning_content: "Hm." },
      };
      const asking = asksFor("weather", { city: "Paris" }, "call_weather");
      const thinker = scriptedModel(
        { ...asking, tool_calls: asking.tool_calls.map((call) => ({ ...call, echo: { from: "thinker", ...echo } })) },
        "Sunny.",
      );
      await using own = await runAgentApp({ "test/thinker": thinker });
      const openai = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 0 });
      const body = {
        model: "test/thinker",
        messages: [{ role: "user" as const, content: "Weather?" }],
        tools: [{ type: "function" as const, function: weather }],
      };
      const message = stream
        ? (await openai.chat.completions.stream(body).finalChatCompletion()).choices[0]?.message
        : (await openai.chat.completions.create(body)).choices[0]?.message;
      if (!message) throw new Error("There is no message.");
      const result = { role: "tool" as const, tool_call_id: message.tool_calls?.[0]?.id ?? "", content: "Sunny" };
      await openai.chat.completions.create({ ...body, messages: [...body.messages, message, result] });
      expect(thinker.requests[1]?.messages.slice(1)).toMatchObject([
        { role: "assistant", tool_calls: [{ id: "call_weather", echo }] },
        { role: "tool", tool_call_id: "call_weather" },
      ]);
    },
  );

  test("system and developer messages, content parts and an alias are accepted", async () => {
    for (const role of ["system", "developer"] as const) {
      const { choices } = await client.chat.completions.create({
        model: "best",
        messages: [
          { role, content: "Bob" },
          { role: "user", content: [{ type: "text", text: "Hi" }] },
        ],
      });
      expect(choices[0]?.message.content).toBe("You said Hi to Bob");
    }
  });

  test("tool_choice none offers no tool, and a named one must exist", async () => {
    const none = await client.chat.completions.create({ ...ask("Hello"), tool_choice: "none" });
    expect(none.choices[0]?.message.content).toBe("You said Hello");
    const named = { type: "function" as const, function: { name: "rocket" } };
    await expect(client.chat.completions.create({ ...ask("Hello"), tool_choice: named })).rejects.toMatchObject({
      status: 422,
      param: "tool_choice",
    });
  });

  test.each([false, true])("a failure of the provider is a status it knows (stream: %s)", async (stream) => {
    const failing = client.chat.completions.create({ ...ask("Fail"), stream });
    await expect(failing).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(failing).rejects.toMatchObject({ code: "upstream_rate_limited", type: "rate_limit_error" });
  });

  test("does not send a request again that no retry can help", async () => {
    const failing = scriptedModel(failsWith("upstream_auth"), "Only a second call would get this.");
    await using own = await runAgentApp({ "test/model": failing });
    const patient = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 1 });
    await expect(patient.chat.completions.create(ask("Hello"))).rejects.toMatchObject({ code: "upstream_auth" });
    expect(failing.requests).toHaveLength(1);
  });

  test("mistakes name the parameter", async () => {
    const create = (body: object) => client.chat.completions.create({ ...ask("Hi"), ...body } as never);
    await expect(create({ n: 2 })).rejects.toMatchObject({ status: 422, param: "n", type: "invalid_request_error" });
    await expect(create({ model: "nonsense" })).rejects.toMatchObject({ status: 400, param: "model" });
    await expect(create({ model: "no/such" })).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    await expect(create({ model: undefined })).rejects.toMatchObject({ status: 400, code: "model_id_missing" });
    await expect(create({ messages: [] })).rejects.toMatchObject({ status: 422, param: "messages" });
    await expect(create({ functions: [] })).rejects.toMatchObject({ status: 422, param: "functions" });
  });

  test("unused parameters may be null, also unsupported ones", async () => {
    const nothing = { n: null, functions: null, tools: null, stop: null, seed: null, stream_options: null };
    await expect(client.chat.completions.create({ ...ask("Hi"), ...nothing } as never)).resolves.toMatchObject({
      object: "chat.completion",
    });
  });
});

describe("the openai client with a format", () => {
  /** Says something before it uses a tool of ours, as models do. */
  const talks = () =>
    scriptedModel({ ...asksFor("calculator", { expression: "1 + 1" }), text: "Let me see." }, '{"sum":2}');
  const schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };

  test("streams a completion that can be parsed, whatever the model said on the way", async () => {
    await using own = await runAgentApp({ "test/model": talks() });
    const openai = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 0 });
    const response_format = { type: "json_schema" as const, json_schema: { name: "sum", schema, strict: true } };
    const stream = openai.chat.completions.stream({ ...ask("1 + 1?"), response_format });
    expect((await stream.finalChatCompletion()).choices[0]?.message).toMatchObject({ content: '{"sum":2}' });
  });

  test("streams a response that can be parsed", async () => {
    await using own = await runAgentApp({ "test/model": talks() });
    const openai = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 0 });
    const text = { format: { type: "json_schema" as const, name: "sum", schema, strict: true } };
    const stream = openai.responses.stream({ model: "test/model", input: "1 + 1?", text });
    expect(await stream.finalResponse()).toMatchObject({ output_text: '{"sum":2}', output_parsed: { sum: 2 } });
  });
});

describe("the openai client with responses", () => {
  test("a text, with instructions and our tools", async () => {
    const response = await client.responses.create({ model: "test/model", input: "Hi", instructions: "Bob" });
    expect(response.output_text).toBe("You said Hi to Bob");
    expect(response).toMatchObject({ status: "completed", usage: { total_tokens: 15 } });
    const tool = await client.responses.create({ model: "test/model", input: [{ role: "user", content: "17 * 23?" }] });
    expect(tool.output_text).toBe("The tool said 391.");
  });

  test("streams its text and ends with the whole response", async () => {
    const types: string[] = [];
    let text = "";
    let last: OpenAI.Responses.Response | undefined;
    for await (const event of await client.responses.create({ model: "test/model", input: "Hi", stream: true })) {
      types.push(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.completed") last = event.response;
    }
    expect(types[0]).toBe("response.created");
    expect(types.at(-1)).toBe("response.completed");
    expect(text).toBe("You said Hi");
    expect(last?.output).toMatchObject([{ type: "message", content: [{ type: "output_text", text }] }]);
  });

  test.each([false, true])("function calls go to the client and come back as output (stream: %s)", async (stream) => {
    const tools = [{ type: "function" as const, strict: false, ...weather }];
    const body = { model: "test/model", input: [{ role: "user" as const, content: "Weather?" }], tools };
    const response = stream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
    const [call] = response.output;
    expect(call).toMatchObject({ type: "function_call", call_id: "call_weather", arguments: '{"city":"Paris"}' });
    const answer = await client.responses.create({
      ...body,
      input: [
        ...body.input,
        call as OpenAI.Responses.ResponseFunctionToolCall,
        { type: "function_call_output", call_id: "call_weather", output: "21 degrees" },
      ],
    });
    expect(answer.output_text).toBe("The tool said 21 degrees.");
  });

  test("an unsupported parameter is refused by name", async () => {
    const prompted = client.responses.create({ model: "test/model", input: "Hi", prompt: { id: "pmpt_1" } });
    await expect(prompted).rejects.toMatchObject({ status: 422, param: "prompt" });
  });

  test("the wanted format of the reply reaches the provider", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const logprobs = { content: [{ token: "{", logprob: -0.5, bytes: null, top_logprobs: [] }] };
    const { models, model: asked } = scripted({ text: '{"city":"Paris"}', logprobs });
    await using own = await runAgentApp(models);
    const openai = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 0 });
    const response = await openai.responses.parse({
      model: "test/model",
      input: "Where?",
      text: { format: { type: "json_schema", name: "place", schema, strict: true }, verbosity: "low" },
      reasoning: { effort: "low" },
      include: ["message.output_text.logprobs"],
      top_logprobs: 2,
    });
    expect(response.output_parsed).toEqual({ city: "Paris" });
    expect(response.output).toMatchObject([{ content: [{ logprobs: [{ token: "{" }] }] }]);
    expect(asked.requests[0]?.parameters?.extra).toEqual({
      response_format: { type: "json_schema", json_schema: { name: "place", schema, strict: true } },
      verbosity: "low",
      reasoning_effort: "low",
      logprobs: true,
      top_logprobs: 2,
    });
  });

  test("parameters of both OpenAI interfaces reach the provider, and unsupported ones are refused", async () => {
    const { models, model: asked } = scripted("Hi");
    await using own = await runAgentApp(models);
    const openai = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 0 });
    const fields = {
      service_tier: "flex",
      user: "alice",
      safety_identifier: "a1",
      prompt_cache_key: "shop",
      prompt_cache_retention: "24h",
    } as const;
    await openai.responses.create({ model: "test/model", input: "Hi", ...fields });
    expect(asked.requests[0]?.parameters?.extra).toEqual(fields);
    const limited = openai.responses.create({ model: "test/model", input: "Hi", max_tool_calls: 1 });
    await expect(limited).rejects.toMatchObject({ status: 422, param: "max_tool_calls" });
  });

  test("plain text, which clients ask for by default, is nothing to pass on", async () => {
    const { models, model: asked } = scripted("Hi");
    await using own = await runAgentApp(models);
    const openai = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 0 });
    await openai.responses.create({ model: "test/model", input: "Hi", text: { format: { type: "text" } } });
    expect(asked.requests[0]?.parameters ?? {}).toEqual({});
  });

  test("a stream that breaks off rejects: half a reply is not taken for a whole one", async () => {
    const breaks: ChatModel = (_request, { onText }) => {
      onText?.("Half");
      return Promise.resolve(failsWith("upstream_reset"));
    };
    await using own = await runAgentApp({ "test/model": breaks });
    const openai = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 0 });
    const stream = await openai.responses.create({ model: "test/model", input: "Hi", stream: true });
    const told: string[] = [];
    const reading = (async () => {
      for await (const { type } of stream) told.push(type);
    })();
    await expect(reading).rejects.toMatchObject({ code: "upstream_reset" });
    expect(told.at(-1)).toBe("response.output_text.delta");
  });

  test("a reply that a filter cut off is incomplete for that reason", async () => {
    await using own = await runAgentApp(scripted({ text: "I", finish_reason: "content_filter" }).models);
    const openai = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: "none", maxRetries: 0 });
    const response = await openai.responses.create({ model: "test/model", input: "Hi" });
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "content_filter" } });
  });
});

describe("@langchain/openai", () => {
  const chat = () =>
    new ChatOpenAI({
      model: "test/model",
      apiKey: "none",
      maxRetries: 0,
      configuration: { baseURL: `${agent.url}/v1` },
    });

  test("invokes", async () => {
    const message = await chat().invoke([new HumanMessage("17 * 23?")]);
    expect(message.content).toBe("The tool said 391.");
    expect(message.usage_metadata).toMatchObject({ input_tokens: 20, output_tokens: 10, total_tokens: 30 });
  });

  test("streams", async () => {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await chat().stream([new HumanMessage("Hello")])) whole = whole?.concat(chunk) ?? chunk;
    expect(whole?.content).toBe("You said Hello");
    expect(whole?.usage_metadata).toMatchObject({ total_tokens: 15 });
  });

  test("knows a conversation that is too long, so that it can be shortened", async () => {
    await expect(chat().invoke("Too long")).rejects.toSatisfy((error) => ContextOverflowError.isInstance(error));
  });

  test.each([false, true])("sees its own tool calls (stream: %s)", async (stream) => {
    const bound = chat().bindTools([{ type: "function", function: weather }]);
    let message: AIMessageChunk | undefined;
    if (stream) {
      for await (const chunk of await bound.stream("Weather?")) message = message?.concat(chunk) ?? chunk;
    } else message = await bound.invoke("Weather?");
    expect(message?.tool_calls).toMatchObject([{ name: "weather", args: { city: "Paris" }, id: "call_weather" }]);
  });
});
