import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";
import { startWorldAgent, type ActInWorld } from "../support/world-agent.ts";

const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const scenario = {
  id: "cancel",
  world: {
    state: { orders: { "1042": { status: "paid" } }, log: [] },
    tools: [
      {
        name: "get_order",
        parameters,
        answers: [{ result: { $state: "/orders/{order_id}" } }, { error: "No such order." }],
      },
      {
        name: "cancel_order",
        parameters,
        answers: [
          {
            set: { "/orders/{order_id}/status": "cancelled", "/log/-": { $argument: "order_id" } },
            result: { ok: true },
          },
        ],
      },
    ],
  },
  interactions: [
    {
      id: "1",
      user_message: "Cancel order 1042.",
      reference_tool_calls: [{ name: "cancel_order", arguments: { order_id: "1042" } }],
    },
    {
      id: "2",
      user_message: "Is it cancelled?",
      reference_tool_calls: [{ name: "get_order", arguments: { order_id: "1042" } }],
    },
  ],
  expect: { state: { "/orders/1042/status": "cancelled", "/log": ["1042"] } },
};

const callTool = async (world: Client, name: string): Promise<string> => {
  const { content } = await world.callTool({ name, arguments: { order_id: "1042" } });
  return (content as { text: string }[])[0]?.text ?? "";
};

const cancelling: ActInWorld = async (world, message) => {
  const reply = message.startsWith("Cancel")
    ? await callTool(world, "cancel_order")
    : await callTool(world, "get_order");
  return { reply: `The world says ${reply}` };
};

let services: RunningServices;
let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
  services = await runServices({
    HUB_PROVIDERS: JSON.stringify({ fake: { base_url: provider.url } }),
    REHEARSAL_DEMO: "on",
  });
});
afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

async function evaluate(body: object): Promise<EvaluationResponse> {
  const answer = await send(`${services.evaluation}/evaluate`, {
    body: { test_batch: scenario, model_id: "any", protocol: "agent", ...body },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return EvaluationResponse.parse(answer.body);
}

test.each([
  ["a header", { header: "x-my-world" }],
  ["a field", { field: "/config/mcp" }],
])(
  "an agent with its own tool loop gets its world by %s, and its calls are those of the turn",
  async (_, world_address) => {
    await using agent = await startWorldAgent(cancelling);
    const { results, summary } = await evaluate({ endpoint: agent.url, world_address, attempts: 2 });
    for (const { interactions, outcome, average_scores } of results.scenarios[0]!.attempts) {
      expect(interactions.map(({ tool_calls }) => tool_calls.map(({ name, result }) => [name, result]))).toEqual([
        [["cancel_order", { ok: true }]],
        [["get_order", { status: "cancelled" }]],
      ]);
      expect(outcome?.value).toBe(1);
      expect(average_scores["tool_match"]).toBe(1);
    }
    expect(summary.scenarios?.passing).toBe(1);
    // Private: one address for each attempt, unguessable, and closed afterwards.
    const addresses = new Set(agent.worlds);
    expect(addresses.size).toBe(2);
    for (const address of addresses) {
      expect(address).toMatch(/\/worlds\/[\w-]{43}\/mcp$/);
      const late = await send(address, { body: { jsonrpc: "2.0", id: 1, method: "tools/list" } });
      expect(late.status).toBe(410);
    }
    expect((await send(`${services.evaluation}/worlds/guess/mcp`, { body: {} })).status).toBe(404);
  },
);

test("calls fail like those of the own loop, and a call between two turns is refused and counted", async () => {
  let kept: Client | null = null;
  await using agent = await startWorldAgent(async (world, message, number) => {
    if (number === 1) {
      kept = new Client({ name: "late", version: "1" });
      await kept.connect(new StreamableHTTPClientTransport(new URL(agent.worlds[0]!)));
      const unknown = await world.callTool({ name: "no_tool", arguments: {} });
      const wrong = await world.callTool({ name: "get_order", arguments: {} });
      setTimeout(
        () => void kept?.callTool({ name: "cancel_order", arguments: { order_id: "1042" } }).catch(() => {}),
        0,
      );
      return { reply: `${JSON.stringify(unknown.content)} ${JSON.stringify(wrong.content)}` };
    }
    // The late call reaches the world before this turn, or during it.
    return { reply: message };
  });
  const { results } = await evaluate({ endpoint: agent.url, world_address: { header: "x-my-world" } });
  const [first] = results.scenarios[0]!.attempts[0]!.interactions;
  expect(first?.tool_calls).toMatchObject([
    { name: "no_tool", error: expect.stringContaining("There is no tool named") },
    { name: "get_order", error: expect.stringContaining("Invalid arguments") },
  ]);
  expect(first?.agent_reply).toContain("There is no tool named");
  await kept!.close();
});

test("calls after the last turn and after the end of the attempt are refused, counted and shown as a warning of the run", async () => {
  await using agent = await startWorldAgent(cancelling);
  const world_address = { header: "x-my-world" };
  const { run_id, warnings } = await evaluate({ endpoint: agent.url, world_address });
  expect(warnings).toEqual([]);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "cancel_order", arguments: {} } };
  // A client that takes leave, or asks for the list, is refused and not counted.
  for (const body of [call, { jsonrpc: "2.0", id: 2, method: "tools/list" }, call]) {
    expect((await send(agent.worlds[0]!, { body })).status).toBe(410);
  }
  await expect
    .poll(async () => (await send(`${services.evaluation}/runs/${run_id}`)).body)
    .toMatchObject({
      warnings: [{ pointer: "/world_address", message: expect.stringMatching(/^2 tool calls were refused, because/) }],
    });
  const results = await send(`${services.evaluation}/runs/${run_id}/results`);
  expect(results.body).toMatchObject({ warnings: [{ pointer: "/world_address" }] });
});

