import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { startWorldAgent } from "../support/world-agent.ts";
import { report } from "./support/figures.ts";
import { startServe, type ServeProcess } from "./support/serve-process.ts";

let provider: FakeProvider;
let service: ServeProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  service = await startServe({}, { nodeOptions: ["--max-old-space-size=400"] });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await provider.close();
});

const parameters = { type: "object" };
const double = { name: "double", parameters, answers: [{ set: { "/a": [{ $state: "/a" }, { $state: "/a" }] } }] };
const take = { name: "take", parameters, answers: [{ result: "taken" }] };
const hello = { id: "1", user_message: "Hello" };
/** Just below the longest arguments that are read. */
const long = { text: "x".repeat(990_000) };

async function dataBytes(): Promise<number> {
  const files = await readdir(service.dataDir, { recursive: true });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(service.dataDir, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The first attempt of a run, and that the service answered others meanwhile. */
async function attemptOf(name: string, body: object) {
  let isOver = false;
  const sent = send(`${service.evaluation}/evaluate`, { body: { endpoint: provider.url, model_id: "m", ...body } });
  const evaluated = sent.finally(() => (isOver = true));
  let slowest = 0;
  while (!isOver) {
    const begun = performance.now();
    expect((await send(`${service.evaluation}/healthz`)).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - begun);
    await wait(20);
  }
  const { status, body: answer } = await evaluated;
  report("worlds", { [`${name}, slowest /healthz (ms)`]: Math.round(slowest), "data (MB)": (await dataBytes()) / 1e6 });
  if (status !== 200) throw new Error(JSON.stringify(answer));
  return EvaluationResponse.parse(answer).results.scenarios[0]!.attempts[0]!;
}

test("reference calls that double the state leave it undecided", async () => {
  const call = { name: "double", arguments: {} };
  const expected = { state_after: Array(40).fill(call) };
  const scenario = { id: "s", world: { state: { a: 1 }, tools: [double] }, interactions: [hello], expect: expected };
  const { outcome } = await attemptOf("reference calls", { test_batch: scenario });
  expect(outcome?.parts.find(({ name }) => name === "state_after")).toEqual({
    name: "state_after",
    passed: null,
    reason:
      "undecided: The call of double passes a limit of the world: the changes of an attempt may have at most 16,777,216 characters of JSON and 1,000,000 values together.",
  });
});

test("a model that doubles the state ends its attempt with the limit", async () => {
  provider.setModelBehaviour("doubles", toolCalls({ name: "double", arguments: {} }));
  const world = { state: { a: "text" }, tools: [double], max_steps: 60 };
  const scenario = { id: "s", world, interactions: [hello, { id: "2", user_message: "Again" }] };
  const before = await dataBytes();
  const { interactions } = await attemptOf("doubling model", { test_batch: scenario, model_id: "doubles" });
  expect(interactions.map(({ error }) => error?.code)).toEqual(["world_limit", "world_limit"]);
  expect(interactions[0]?.error?.detail).toContain("The call of double passes a limit of the world");
  expect(interactions[0]?.tool_calls.at(-1)?.error).toBe(interactions[0]?.error?.detail);
  expect((await dataBytes()) - before).toBeLessThan(100e6);
});

test("a model that makes long calls without end stops its attempt, not the service", async () => {
  const calls = Array.from({ length: 7 }, (_, index) => ({ id: `c${index}`, name: "take", arguments: long }));
  provider.setModelBehaviour("fills", toolCalls(...calls));
  const scenario = { id: "s", world: { tools: [take], max_steps: 100 }, interactions: [hello] };
  const { interactions } = await attemptOf("long calls", { test_batch: scenario, model_id: "fills" });
  expect(interactions[0]?.error).toMatchObject({
    code: "world_limit",
    detail: expect.stringMatching(
      /its tool calls, with their arguments, results and changes, may have at most [\d,]+ characters/,
    ),
  });
});

test("an agent that makes long calls through its private address gets an error, and its attempt fails", async () => {
  let last = "";
  await using agent = await startWorldAgent(async (world) => {
    for (let made = 0; made < 120; made += 1) {
      const { content, isError } = await world.callTool({ name: "take", arguments: long });
      last = (content as { text: string }[])[0]?.text ?? "";
      if (isError) break;
    }
    return { reply: "Done." };
  });
  const { interactions } = await attemptOf("private address", {
    test_batch: { id: "s", world: { tools: [take] }, interactions: [hello] },
    endpoint: agent.url,
    protocol: "agent",
    world_address: { header: "x-my-world" },
  });
  expect(last).toContain("The attempt passes a limit of the world");
  expect(interactions[0]?.error?.code).toBe("world_limit");
});

test("lists of tens of thousands of values are compared at once", async () => {
  const numbers = Array.from({ length: 60_000 }, (_, index) => index);
  const scenario = {
    id: "s",
    world: { state: { numbers }, tools: [take] },
    interactions: [hello],
    expect: { state: { "/numbers": { $contains: numbers.toReversed() } } },
  };
  const { outcome } = await attemptOf("lists", { test_batch: scenario });
  expect(outcome?.value).toBe(1);
});
