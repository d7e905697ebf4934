import { expect, test } from "vitest";
import { createPlugInRunner } from "../../src/agent/loop/plug-in.ts";
import { asksFor, failsWith, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { AgentReplay } from "../../src/contract/schemas/agent/agent-stream.ts";
import { AgentRunDetails, AgentRunList } from "../../src/contract/schemas/agent/agent-run.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { Scenario } from "../../src/contract/schemas/scenario.ts";
import { send } from "../support/http.ts";
import { human, mailTool, post, readEvents, runAgentApp, scripted } from "./agent-support.ts";

const oneTool = [{ text: "Let me see.", ...asksFor("calculator", { expression: "17 * 23" }) }, "It is 391."];

test("a run is recorded: messages, model calls, tool results, totals", async () => {
  await using agent = await runAgentApp(scripted(...oneTool).models, { price: () => ({ input: 0.01, output: 0.1 }) });
  const answer = await post(agent.url, human("17 * 23?"));
  const id = answer.headers.get("x-run-id");
  expect(answer.headers.get("x-cost")).toBe("1.2");
  const run = AgentRunDetails.parse((await send(`${agent.url}/agent/runs/${id}`)).body);
  expect(run).toMatchObject({
    id,
    state: "completed",
    wire: "agent",
    model_id: "test/model",
    finish_reason: "stop",
    text: "It is 391.",
    usage: { total_tokens: 30 },
    cost: 1.2,
    model_calls: 2,
    tool_calls: 1,
  });
  expect(run.log.map(({ type }) => type)).toEqual(["run-start", "model-call", "tool-call", "model-call", "run-end"]);
  expect(run.log[0]).toMatchObject({ messages: [{ role: "user", content: "17 * 23?" }], tools: ["calculator"] });
  expect(run.log[2]).toMatchObject({ name: "calculator", args: { expression: "17 * 23" }, ok: true, result: "391" });
});

test("a turn that costs next to nothing says so without an exponent", async () => {
  await using agent = await runAgentApp(scripted(...oneTool).models, { price: () => ({ input: 1e-9, output: 2e-9 }) });
  const answer = await post(agent.url, human("17 * 23?"));
  expect(answer.headers.get("x-cost")).toBe("0.00000004");
});

test("runs are listed newest first, page by page", async () => {
  await using agent = await runAgentApp(scripted("Hi").models);
  for (const text of ["a", "b", "c"]) await post(agent.url, human(text));
  const first = AgentRunList.parse((await send(`${agent.url}/agent/runs?limit=2`)).body);
  expect(first.runs).toHaveLength(2);
  const second = AgentRunList.parse((await send(`${agent.url}/agent/runs?limit=2&cursor=${first.next_cursor}`)).body);
  expect(second.runs).toHaveLength(1);
  expect(second.next_cursor).toBeNull();
  const times = [...first.runs, ...second.runs].map(({ id }) => id);
  expect(times).toEqual(times.toSorted().toReversed());
  expect((await send(`${agent.url}/agent/runs?limit=0`)).status).toBe(422);
  expect((await send(`${agent.url}/agent/runs/nothing`)).status).toBe(404);
});

test("a full thread says so, and what can be done", async () => {
  await using agent = await runAgentApp(scripted("Hi").models, { maxMessages: 3 });
  const turn = (messages: object) => post(agent.url, messages, { "x-thread-id": "t" });
  expect((await turn(human("a"))).status).toBe(200);
  expect((await turn(human("b"))).status).toBe(200);
  const full = await turn(human("c"));
  const { detail, hint } = Problem.parse(await full.json());
  expect([full.status, detail]).toEqual([422, expect.stringContaining("The thread t is full: it holds 4")]);
  expect(hint).toContain("new thread");
  const { messages } = human("d");
  const long = await turn({ messages: [...messages, ...messages, ...messages, ...messages] });
  expect(Problem.parse(await long.json()).detail).toContain("/messages must hold at most 3 messages");
});

test("a thread holds no more than can be sent at once", async () => {
  await using agent = await runAgentApp(scripted("Hi").models, {
    bodyLimits: { depth: 32, keys: 1000, bytes: 10_000 },
  });
  const turn = (text: string) => post(agent.url, human(text), { "x-thread-id": "t" });
  expect((await turn("a".repeat(9_000))).status).toBe(200);
  expect((await turn("b".repeat(500))).status).toBe(200);
  const full = await turn("c".repeat(500));
  const { detail } = Problem.parse(await full.json());
  expect([full.status, detail]).toEqual([
    422,
    expect.stringContaining("exceed 10000 bytes (REHEARSAL_MAX_BODY_BYTES)"),
  ]);
});

test.each([
  ["/", "/messages", { messages: Array(4).fill({ type: "human", content: "Hi" }) }],
  ["/agent/ui-messages", "/messages", { messages: Array(4).fill({ id: "1", role: "user", parts: [] }) }],
  [
    "/agent/ag-ui",
    "/messages",
    { threadId: "t", runId: "r", messages: Array(4).fill({ id: "1", role: "user", content: "Hi" }) },
  ],
])("too many messages are refused in the same words at %s", async (path, pointer, body) => {
  await using agent = await runAgentApp(scripted("Hi").models, { maxMessages: 3 });
  const answer = await post(`${agent.url}${path}`, body);
  const message = "must hold at most 3 messages (limits.max_messages)";
  expect(Problem.parse(await answer.json()).errors).toEqual([
    { pointer, code: "too_big", message, received: "4 messages" },
  ]);
});

test("a failed run is in the log with its reason", async () => {
  await using agent = await runAgentApp(scripted(failsWith("upstream_error")).models);
  const answer = await post(agent.url, human("Hi"));
  const { body } = await send(`${agent.url}/agent/runs/${answer.headers.get("x-run-id")}`);
  expect(body).toMatchObject({ state: "failed", error: { code: "upstream_error" }, text: null });
});

test("a replay goes the recorded way without any call", async () => {
  const { models, model } = scripted(...oneTool);
  await using agent = await runAgentApp(models);
  const id = (await post(agent.url, human("17 * 23?"))).headers.get("x-run-id");
  const replay = AgentReplay.parse((await send(`${agent.url}/agent/runs/${id}/replay`, { method: "POST" })).body);
  expect(replay).toMatchObject({ matches: true, divergences: [], text: "It is 391.", model_calls: 2, tool_calls: 1 });
  expect(model.requests).toHaveLength(2);
});

test("a run that met its cost limit is replayed to the same end", async () => {
  const asks = asksFor("calculator", { expression: "1" });
  const { models } = scripted(asks, asks, ({ tools }) => (tools ? asks : "Enough."));
  const price = (resolved: string) => (resolved === "test/model" ? { input: 1, output: 0 } : undefined);
  await using agent = await runAgentApp(models, { price, limits: { cost: 15 } });
  const answer = await post(agent.url, human("Go"));
  expect(answer.headers.get("x-finish-reason")).toBe("cost_limit");
  const id = answer.headers.get("x-run-id");
  const replay = AgentReplay.parse((await send(`${agent.url}/agent/runs/${id}/replay`, { method: "POST" })).body);
  expect(replay).toMatchObject({ matches: true, divergences: [], finish_reason: "cost_limit" });
});

test("a replay says where today's service would go another way", async () => {
  const tools = [mailTool([])];
  const { models } = scripted(asksFor("send_mail", { to: "a@example.org" }), "Done.");
  await using agent = await runAgentApp(models, { tools: () => tools });
  const id = (await post(agent.url, human("Mail!"))).headers.get("x-run-id");
  tools.pop();
  const { body } = await send(`${agent.url}/agent/runs/${id}/replay`, { method: "POST" });
  const replay = AgentReplay.parse(body);
  expect(replay.matches).toBe(false);
  expect(replay.divergences[0]).toContain("send_mail");
});

test("a replay never runs a plug-in, and says so", async () => {
  let turns = 0;
  const runner = createPlugInRunner(async ({ messages, ask }) => {
    turns += 1;
    return `Indeed: ${(await ask({ messages })).text}`;
  });
  await using agent = await runAgentApp(scripted("yes").models, { runner });
  const answer = await post(agent.url, human("Well?"));
  expect(await answer.json()).toMatchObject({ content: "Indeed: yes" });
  const id = answer.headers.get("x-run-id");
  const replay = AgentReplay.parse((await send(`${agent.url}/agent/runs/${id}/replay`, { method: "POST" })).body);
  expect(replay).toMatchObject({
    matches: false,
    divergences: [expect.stringContaining("plug-in"), expect.anything()],
  });
  expect(turns).toBe(1);
});

test("a recorded conversation becomes a scenario with its replies as references", async () => {
  await using agent = await runAgentApp(scripted(...oneTool).models);
  const messages = [
    { type: "human", content: "Hello" },
    { type: "ai", content: "Hello! How can I help?" },
    { type: "human", content: "Well." },
    { type: "human", content: "17 * 23?" },
  ];
  const id = (await post(agent.url, { messages })).headers.get("x-run-id");
  const scenario = Scenario.parse((await send(`${agent.url}/agent/runs/${id}/scenario`, { method: "POST" })).body);
  expect(scenario.interactions).toMatchObject([
    { user_message: "Hello", reference_reply: "Hello! How can I help?", interaction_type: "opening" },
    { user_message: "Well.\n\n17 * 23?", reference_reply: "It is 391.", interaction_type: "follow_up" },
  ]);
});

test("a reply without words is a reply: the turns around it stay apart", async () => {
  await using agent = await runAgentApp(scripted("Fine.").models);
  const messages = [
    { type: "human", content: "Pick a lock!" },
    { type: "ai", content: "" },
    { type: "human", content: "Look it up," },
    { type: "ai", content: "", tool_calls: [{ id: "c", name: "search", args: {} }] },
    { type: "tool", content: "nothing", tool_call_id: "c" },
    { type: "human", content: "please." },
  ];
  const id = (await post(agent.url, { messages })).headers.get("x-run-id");
  const scenario = Scenario.parse((await send(`${agent.url}/agent/runs/${id}/scenario`, { method: "POST" })).body);
  expect(scenario.interactions).toMatchObject([
    { user_message: "Pick a lock!", reference_reply: "" },
    { user_message: "Look it up,\n\nplease.", reference_reply: "Fine." },
  ]);
});

test("text before calls that wait for the client or for approval is no reference", async () => {
  const asksBoth = [
    { text: "Let me see.", ...asksFor("weather", { city: "Rome" }) },
    { text: "I will write.", ...asksFor("send_mail", { to: "a@b.example" }) },
  ];
  await using agent = await runAgentApp(scripted(...asksBoth).models, { tools: () => [mailTool([])] });
  const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
  const messages = [{ role: "user", content: "Hello" }];
  const theirs = await post(`${agent.url}/v1/chat/completions`, { model: "test/model", messages, tools });
  const ours = await post(agent.url, human("Hello"));
  for (const answer of [theirs, ours]) {
    const path = `/agent/runs/${answer.headers.get("x-run-id")}/scenario`;
    const scenario = Scenario.parse((await send(`${agent.url}${path}`, { method: "POST" })).body);
    expect(scenario.interactions).toMatchObject([{ user_message: "Hello", reference_reply: "" }]);
  }
});

test("a scenario made of a run keeps its system prompt, and a refusal as the reply", async () => {
  const refused: ScriptedTurn = { text: "", refusal: "I can't help with that." };
  await using agent = await runAgentApp(scripted(refused).models);
  const messages = [
    { role: "system", content: "You answer for a bakery." },
    { role: "developer", content: "Be brief." },
    { role: "user", content: "How do I pick a lock?" },
  ];
  const answer = await post(`${agent.url}/v1/chat/completions`, { model: "test/model", messages });
  const path = `/agent/runs/${answer.headers.get("x-run-id")}/scenario`;
  const scenario = Scenario.parse((await send(`${agent.url}${path}`, { method: "POST" })).body);
  expect(scenario).toMatchObject({
    system_prompt: "You answer for a bakery.\n\nBe brief.",
    interactions: [{ user_message: "How do I pick a lock?", reference_reply: "I can't help with that." }],
  });
});

test("a thread keeps the history: a turn sends only what is new", async () => {
  const { models, model } = scripted("One", "Two");
  await using agent = await runAgentApp(models);
  const thread = { "x-thread-id": "t-1" };
  await post(agent.url, human("First"), thread);
  await post(agent.url, human("Second"), thread);
  expect(model.requests[1]?.messages).toEqual([
    { role: "user", content: "First" },
    { role: "assistant", content: "One" },
    { role: "user", content: "Second" },
  ]);
  expect((await send(`${agent.url}/agent/threads/t-1`)).body).toMatchObject({
    id: "t-1",
    messages: [{ content: "First" }, { content: "One" }, { content: "Second" }, { content: "Two" }],
  });
  expect((await send(`${agent.url}/agent/runs?thread_id=t-1`)).body).toMatchObject({ runs: [{}, {}] });
  expect((await send(`${agent.url}/agent/threads/t-1`, { method: "DELETE" })).status).toBe(204);
  expect((await send(`${agent.url}/agent/threads/t-1`)).status).toBe(404);
  for (const id of ["a b", ".", ".."]) {
    expect((await post(agent.url, human("Hi"), { "x-thread-id": id })).status).toBe(400);
  }
});

test("a thread keeps what the model declined with", async () => {
  const { models, model } = scripted({ text: "", refusal: "I can't help with that." }, "Gladly.");
  await using agent = await runAgentApp(models);
  const thread = { "x-thread-id": "t" };
  await post(agent.url, human("Pick a lock!"), thread);
  await post(agent.url, human("Bake a cake!"), thread);
  expect(model.requests[1]?.messages[1]).toEqual({ role: "assistant", content: "I can't help with that." });
});

test("turns of one thread follow each other, and a failed one leaves no trace in it", async () => {
  const { models, model } = scripted(failsWith("upstream_error"), "One", "Two");
  await using agent = await runAgentApp(models);
  const thread = { "x-thread-id": "t" };
  expect((await post(agent.url, human("Lost"), thread)).status).toBe(502);
  await Promise.all([post(agent.url, human("A"), thread), post(agent.url, human("B"), thread)]);
  expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 1, 3]);
});

