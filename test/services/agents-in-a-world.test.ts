import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { importScenarios } from "../../src/formats/import-scenarios.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { lastUserMessage, text } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";

type ServeAgent = (options: { modelUrl: string; model: string }) => Promise<{ url: string; close(): void }>;

/** The agents of the examples are plain JavaScript. */
async function exampleAgent(name: string): Promise<ServeAgent> {
  const file = new URL(`../../examples/${name}/agent.js`, import.meta.url);
  return ((await import(file.href)) as { serveAgent: ServeAgent }).serveAgent;
}

/** The language model of all three agents: looks up or cancels the order that the user names. */
const model: Behaviour = (call) => {
  const messages = (call.request.body?.["messages"] ?? []) as { role: string; content: string }[];
  const last = messages.at(-1);
  if (last?.role === "tool") {
    const cannot = /cannot be cancelled/.test(last.content);
    return text(cannot ? "Sorry, it was shipped." : /shipped/.test(last.content) ? "It was shipped." : "It is done.")(
      call,
    );
  }
  const said = lastUserMessage(call.request);
  const [order_id] = /\b\d{4}\b/.exec(said) ?? [];
  if (order_id === undefined) return text("Which order is it?")(call);
  return toolCalls({ id: "c", name: /cancel/i.test(said) ? "cancel_order" : "get_order", arguments: { order_id } })(
    call,
  );
};

let services: RunningServices;
let provider: FakeProvider;
let scenarios: readonly object[];
beforeAll(async () => {
  provider = await startFakeProvider({ behaviour: model });
  services = await runServices({
    HUB_PROVIDERS: JSON.stringify({ fake: { base_url: provider.url } }),
    REHEARSAL_DEMO: "on",
  });
  const file = new URL("../../examples/worlds/support-desk.yaml", import.meta.url);
  const read = importScenarios({ text: await readFile(file, "utf8"), name: "support-desk.yaml" });
  if (read.notes.length > 0) throw new Error(JSON.stringify(read.notes));
  scenarios = read.scenarios;
});
afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

/** A demo model plays the simulated user of one of the scenarios. */
async function evaluate(target: object) {
  const simulator = { endpoint: `${services.agent}/demo/v1`, model_id: "demo/scripted" };
  const { status, body } = await send(`${services.evaluation}/evaluate`, {
    body: { test_batch: scenarios, protocol: "agent", simulator, ...target },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return EvaluationResponse.parse(body);
}

test.each([
  ["LangGraph", "langgraph", { header: "rehearsal-world" }],
  ["AI SDK", "ai-sdk", { field: "/config/world" }],
  ["our own backend", null, { header: "rehearsal-world" }],
])("an agent of %s runs the three scenarios in its world", async (_, name, world_address) => {
  const agent = name && (await (await exampleAgent(name))({ modelUrl: provider.url, model: "any" }));
  try {
    const response = await evaluate({
      endpoint: agent ? agent.url : services.agent,
      model_id: "fake/model",
      world_address,
    });
    const outline = response.results.scenarios.map(({ scenario_id, attempts }) => ({
      scenario_id,
      calls: attempts[0]?.interactions.flatMap(({ tool_calls }) =>
        tool_calls.map(({ name, error }) => [name, error !== undefined]),
      ),
      outcome: attempts[0]?.outcome?.value,
    }));
    expect(outline).toEqual([
      { scenario_id: "cancel-order", calls: [["cancel_order", false]], outcome: 1 },
      { scenario_id: "too-late", calls: [["cancel_order", true]], outcome: 1 },
      { scenario_id: "where-is-it", calls: [["get_order", false]], outcome: 1 },
    ]);
    expect(response.summary.simulated_users).toMatchObject({ attempts: 1, failed: 0 });
  } finally {
    if (agent) agent.close();
  }
});
