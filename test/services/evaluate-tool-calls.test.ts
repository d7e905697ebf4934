import { expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { ModelProtocol } from "../../src/contract/schemas/evaluation-request.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { json, text } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";

const asked = { order_id: "1042" };

const replies: Record<Exclude<ModelProtocol, "agent">, { path: string; behaviour: Behaviour }> = {
  "openai-chat": { path: "/v1", behaviour: toolCalls({ id: "c1", name: "get_order", arguments: asked }) },
  "openai-responses": {
    path: "/v1",
    behaviour: json({
      id: "r",
      status: "completed",
      model: "m",
      output: [{ type: "function_call", id: "f1", call_id: "c1", name: "get_order", arguments: JSON.stringify(asked) }],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    }),
  },
  "anthropic-messages": {
    path: "/v1",
    behaviour: json({
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      stop_reason: "tool_use",
      content: [{ type: "tool_use", id: "c1", name: "get_order", input: asked }],
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  },
};

test("results carry the tool calls of every protocol, and a reply of calls alone is a success", async () => {
  await using services = await runServices();
  for (const [protocol, { path, behaviour }] of Object.entries(replies)) {
    await using provider = await startFakeProvider({ behaviour });
    const { body, status } = await send(`${services.evaluation}/evaluate`, {
      body: {
        test_batch: { id: "s", interactions: [{ id: "1", user_message: "Where is my order?" }] },
        endpoint: `${provider.origin}${path}`,
        model_id: "m",
        protocol,
      },
    });
    expect(status).toBe(200);
    const [turn] = EvaluationResponse.parse(body).results.scenarios[0]?.attempts[0]?.interactions ?? [];
    expect(turn).toMatchObject({
      agent_reply: "",
      error: null,
      scores: { success: 1 },
      tool_calls: [{ id: "c1", name: "get_order", arguments: asked }],
    });
  }
});

test("results carry the tool calls of our agent backend, with results and times", async () => {
  await using services = await runServices();
  const { body } = await send(`${services.evaluation}/evaluate`, {
    body: {
      test_batch: {
        id: "s",
        interactions: [
          { id: "1", user_message: "What is 17 * 23?" },
          { id: "2", user_message: "Thanks." },
        ],
      },
      endpoint: services.agent,
      model_id: "demo/scripted",
      protocol: "agent",
    },
  });
  const [first, second] = EvaluationResponse.parse(body).results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(first?.agent_reply).toContain("391");
  expect(first?.tool_calls).toMatchObject([
    { name: "calculator", arguments: { expression: "17 * 23" }, result: "391", ms: expect.any(Number) as number },
  ]);
  expect(second).toMatchObject({ error: null, tool_calls: [] });
});

const write = {
  name: "write",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  answers: [{ set: { "/texts/-": { $argument: "text" } } }],
};

function acting(endpoint: string, world: unknown, more: object = {}) {
  const interactions = [{ id: "1", user_message: "Go" }];
  return { test_batch: { id: "s", interactions, world, ...more }, endpoint, model_id: "m" };
}

type Calls = readonly { readonly name: string; readonly arguments: unknown; readonly id?: string }[];

/** Asks for these calls once, then replies. */
const callsThenText = (calls: Calls): Behaviour => {
  const [asking, replying] = [toolCalls(...calls), text("Done.")];
  return (call) => {
    const messages = call.request.body?.["messages"] as readonly { role: string }[];
    return messages.some(({ role }) => role === "tool") ? replying(call) : asking(call);
  };
};

test("a thousand calls, unknown tools and broken or huge arguments are recorded, and the service goes on", async () => {
  const huge = { text: "x".repeat(2_000_000) };
  const thousand = Array.from({ length: 1_000 }, (_, index) => ({
    id: `c${index}`,
    name: "write",
    arguments: { text: String(index) },
  }));
  const odd = [
    { name: "nope", arguments: {} },
    { name: "write", arguments: '{"text": "a' },
    { name: "write", arguments: { text: 1 } },
    { name: "write", arguments: huge },
  ];
  await using services = await runServices();
  const evaluate = async (calls: Calls) => {
    await using provider = await startFakeProvider({ behaviour: callsThenText(calls) });
    const body = acting(
      provider.url,
      { state: { texts: [] }, tools: [write] },
      { expect: { state: { "/texts/999": "999" } } },
    );
    const answer = await send(`${services.evaluation}/evaluate`, { body });
    expect(answer.status).toBe(200);
    return EvaluationResponse.parse(answer.body).results.scenarios[0]?.attempts[0];
  };
  const many = await evaluate(thousand);
  expect(many?.interactions[0]).toMatchObject({ agent_reply: "Done.", error: null, finish_reason: "tool_limit" });
  expect(many?.interactions[0]?.tool_calls).toHaveLength(1_000);
  expect(many?.outcome?.value).toBe(1);

  const wrong = await evaluate(odd);
  expect(wrong?.interactions[0]?.tool_calls).toMatchObject([
    { error: expect.stringContaining("no tool named") as string },
    { arguments: '{"text": "a', arguments_error: expect.any(String) as string },
    { error: "Invalid arguments: /text must be string." },
    { arguments_error: expect.stringContaining("2000011 characters") as string },
  ]);
  expect(wrong?.outcome).toMatchObject({ value: 0 });

  // 10 MB: more than a reply may have. The turn fails with a reason, and the attempt is recorded.
  const tooLong = await evaluate([{ name: "write", arguments: { text: "x".repeat(10_000_000) } }]);
  expect(tooLong?.interactions[0]).toMatchObject({
    agent_reply: "Request failed",
    error: { code: "upstream_reply_too_large", detail: "The answer is larger than 8388608 bytes." },
  });
  expect(tooLong?.outcome).toMatchObject({ value: 0 });
});

test.each([
  ["is not an object", "no world", "/test_batch/world"],
  ["has a tool without a schema", { tools: [{ name: "f", answers: [{}] }] }, "/test_batch/world/tools/0/parameters"],
  ["names a module", { module: "/etc/passwd" }, "/test_batch/world/module"],
  [
    "has a bad pointer",
    { tools: [{ ...write, answers: [{ remove: ["texts"] }] }] },
    "/test_batch/world/tools/0/answers/0/remove/0",
  ],
  [
    "has a bad expression",
    { tools: [{ ...write, answers: [{ result: { $state: "/__proto__" } }] }] },
    "/test_batch/world/tools/0/answers/0/result/$state",
  ],
])("a world that %s is refused with its place", async (_, world, pointer) => {
  await using services = await runServices();
  const { status, body } = await send(`${services.evaluation}/evaluate`, { body: acting("http://127.0.0.1:9", world) });
  expect(status).toBe(422);
  expect(Problem.parse(body).errors?.map((error) => error.pointer)).toContain(pointer);
});