test("a turn that failed begins again in the state that the world had at its start", async () => {
  await using agent = await startWorldAgent(async (world, message, number) => {
    if (message.startsWith("Cancel")) await callTool(world, "cancel_order");
    return number === 1 ? { status: 503, reply: "" } : { reply: "Done." };
  });
  const { results } = await evaluate({ endpoint: agent.url, world_address: { header: "x-my-world" } });
  const attempt = results.scenarios[0]!.attempts[0]!;
  expect(agent.worlds).toHaveLength(3);
  expect(attempt.interactions[0]?.tool_calls).toHaveLength(1);
  expect(attempt.outcome).toMatchObject({ value: 1 });
});

test("our own agent backend takes the world of a turn from its own evaluation service, and from nowhere else", async () => {
  provider.enqueue(
    toolCalls({ id: "c1", name: "cancel_order", arguments: { order_id: "1042" } }),
    text("Cancelled."),
    toolCalls({ id: "c2", name: "get_order", arguments: { order_id: "1042" } }),
    text("It is."),
  );
  const world_address = { header: "rehearsal-world" };
  const { results } = await evaluate({ endpoint: services.agent, model_id: "fake/model", world_address });
  const attempt = results.scenarios[0]!.attempts[0]!;
  expect(attempt.interactions.map(({ agent_reply }) => agent_reply)).toEqual(["Cancelled.", "It is."]);
  expect(attempt.interactions.map(({ tool_calls }) => tool_calls.map(({ name }) => name))).toEqual([
    ["cancel_order"],
    ["get_order"],
  ]);
  expect(attempt.outcome?.value).toBe(1);
  // Its own tools may act on production: it is offered those of the world alone.
  const offered = provider.requests.at(-1)?.body?.["tools"] as { function: { name: string } }[];
  expect(offered.map((tool) => tool.function.name)).toEqual(["get_order", "cancel_order"]);

  const refused = await send(services.agent, {
    headers: { "x-model-id": "fake/model", "rehearsal-world": "http://127.0.0.1:9/worlds/x/mcp" },
    body: { messages: [{ type: "human", content: "Hi" }] },
  });
  expect([refused.status, Problem.parse(refused.body).code]).toEqual([403, "endpoint_not_allowed"]);
});

test("settings that cannot work are refused with the place", async () => {
  const { body } = await send(`${services.evaluation}/evaluate`, {
    body: {
      test_batch: scenario,
      endpoint: provider.url,
      model_id: "m",
      history: "both",
      world_address: { header: "Authorization" },
    },
  });
  expect(Problem.parse(body).errors?.map(({ pointer }) => pointer)).toEqual([
    "/world_address",
    "/world_address/header",
    "/history",
  ]);
});
