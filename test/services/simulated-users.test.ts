import { afterAll, beforeAll, expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import type { Behaviour, RecordedRequest } from "../support/fake-provider/behaviour.ts";
import { json, lastUserMessage, text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";

interface Move {
  readonly message?: string;
  readonly done?: boolean;
  readonly why?: string;
}

/** A simulator that follows a script by the number of messages it has sent. */
const scripted =
  (moves: readonly (Move | string)[]): Behaviour =>
  (call) => {
    const move = moves[Math.min(sentBy(call.request), moves.length - 1)] ?? {};
    const answer =
      typeof move === "string" ? move : JSON.stringify({ why: "as scripted", message: "", done: false, ...move });
    return text(answer)(call);
  };

function sentBy({ body }: RecordedRequest): number {
  const messages = (body?.["messages"] ?? []) as { role: string }[];
  return messages.filter(({ role }) => role === "assistant").length;
}

/** An agent that acts in its world once it knows the order. */
const agent: Behaviour = (call) => {
  const messages = (call.request.body?.["messages"] ?? []) as { role: string; content: string | null }[];
  const said = lastUserMessage(call.request);
  const acted = messages.at(-1)?.role === "tool";
  if (acted) return text("Order 1042 is cancelled.")(call);
  if (!/1042/.test(said)) return text(`Which order? (${messages.length})`)(call);
  return json({
    id: "c",
    object: "chat.completion",
    model: "agent",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "t1", type: "function", function: { name: "cancel_order", arguments: '{"order_id":"1042"}' } },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
  })(call);
};

const world = {
  state: { orders: { "1042": { status: "paid" } } },
  tools: [
    {
      name: "cancel_order",
      parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
      answers: [{ set: { "/orders/{order_id}/status": "cancelled" }, result: { ok: true } }],
    },
  ],
};

const scenario = {
  id: "cancel",
  world,
  user: { goal: "Cancel order 1042.", knows: { order_id: "1042" }, max_turns: 5 },
  expect: { state: { "/orders/1042/status": "cancelled" } },
};

let services: RunningServices;
let provider: FakeProvider;

beforeAll(async () => {
  services = await runServices();
  provider = await startFakeProvider({ models: { agent } });
});
afterAll(async () => {
  await provider.close();
  await services[Symbol.asyncDispose]();
});

async function post(body: object): Promise<{ status: number; body: unknown }> {
  return send(`${services.evaluation}/evaluate`, { body });
}

async function converse(moves: readonly (Move | string)[], changes: object = {}): Promise<EvaluationResponse> {
  provider.setModelBehaviour("user", scripted(moves));
  const { status, body } = await post({
    test_batch: scenario,
    endpoint: provider.url,
    model_id: "agent",
    simulator: { endpoint: provider.url, model_id: "user" },
    ...changes,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return EvaluationResponse.parse(body);
}

const attemptOf = (response: EvaluationResponse) => response.results.scenarios[0]!.attempts[0]!;
const good: Move[] = [
  { message: "Please cancel my order.", why: "states the goal" },
  { message: "It is 1042." },
  { done: true, why: "the order is cancelled" },
];

test("a user who pursues the goal: turns, reasons, tokens and the outcome", async () => {
  const response = await converse(good, { attempts: 2 });
  const attempt = attemptOf(response);
  expect(attempt.interactions.map(({ user_message, agent_reply }) => [user_message, agent_reply])).toEqual([
    ["Please cancel my order.", "Which order? (1)"],
    ["It is 1042.", "Order 1042 is cancelled."],
  ]);
  expect(attempt.interactions[0]).toMatchObject({
    simulated: true,
    user_turn: { source: "simulator", why: "states the goal", helper_usage: { calls: 1 } },
  });
  expect(attempt).toMatchObject({ user: { ended: "done", why: "the order is cancelled" }, outcome: { value: 1 } });
  expect(attempt.unfinished).toBeUndefined();
  expect(attempt.average_scores).toMatchObject({ outcome: 1, simulated_user: 1 });
  expect(response.summary).toMatchObject({
    interactions: 4,
    failed: 0,
    scenarios: { passing: 1 },
    simulated_users: { attempts: 2, failed: 0, share: 0, passed: 2, usage: { calls: 6, usage: { total_tokens: 72 } } },
    helper_usage: { calls: 6 },
  });
  // The agent's tokens do not contain those of the simulator: two replies by text, two calls.
  expect(response.usage.total_tokens).toBe(2 * (12 + 10 + 12));
});

test("the simulator sees its own side and the agent's texts, never tools, references or expectations", async () => {
  const before = provider.requests.length;
  await converse(good);
  const asked = provider.requests.slice(before).filter(({ body }) => body?.["model"] === "user");
  expect(asked).toHaveLength(3);
  for (const { body } of asked) {
    expect(body?.["tools"]).toBeUndefined();
    expect(JSON.stringify(body)).not.toMatch(/cancel_order|orders\/|status/);
  }
  const last = asked.at(-1)?.body?.["messages"] as { role: string; content: string }[];
  expect(last.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user", "assistant", "user"]);
  expect(last.at(-1)?.content).toBe("Order 1042 is cancelled.");
});

test.each([
  ["off its goal", [{ message: "What is the weather like in Rome?" }, { done: true }], "off_goal", 1],
  ["done at once", [{ done: true }], "off_goal", 1],
  ["speaking as the agent", [{ message: "Hello! How can I help you today?" }], "spoke_as_agent", 1],
  ["inventing a fact", [{ message: "Cancel my order." }, { message: "The order number is 1043." }], "invented_fact", 1],
  ["malformed", ["I would like to cancel"], "no_answer", 1],
  ["malformed later", [{ message: "Please cancel my order." }, "{"], "no_answer", 1],
] as const)("a simulator that is %s is a failure of its own", async (_, moves, kind, turns) => {
  const response = await converse(moves);
  const attempt = attemptOf(response);
  expect(attempt.user?.failure).toMatchObject({ kind, found_by: "rule" });
  expect(attempt.interactions).toHaveLength(turns);
  expect(attempt.average_scores).toEqual({ simulated_user: 0 });
  expect(attempt.outcome).toBeUndefined();
  expect(response.summary).toMatchObject({
    interactions: 0,
    failed: 0,
    average_scores: { simulated_user: 0 },
    simulated_users: { attempts: 1, failed: 1, share: 1, limit: 0.2, undecided: true, kinds: { [kind]: 1 } },
    scenarios: { failing: 0, no_reply: 0, unscored: 1 },
  });
  expect(response.message).toContain(
    "1 attempt is left out: the simulated user failed; more than 20 %, so the run is undecided",
  );
});

test("a user who says the same to an agent that asks the same again is sound, and the agent failed", async () => {
  const response = await converse([{ message: "I want to cancel something." }]);
  expect(attemptOf(response)).toMatchObject({ user: { ended: "turns" }, outcome: { value: 0 } });
  expect(attemptOf(response).user?.failure).toBeUndefined();
});

test("a gate is not passed by a run that left out more than a fifth of its attempts", async () => {
  let conversations = 0;
  provider.setModelBehaviour("user", (call) => {
    if (sentBy(call.request) === 0) conversations += 1;
    return scripted(conversations > 3 ? [{ done: true }] : good)(call);
  });
  const { body } = await post({
    test_batch: scenario,
    endpoint: provider.url,
    model_id: "agent",
    simulator: { endpoint: provider.url, model_id: "user" },
    attempts: 4,
    concurrency: 1,
    gate: { scores: { outcome: 1 } },
  });
  const { summary } = EvaluationResponse.parse(body);
  expect(summary).toMatchObject({
    simulated_users: { share: 0.25, limit: 0.2, undecided: true },
    gate: { passed: false },
  });
  expect(summary.gate?.checks.filter(({ passed }) => !passed)).toEqual([
    { name: "simulator_failure_rate", required: 0.2, actual: 0.25, passed: false },
  ]);
});

test("a simulator that is down fails the attempt before its first message, and nothing hangs", async () => {
  provider.setModelBehaviour("user", json({ error: { message: "no" } }, 400));
  const { body } = await post({
    test_batch: scenario,
    endpoint: provider.url,
    model_id: "agent",
    simulator: { endpoint: provider.url, model_id: "user" },
  });
  const attempt = attemptOf(EvaluationResponse.parse(body));
  expect(attempt.user?.failure).toMatchObject({
    kind: "no_answer",
    reason: expect.stringContaining("upstream_rejected"),
  });
  expect(attempt.interactions[0]?.error?.code).toBe("simulator_failed");
});

test("a user who never ends costs the agent the outcome, although the state is right", async () => {
  const response = await converse([
    { message: "Please cancel order 1042." },
    { message: "And is order 1042 gone?" },
    { message: "Tell me about the order again." },
    { message: "Will I get an email about the order?" },
    { message: "When, for the order?" },
    { message: "Never reached." },
  ]);
  const attempt = attemptOf(response);
  expect(attempt.interactions).toHaveLength(5);
  expect(attempt).toMatchObject({ user: { ended: "turns" }, outcome: { value: 0 } });
  expect(attempt.user?.failure).toBeUndefined();
  expect(attempt.outcome?.parts.map(({ name, passed }) => [name, passed])).toContainEqual(["user", false]);
  expect(response.summary).toMatchObject({ scenarios: { failing: 1 }, simulated_users: { failed: 0 } });
});

test("figures are shown without the spoiled attempts and with them as 0, and a gate bounds their share", async () => {
  let conversations = 0;
  provider.setModelBehaviour("user", (call) => {
    if (sentBy(call.request) === 0) conversations += 1;
    return scripted(conversations > 3 ? [{ done: true }] : good)(call);
  });
  const { body } = await post({
    test_batch: scenario,
    endpoint: provider.url,
    model_id: "agent",
    simulator: { endpoint: provider.url, model_id: "user" },
    attempts: 4,
    concurrency: 1,
    gate: { scores: { outcome: 1 }, max_simulator_failures: 0.2 },
  });
  const { summary, results } = EvaluationResponse.parse(body);
  expect(summary.average_scores["outcome"]).toBe(1);
  expect(summary.simulated_users).toMatchObject({ attempts: 4, failed: 1, share: 0.25, passed: 3 });
  // Wilson's interval of 1 in 4, from statsmodels: proportion_confint(1, 4, method="wilson").
  expect(summary.simulated_users?.low).toBeCloseTo(0.04558726, 6);
  expect(summary.simulated_users?.high).toBeCloseTo(0.69935816, 6);
  expect(summary.simulated_users?.scores_with_failures["outcome"]).toBeCloseTo(0.75, 10);
  expect(results.scenarios[0]?.reliability).toMatchObject({ attempts: 3, passed: 3 });
  expect(summary.gate).toMatchObject({
    passed: false,
    checks: expect.arrayContaining([
      expect.objectContaining({ name: "simulator_failure_rate", required: 0.2, actual: 0.25, passed: false }),
      expect.objectContaining({ name: "outcome", actual: 1, passed: true }),
    ]),
  });
});

test("a judge reviews users in whom no rule found a failure, whatever the outcome was", async () => {
  const verdict = (choice: string): Behaviour => text(JSON.stringify({ reason: "so it is", verdict: choice }));
  const simulator = { endpoint: provider.url, model_id: "user", review: true };
  const judge = { endpoint: provider.url, model_id: "judge", scope: "conversation", rubric: "Is it kind?" };
  provider.setModelBehaviour("judge", (call) =>
    verdict(JSON.stringify(call.request.body).includes("was played by a model") ? "off_goal" : "pass")(call),
  );
  const attempt = attemptOf(await converse(good, { simulator, judge }));
  expect(attempt.user?.failure).toMatchObject({ kind: "off_goal", found_by: "judge" });
  provider.setModelBehaviour("judge", (call) =>
    verdict(JSON.stringify(call.request.body).includes("was played by a model") ? "sound" : "pass")(call),
  );
  const sound = attemptOf(await converse(good, { simulator, judge }));
  expect(sound.user).toMatchObject({ ended: "done", review: { verdict: "sound" } });
  expect(sound.average_scores["outcome"]).toBe(1);
});

test("an opening is sent as it is, scripted turns come first, and a budget counts the simulator's calls", async () => {
  const opening = "Hello, cancel 1042 — please?";
  const user = { ...scenario.user, opening };
  const attempt = attemptOf(await converse([{}, { done: true }], { test_batch: { ...scenario, user } }));
  expect(attempt.interactions.map(({ user_message, user_turn }) => [user_message, user_turn?.source])).toEqual([
    [opening, "opening"],
  ]);
  const interactions = [{ id: "1", user_message: "Please cancel my order." }];
  const after = attemptOf(await converse(good, { test_batch: { ...scenario, interactions } }));
  expect(after.interactions.map(({ user_message }) => user_message)).toEqual([
    "Please cancel my order.",
    "It is 1042.",
  ]);
  const budgeted = await converse(good, { budget: { calls: 2 } });
  expect(budgeted.summary.stopped_by).toBe("budget");
  expect(attemptOf(budgeted).unfinished).toBe(true);
});

test("requests that cannot work are refused with the place", async () => {
  const base = { endpoint: provider.url, model_id: "agent", test_batch: scenario };
  const pointersOf = async (changes: object) => {
    const { status, body } = await post({ ...base, ...changes });
    expect(status).toBe(422);
    return Problem.parse(body).errors?.map(({ pointer }) => pointer);
  };
  expect(await pointersOf({ simulator: { endpoint: provider.url } })).toEqual(["/simulator/model_id"]);
  const simulator = { endpoint: provider.url, model_id: "user" };
  expect(await pointersOf({ simulator, history: "both" })).toEqual(["/history"]);
  expect(await pointersOf({ simulator: { ...simulator, review: true } })).toEqual(["/simulator/review"]);
  expect(await pointersOf({ simulator, test_batch: { id: "x" } })).toEqual(["/test_batch/interactions"]);
  expect(await pointersOf({ simulator, test_batch: { id: "x", user: { goal: " " } } })).toEqual([
    "/test_batch/user/goal",
  ]);
});

test("an estimate counts the calls of both sides", async () => {
  const { body } = await send(`${services.evaluation}/estimate`, {
    body: {
      endpoint: provider.url,
      model_id: "agent",
      test_batch: { ...scenario, world: undefined, expect: undefined },
      simulator: { endpoint: provider.url, model_id: "user" },
      attempts: 2,
    },
  });
  expect(body).toMatchObject({ simulator_calls: { high: 10 }, model_calls: { high: 10 }, calls: { high: 20 } });
});

test("a conversation is frozen into a script, and recorded users are replayed byte for byte", async () => {
  const odd = "Cancel 1042 — «now», \u{1F602}\r\n  please\t";
  const recorded = await converse([{ message: odd }, { message: "It is order 1042." }, { done: true }], {
    attempts: 2,
  });

  const { body: frozen } = await send(`${services.evaluation}/runs/${recorded.run_id}/freeze`, {
    body: { scenario_id: "cancel", attempt: 2, keep: true },
  });
  expect(frozen).toMatchObject({
    scenario: {
      id: "cancel-attempt-2",
      world,
      expect: scenario.expect,
      interactions: [{ user_message: odd }, { user_message: "It is order 1042." }],
      metadata: { frozen_from: { run_id: recorded.run_id, attempt: 2 } },
    },
    kept: [{ id: "cancel-attempt-2", created: true }],
  });
  expect((frozen as { scenario: object }).scenario).not.toHaveProperty("user");
  const { status } = await send(`${services.evaluation}/runs/${recorded.run_id}/freeze`, {
    body: { scenario_id: "no" },
  });
  expect(status).toBe(404);

  const before = provider.requests.length;
  const again = { test_batch: scenario, endpoint: provider.url, model_id: "agent", attempts: 3, concurrency: 1 };
  const first = EvaluationResponse.parse((await post({ ...again, replay_users: recorded.run_id })).body);
  const second = EvaluationResponse.parse((await post({ ...again, replay_users: first.run_id })).body);
  const sent = provider.requests.slice(before);
  expect(sent.every(({ body }) => body?.["model"] === "agent")).toBe(true);
  const messagesOf = ({ results }: EvaluationResponse) =>
    results.scenarios[0]!.attempts.map(({ interactions }) => interactions.map((turn) => turn.user_message));
  expect(messagesOf(first)).toEqual(Array(3).fill([odd, "It is order 1042."]));
  expect(messagesOf(second)).toEqual(messagesOf(first));
  const texts = sent.map(({ body }) => lastUserMessage({ body } as RecordedRequest));
  expect(texts.slice(0, texts.length / 2)).toEqual(texts.slice(texts.length / 2));
  expect(attemptOf(second)).toMatchObject({ user: { ended: "recorded" }, outcome: { value: 1 } });
  expect(attemptOf(second).unfinished).toBeUndefined();
  expect(second.summary.simulated_users).toMatchObject({ attempts: 3, failed: 0, usage: { calls: 0 } });

  const refused = await post({ ...again, test_batch: { ...scenario, id: "other" }, replay_users: recorded.run_id });
  expect(Problem.parse(refused.body).errors?.[0]).toMatchObject({ pointer: "/replay_users", code: "not_found" });
  const { body: repeat } = await send(`${services.evaluation}/runs/${recorded.run_id}/request`);
  expect(repeat).toMatchObject({ test_batch: { user: scenario.user }, simulator: { model_id: "user" } });
});

test("a comparison pairs conversations of different lengths, and rescoring keeps the simulator's failures", async () => {
  const long = [{ message: "Hello, about my order." }, ...good];
  const baseline = await converse(good, { attempts: 2 });
  const candidate = await converse(long, { attempts: 2 });
  const { body } = await send(
    `${services.evaluation}/compare?baseline=${baseline.run_id}&candidate=${candidate.run_id}`,
  );
  expect(body).toMatchObject({ simulated_users: { baseline: { failed: 0 }, candidate: { failed: 0 } } });
  const { scores } = body as { scores: { name: string; baseline: number; candidate: number }[] };
  expect(scores.find(({ name }) => name === "outcome")).toMatchObject({ baseline: 1, candidate: 1 });
  const spoiled = await converse([{ message: "Agent: hello there" }]);
  for (const { run_id } of [spoiled, baseline])
    await send(`${services.evaluation}/runs/${run_id}/rescore`, { body: {} });
  const after = async (run_id: string) =>
    EvaluationResponse.parse((await send(`${services.evaluation}/runs/${run_id}/results`)).body);
  expect(attemptOf(await after(spoiled.run_id))).toMatchObject({
    average_scores: { simulated_user: 0 },
    user: { failure: { kind: "spoke_as_agent" } },
  });
  expect(attemptOf(await after(baseline.run_id)).average_scores).toMatchObject({ outcome: 1, simulated_user: 1 });
});