test("x-model-fallbacks is tried when the provider fails, and x-model-resolved tells", async () => {
  const first = scripted(failsWith("upstream_error")).model;
  const second = scripted("From the second").model;
  await using agent = await runAgentApp({ "a/first": first, "b/second": second });
  const headers = { "x-model-id": "a/first", "x-model-fallbacks": "b/second" };
  const answer = await post(agent.url, human("Hi"), headers);
  expect([answer.status, answer.headers.get("x-model-resolved")]).toEqual([200, "b/second"]);
  const events = await readEvents(await post(agent.url, human("Hi"), { ...headers, accept: "text/event-stream" }));
  expect(events.at(-1)?.data).toMatchObject({ model_resolved: "b/second" });
  expect((await post(agent.url, human("Hi"), { "x-model-id": "a/first" })).status).toBe(502);
});

test.each(["nonsense", "a/", "no/such"])("a problem with the fallback %s names its header", async (id) => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const headers = { "x-model-fallbacks": id };
  const problem = Problem.parse(await (await post(agent.url, human("Hi"), headers)).json());
  expect(problem.code).toBe(id === "no/such" ? "model_not_found" : "model_id_invalid");
  expect(problem.detail).toMatch(/^x-model-fallbacks: /);
  const chat = { model: "test/model", messages: [{ role: "user", content: "Hi" }] };
  const { error } = (await (await post(`${agent.url}/v1/chat/completions`, chat, headers)).json()) as {
    error: { message: string; param: string | null };
  };
  expect(error).toMatchObject({ message: problem.detail, param: null });
});

test("x-agent-tools narrows the tools of one turn", async () => {
  const { models, model } = scripted("Hi");
  await using agent = await runAgentApp(models);
  await post(agent.url, human("Hi"), { "x-agent-tools": "none" });
  await post(agent.url, human("Hi"), { "x-agent-tools": "calculator" });
  expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([undefined, ["calculator"]]);
  expect((await post(agent.url, human("Hi"), { "x-agent-tools": "rocket" })).status).toBe(422);
});
