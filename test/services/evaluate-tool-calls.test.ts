import { expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Protocol } from "../../src/contract/schemas/evaluation-request.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { json } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";

const asked = { order_id: "1042" };

const replies: Record<Exclude<Protocol, "agent">, { path: string; behaviour: Behaviour }> = {
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
      finish_reason: "tool_calls",
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
