import { afterAll, beforeAll, expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { startFakeAgent } from "../support/fake-agent.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";

const interactions = [
  { id: "1", user_message: "Hello", reference_reply: "Hello 1" },
  { id: "2", user_message: "Hello", reference_reply: "Hello 2" },
];
const test_batch = { id: "s", interactions };
const secret = "bound-to-one-origin";

let services: RunningServices;
beforeAll(async () => {
  services = await runServices();
});
afterAll(() => services[Symbol.asyncDispose]());

test("evaluates an agent that a request describes, with a session for each attempt and a bound secret", async () => {
  const turns = new Map<string, number>();
  await using agent = await startFakeAgent(({ text, session = "" }, { "x-token": token }) => {
    if (token !== secret) return { status: 401, body: {} };
    turns.set(session, (turns.get(session) ?? 0) + 1);
    const calls = [{ name: "greet", args: { to: "you" }, output: "done" }];
    return { body: { said: `${text} ${turns.get(session)}`, calls, echo: token } };
  });
  await using bound = await runServices({
    BOT_TOKEN: secret,
    EVAL_CREDENTIALS: `${agent.url}/chat=BOT_TOKEN:x-unused`,
  });
  const endpoint = {
    url: `${agent.url}/chat`,
    headers: { "X-Token": { env: "BOT_TOKEN" } },
    body: { text: "{{message}}", session: "{{session_id}}" },
    reply: "/said",
    tool_calls: "/calls",
  };
  const body = { test_batch, endpoint, model_id: "prod", attempts: 2 };
  const answered = await send(`${bound.evaluation}/evaluate`, { body });
  expect(answered.status).toBe(200);
  const { run_id, results } = EvaluationResponse.parse(answered.body);
  const attempts = results.scenarios[0]?.attempts ?? [];
  for (const { interactions: own } of attempts) {
    expect(own.map(({ agent_reply }) => agent_reply)).toEqual(["Hello 1", "Hello 2"]);
    expect(own[0]?.tool_calls).toMatchObject([{ name: "greet", arguments: { to: "you" }, result: "done" }]);
    expect(own[0]?.session_id).toBe(own[1]?.session_id);
  }
  expect(turns.size).toBe(2);
  expect(JSON.stringify(answered.body)).not.toContain(secret);

  const run = await send(`${bound.evaluation}/runs/${run_id}`);
  expect(run.body).toMatchObject({ endpoint: endpoint.url });
  const repeated = await send(`${bound.evaluation}/runs/${run_id}/request`);
  expect(repeated.body).toMatchObject({ endpoint });
  expect(repeated.body).not.toHaveProperty("protocol");
});

test("sends a bound key with no other call to its origin", async () => {
  await using upstream = await startFakeAgent(() => ({ body: {} }));
  const { url } = upstream;
  await using bound = await runServices({ KEY: secret, EVAL_CREDENTIALS: `${url}/v1=KEY` });
  const put = { method: "PUT", body: { q: "{{message}}" } };
  const post = { body: { q: "{{message}}" } };
  const calls = [
    { url: `${url}/admin/users?q={{message}}`, method: "GET" },
    { url: `${url}/v1?q={{message}}`, method: "GET" },
    { url: `${url}/v1`, ...put },
    { url: `${url}/other`, ...put },
    { url: `${url}/`, ...post },
    { url: `${url}/v1/files`, ...post },
    { url: `${url}/v1/fine_tuning/jobs/x/cancel`, ...post },
    { url: `${url}/v1/{{message}}`, ...post },
    { url: `${url}/admin/agent-card.json`, protocol: "a2a" },
  ];
  for (const call of calls) {
    const endpoint = { ...call, headers: { "x-mine": { env: "KEY" } } };
    const { status, body } = await send(`${bound.evaluation}/evaluate`, {
      body: { test_batch, endpoint, model_id: "m" },
    });
    expect([call, status, body]).toMatchObject([call, 422, { errors: [{ pointer: "/endpoint/headers/x-mine/env" }] }]);
    // A target that names no secret gets none, also at the bound path with another method.
    await send(`${bound.evaluation}/evaluate`, { body: { test_batch, endpoint: call, model_id: "m" } });
  }
  expect(upstream.requests.length).toBeGreaterThan(calls.length);
  expect(JSON.stringify(upstream.requests)).not.toContain(secret);
});

test.for([
  [
    { headers: { "x-key": { env: "PATH" } } },
    "/endpoint/headers/x-key/env",
    /^names a variable that is not bound to this call: .* EVAL_CREDENTIALS=http:\/\/127\.0\.0\.1:9\/=PATH$/,
  ],
  [
    { headers: { Authorization: "Bearer abcdef" } },
    "/endpoint/headers/Authorization",
    /^must not have its secret in the file/,
  ],
  [
    { headers: { authorization: { command: "print-token" } } },
    "/endpoint/headers/authorization/command",
    /^is accepted only in rehearsal\.yaml/,
  ],
  [
    { before: [{ url: "http://127.0.0.1:9/login", headers: { "x-key": { env: "PATH" } } }] },
    "/endpoint/before/0/headers/x-key/env",
    /^names a variable that is not bound to this call/,
  ],
  [{ after: [{ url: "http://169.254.169.254/" }] }, "/endpoint/after/0/url", /never called/],
  [{ url: "ws://169.254.169.254/" }, "/endpoint/url", /never called/],
  [{ body: { q: "{{massage}}" } }, "/endpoint/body/q", /did you mean \{\{message\}\}\?$/],
  [{ reply: "answer" }, "/endpoint/reply", /^must be a JSON pointer/],
  [{ headers: { Expect: "100-continue" } }, "/endpoint/headers/Expect", /^is set by the client itself/],
  [{ headers: { upgrade: "websocket" } }, "/endpoint/headers/upgrade", /^is set by the client itself/],
  [{ headers: { "x-team": "поддержка" } }, "/endpoint/headers/x-team", /^must be one line of Latin-1 characters/],
  [{ url: "http://169.254.169.254/" }, "/endpoint/url", /never called/],
] as const)("refuses %o", async ([given, pointer, message]) => {
  const endpoint = { url: "http://127.0.0.1:9/", body: { q: "{{message}}" }, ...given };
  const answered = await send(`${services.evaluation}/evaluate`, { body: { test_batch, endpoint, model_id: "m" } });
  const [error] = Problem.parse(answered.body).errors ?? [];
  expect(error).toEqual(expect.objectContaining({ pointer, message: expect.stringMatching(message) }));
});

test("runs no code of a request, and needs the conversation for other histories", async () => {
  const ask = async (request: object) => {
    const { body } = await send(`${services.evaluation}/evaluate`, { body: { test_batch, model_id: "m", ...request } });
    return Problem.parse(body).errors?.[0];
  };
  const refused = { code: "not_allowed", message: expect.stringContaining("only by rehearsal eval") };
  expect(await ask({ endpoint: { module: "/etc/passwd" } })).toMatchObject({ pointer: "/endpoint/module", ...refused });
  expect(await ask({ endpoint: { command: "id" } })).toMatchObject({ pointer: "/endpoint/command", ...refused });
  expect(await ask({ endpoint: "command:id", protocol: "command" })).toMatchObject({ pointer: "/protocol" });
  const stateful = { url: "http://127.0.0.1:9/", body: { q: "{{message}}" } };
  expect(await ask({ endpoint: stateful, history: "both" })).toMatchObject({ pointer: "/history", code: "conflict" });
  expect(await ask({ endpoint: 5 })).toMatchObject({ pointer: "/endpoint" });
  expect(await ask({})).toMatchObject({ pointer: "/endpoint", code: "required" });
});

test("imports the chosen conversations of traces, tags them, and stores their replies for review", async () => {
  const span = (id: string, text: string) => ({
    traceId: id,
    spanId: "a",
    name: "chat",
    startTimeUnixNano: "1790000000000000000",
    attributes: [
      { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
      { key: "gen_ai.conversation.id", value: { stringValue: id } },
      { key: "gen_ai.input.messages", value: { stringValue: JSON.stringify([{ role: "user", content: text }]) } },
      {
        key: "gen_ai.output.messages",
        value: { stringValue: JSON.stringify([{ role: "assistant", content: "Yes." }]) },
      },
    ],
  });
  const text = JSON.stringify({
    resourceSpans: [{ scopeSpans: [{ spans: [span("one", "First?"), span("two", "Second?")] }] }],
  });
  const found = await send(`${services.evaluation}/scenarios/import`, { body: { text, dry_run: true } });
  expect(found.body).toMatchObject({
    conversations: [
      { id: "one", turns: 1, first_message: "First?", taken: true },
      { id: "two", turns: 1, taken: true },
    ],
    kept: [],
  });
  const traces = { conversations: ["two"], since: "2026-01-01" };
  const stored = await send(`${services.evaluation}/scenarios/import`, { body: { text, traces, review: true } });
  expect(stored.body).toMatchObject({
    scenarios: [{ id: "two", tags: ["review"], interactions: [{ user_message: "Second?", agent_reply: "Yes." }] }],
    kept: [{ id: "two", created: true }],
  });
  const { review_run_id: run } = stored.body as { review_run_id: string };
  const queue = await send(`${services.evaluation}/runs/${run}/review?rater=ana`);
  expect(queue.body).toMatchObject({ items: [{ scenario_id: "two", reply: "Yes." }], progress: { replies: 1 } });
});

test("stores and scores recorded replies with their tool calls, and calls nothing", async () => {
  const call = { id: "c1", name: "get_order", arguments: { id: 7 }, result: { status: "sent" } };
  const turn = { id: "1", user_message: "Where is order 7?", agent_reply: "It was sent.", tool_calls: [call] };
  const recorded = { endpoint: "recorded:", protocol: "recorded", model_id: "production" };
  const scenario = { id: "order", interactions: [{ ...turn, reference_reply: "It was sent." }] };
  const body = { test_batch: scenario, ...recorded };
  const answered = await send(`${services.evaluation}/evaluate`, { body });
  const run = EvaluationResponse.parse(answered.body);
  expect(run.results.scenarios[0]?.attempts[0]?.interactions[0]).toMatchObject({
    agent_reply: "It was sent.",
    tool_calls: [call],
    scores: { exact_match: 1 },
  });
  const again = await send(`${services.evaluation}/runs/${run.run_id}/request`);
  expect(again.body).toMatchObject({
    protocol: "recorded",
    test_batch: { interactions: [{ agent_reply: "It was sent." }] },
  });
  const silent = { id: "silent", interactions: [{ id: "1", user_message: "Hi" }] };
  const refused = await send(`${services.evaluation}/evaluate`, {
    body: { test_batch: [scenario, silent], ...recorded, attempts: 2 },
  });
  expect(refused.body).toMatchObject({ errors: [{ pointer: "/attempts" }, { pointer: "/test_batch/1/interactions" }] });
});

test("evaluates our own agent by AG-UI", async () => {
  const body = {
    test_batch: { id: "sum", interactions: [{ id: "1", user_message: "What is 12 times 12? Use the calculator." }] },
    endpoint: { url: `${services.agent}/agent/ag-ui`, protocol: "ag-ui", headers: { "x-model-id": "{{model}}" } },
    model_id: "demo/scripted",
  };
  const answered = await send(`${services.evaluation}/evaluate`, { body });
  const [turn] = EvaluationResponse.parse(answered.body).results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn).toMatchObject({ error: null, agent_reply: expect.stringContaining("144") });
  expect(turn?.tool_calls).toMatchObject([{ name: "calculator", result: 144 }]);
});
