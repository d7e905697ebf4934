import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { agentOperations } from "../../src/services/agent/app.ts";
import { evaluationOperations } from "../../src/services/evaluation/app.ts";
import { parseAddress, type Operation } from "../../src/contract/operations/operation.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { runServices, type RunningServices } from "../support/services.ts";

const scopes = ["evaluate", "runs:read", "runs:write", "models:read", "agent"];
const apiKeys = ["alice", "bob"]
  .map((name) => `${name}:${createHash("sha256").update(`key-${name}`).digest("hex")}:${scopes.join("+")}`)
  .join(",");

let provider: FakeProvider;
let services: RunningServices;

beforeAll(async () => {
  provider = await startFakeProvider();
  services = await runServices({ REHEARSAL_API_KEYS: apiKeys, HUB_BASE_URL: provider.url });
});
afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function ask(name: string, base: string, { method, path, body, headers }: Ask) {
  const response = await fetch(base + path, {
    method: method.toUpperCase(),
    headers: {
      ...headers,
      "x-api-key": `key-${name}`,
      ...(method !== "get" && { "content-type": "application/json" }),
    },
    ...(method !== "get" && { body: JSON.stringify(body ?? {}) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const testBatch = { id: "greeting", interactions: [{ id: "1", user_message: "Hi", reference_reply: "Hello." }] };

/** A finished run of Alice with a verdict of hers. */
async function finishedRun(): Promise<string> {
  const body = { test_batch: testBatch, endpoint: provider.url, model_id: "m", attempts: 2 };
  const { status, text } = await ask("alice", services.evaluation, { method: "post", path: "/evaluate", body });
  expect(status).toBe(200);
  return (JSON.parse(text) as { run_id: string }).run_id;
}

const judge = () => ({ endpoint: provider.url, model_id: "judge" });
const verdict = { scenario_id: "greeting", turn_index: 0, attempt: 1, question: "review", choice: "pass" };

/**
 * What each route that names a run is asked for, beside its path. A route that is missing here fails the first test.
 * Its owner is answered with the status, anyone else with 404.
 */
const askedOfRun: Record<string, (run: string, other: string) => { status: number; query?: string; body?: unknown }> = {
  getRun: () => ({ status: 200 }),
  getRunRequest: () => ({ status: 200 }),
  getRunResults: () => ({ status: 200 }),
  listRunScenarios: () => ({ status: 200 }),
  freezeConversation: () => ({ status: 200, body: { scenario_id: "greeting", attempt: 1 } }),
  getRunEvents: () => ({ status: 200 }),
  // A finished run cannot be cancelled, which only its owner may learn.
  cancelRun: () => ({ status: 409 }),
  changeRun: () => ({ status: 200, body: { test_name: "renamed" } }),
  getScoreAgreement: () => ({ status: 200 }),
  correlateVerdicts: () => ({
    status: 200,
    body: { verdicts: [1, 2].map((attempt) => ({ scenario_id: "greeting", attempt, interaction_id: "1", value: 1 })) },
  }),
  getRunSequence: () => ({ status: 404 }),
  rescoreRun: () => ({ status: 200, body: { ask_models: false } }),
  exportRun: () => ({ status: 200, query: "?format=csv" }),
  storeVerdicts: () => ({ status: 200, body: { verdicts: [verdict] } }),
  listVerdicts: () => ({ status: 200 }),
  reviewRun: () => ({ status: 200, query: "?question=review" }),
  measureAgreement: () => ({ status: 200, query: "?question=review" }),
  correctScores: () => ({ status: 200 }),
  // No verdict asks what the judge is asked, which only the owner may learn.
  auditRunJudge: () => ({ status: 422, body: { repeats: 1, judge: judge() } }),
  compareRuns: (run, other) => ({ status: 200, query: `?baseline=${run}&candidate=${other}` }),
  judgePairs: (run, other) => ({ status: 200, body: { baseline: run, candidate: other, judge: judge() } }),
  // These runs are no variants.
  getExperiment: () => ({ status: 404 }),
  rankRuns: (run, other) => ({ status: 200, query: `?runs=${run},${other}` }),
  measureNoise: (run, other) => ({ status: 200, query: `?runs=${run},${other}` }),
  // Last: it takes the run away.
  deleteRun: () => ({ status: 204 }),
};

/** Parameters of a path, a query or a body that name a run. */
const runNames = /^(?:run_ids?|runs|baseline|candidate|experiment_id)$/;

function namesRun({ address, query, body }: Operation): boolean {
  const fields = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  const parameters = parseAddress(address).parameters.map(({ name }) => name);
  return [...parameters, ...Object.keys(query?.shape ?? {}), ...fields].some((name) => runNames.test(name));
}

/** The routes of the registry that name a run: a new one fails the next test until it is asked below. */
const runRoutes = evaluationOperations.filter(namesRun);

test("every route that names a run is asked below", () => {
  expect(runRoutes.map(({ id }) => id).toSorted()).toEqual(Object.keys(askedOfRun).toSorted());
});

test("a run is there for its owner and for no other key, on every route", async () => {
  const [run, other] = [await finishedRun(), await finishedRun()];
  const statuses: Record<string, readonly number[]> = {};
  const expected: Record<string, readonly number[]> = {};
  for (const [id, wanted] of Object.entries(askedOfRun)) {
    const { method, path } = parseAddress(runRoutes.find((route) => route.id === id)!.address);
    const { status, query = "", body } = wanted(run, other);
    const asked = { method, path: path.replace(/\{(?:run|experiment)_id\}/, run) + query, body };
    const stranger = await ask("bob", services.evaluation, asked);
    const owner = await ask("alice", services.evaluation, asked);
    statuses[id] = [stranger.status, owner.status];
    expected[id] = [404, status];
    expect(stranger.text).toContain("run_not_found");
    expect(stranger.text).not.toContain("greeting");
  }
  expect(statuses).toEqual(expected);
});

test.each([
  ["replay_users", (run: string) => ({ replay_users: run })],
  ["a baseline", (run: string) => ({ gate: { baseline: run, not_worse_by: 0.1 } })],
])("%s of another owner's run is not found", async (_, fields) => {
  const run = await finishedRun();
  const body = { test_batch: testBatch, endpoint: provider.url, model_id: "m", ...fields(run) };
  const { status, text } = await ask("bob", services.evaluation, { method: "post", path: "/evaluate", body });
  const absent = await ask("bob", services.evaluation, {
    method: "post",
    path: "/evaluate",
    body: { ...body, ...fields(randomUUID()) },
  });
  expect([status, text.replaceAll(run, "<run>")]).toEqual([absent.status, expect.not.stringContaining("greeting")]);
  expect(status).toBeGreaterThanOrEqual(400);
});

/** The same for the routes of the agent backend that name a run or a thread. */
const askedOfAgent: Record<string, { readonly status: number; readonly body?: unknown }> = {
  getAgentRun: { status: 200 },
  // It waits for no decision, which only its owner may learn.
  resumeAgentRun: { status: 409, body: { decisions: { call: "approve" } } },
  cancelAgentRun: { status: 409 },
  replayAgentRun: { status: 200 },
  agentRunToScenario: { status: 200 },
  getAgentThread: { status: 200 },
  deleteAgentThread: { status: 204 },
};

const agentRoutes = agentOperations.filter(({ address }) => /\{(?:run|thread)_id\}/.test(address));

test("every route that names a run or a thread of the agent is asked below", () => {
  expect(agentRoutes.map(({ id }) => id).toSorted()).toEqual(Object.keys(askedOfAgent).toSorted());
});

test("a thread and its runs are there for their owner and for no other key, on every route", async () => {
  const turn = await ask("alice", services.agent, {
    method: "post",
    path: "/",
    body: { messages: [{ type: "human", content: "Hi" }] },
    headers: { "x-model-id": "hub/m", "x-thread-id": "alices" },
  });
  expect(turn.status).toBe(200);
  const run = turn.headers.get("x-run-id") ?? "";
  const statuses: Record<string, readonly number[]> = {};
  const expected: Record<string, readonly number[]> = {};
  for (const [id, { status, body }] of Object.entries(askedOfAgent)) {
    const { method, path } = parseAddress(agentRoutes.find((route) => route.id === id)!.address);
    const asked = { method, path: path.replace("{run_id}", run).replace("{thread_id}", "alices"), body };
    const stranger = await ask("bob", services.agent, asked);
    statuses[id] = [stranger.status, (await ask("alice", services.agent, asked)).status];
    expected[id] = [404, status];
  }
  expect(statuses).toEqual(expected);
});

test("lists show only what is the caller's own", async () => {
  const run = await finishedRun();
  expect((await ask("bob", services.evaluation, { method: "get", path: "/runs" })).text).not.toContain(run);
  expect((await ask("alice", services.evaluation, { method: "get", path: "/runs" })).text).toContain(run);
  for (const path of ["/agent/runs", "/agent/threads"]) {
    const listed = JSON.parse((await ask("bob", services.agent, { method: "get", path })).text) as object;
    expect(Object.values(listed).find(Array.isArray)).toEqual([]);
  }
});
