import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { after, type Behaviour } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { isDeep } from "../support/sizes.ts";
import type { StalledWrite } from "../support/stalled-writes.ts";
import { ask, called, hanging, kill, runOf, world } from "./agent-processes.ts";

/** A run that waits for approval in the thread `talk`, and what decides about it at any process. */
async function waitingRun(place: Awaited<ReturnType<typeof world>>, agent: string) {
  place.provider.enqueue(toolCalls({ name: "order", arguments: {} }));
  const answer = await ask(agent, "Order it", { "x-thread-id": "talk" });
  const id = answer.headers.get("x-run-id");
  const [call] = (answer.body as { tool_calls: { id: string }[] }).tool_calls;
  const decide = (at: string, decision: unknown = "approve") =>
    send(`${at}/agent/runs/${id}/resume`, { body: { decisions: { [String(call?.id)]: decision } } });
  return { id, decide };
}

const databases = isDeep ? (["SQLite", "PostgreSQL"] as const) : (["SQLite"] as const);

describe.each(databases)("on %s", (database) => {
  test("kill -9 loses no thread, no stored answer and no run", async () => {
    await using place = await world(database);
    const first = await place.start();
    const answer = await ask(first.agent, "One", { "x-thread-id": "talk", "idempotency-key": "k" });
    expect(answer.status).toBe(200);
    const id = answer.headers.get("x-run-id");
    // A read writes what still waits to be written.
    await runOf(first.agent, id);
    await kill(first);

    await using second = await place.startHere();
    const again = await ask(second.agent, "One", { "x-thread-id": "talk", "idempotency-key": "k" });
    expect(again.body).toEqual(answer.body);
    expect([again.headers.get("x-run-id"), again.headers.get("idempotent-replayed")]).toEqual([id, "true"]);
    expect(called(place.provider)).toHaveLength(1);
    const other = await ask(second.agent, "Another body", { "idempotency-key": "k" });
    expect(other.status).toBe(422);

    await ask(second.agent, "Two", { "x-thread-id": "talk" });
    const sent = called(place.provider)[1]?.body?.["messages"] as { content: string }[];
    expect(sent.map(({ content }) => content)).toEqual(["One", "You said: One", "Two"]);
    const run = await runOf(second.agent, id);
    expect(run).toMatchObject({ state: "completed", thread_id: "talk", text: "You said: One" });
    const replay = await send(`${second.agent}/agent/runs/${id}/replay`, { method: "POST" });
    expect(replay.body).toMatchObject({ matches: true });
    const scenario = await send(`${second.agent}/agent/runs/${id}/scenario`, { method: "POST" });
    expect(scenario.body).toMatchObject({ interactions: [{ user_message: "One", reference_reply: "You said: One" }] });
    const kept = await send(`${second.evaluation}/scenarios/run-${id}`);
    expect(kept.body).toMatchObject({
      scenario: scenario.body,
      version: scenario.headers.get("x-scenario-version"),
    });
  });

  test.each<StalledWrite>([
    { table: "agent_answer", event: "update" },
    { table: "agent_thread_part", event: "insert" },
  ])("kill -9 at the $event of $table: the turn is in its thread once, without another call", async (write) => {
    await using place = await world(database);
    const [arrived, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    place.provider.enqueue(async (call) => {
      arrived.resolve();
      await goOn.promise;
      return text("Hello.")(call);
    });
    await using first = await place.start();
    const headers = { "x-thread-id": "talk", "idempotency-key": "k" };
    const lost = ask(first.agent, "One", headers).catch(() => null);
    await arrived.promise;
    const stall = await place.stall(first, write);
    goOn.resolve();
    await stall.reached();
    await kill(first);
    await stall.end();
    expect(await lost).toBeNull();

    await using second = await place.startHere();
    const answer = await ask(second.agent, "One", headers);
    expect(answer.body).toMatchObject({ content: "Hello." });
    expect((await ask(second.agent, "One", headers)).body).toEqual(answer.body);
    expect(called(place.provider)).toHaveLength(1);
    expect((await send(`${second.agent}/agent/threads/talk`)).body).toMatchObject({
      messages: [{ content: "One" }, { content: "Hello." }],
    });
  });

  test("kill -9 after the approved call: the decision is sent again, and the call is not made again", async () => {
    await using place = await world(database);
    const first = await place.start();
    const { id, decide } = await waitingRun(place, first.agent);
    const { arrived, behaviour } = hanging();
    place.provider.enqueue(behaviour, text("Ordered."));
    const lost = decide(first.agent).catch(() => null);
    await arrived;
    await kill(first);
    expect(await lost).toBeNull();

    await using second = await place.startHere();
    const refused = await decide(second.agent, "deny");
    expect(refused).toMatchObject({ status: 422, body: { hint: expect.stringContaining("approve") } });
    const resumed = await decide(second.agent);
    expect(resumed.body).toMatchObject({ content: "Ordered." });
    expect(resumed.headers.get("x-tool-calls")).toBe("1");
    expect(place.shop.requests).toHaveLength(1);
    expect((await decide(second.agent)).status).toBe(409);
    expect(await runOf(second.agent, id)).toMatchObject({ state: "completed", error: null, tool_calls: 1 });
    const replay = await send(`${second.agent}/agent/runs/${id}/replay`, { method: "POST" });
    expect(replay.body).toMatchObject({ matches: true });
    expect((await send(`${second.agent}/agent/threads/talk`)).body).toMatchObject({
      messages: [{ content: "Order it" }, { content: "Ordered." }],
    });
  });

  test("a killed process leaves its idempotency key, thread and run to the next", async () => {
    await using place = await world(database);
    const arrived = Promise.withResolvers<void>();
    place.provider.enqueue((call) => {
      arrived.resolve();
      return after(60_000, text("never"))(call);
    });
    const first = await place.start();
    const headers = { "x-thread-id": "talk", "idempotency-key": "k" };
    const lost = ask(first.agent, "One", headers).catch(() => null);
    await arrived.promise;
    // The list writes the beginning of the run.
    const { runs } = (await send(`${first.agent}/agent/runs`)).body as { runs: { id: string }[] };
    await kill(first);
    await lost;

    await using second = await place.startHere();
    expect((await ask(second.agent, "One", headers)).body).toMatchObject({ content: "You said: One" });
    expect(await runOf(second.agent, runs[0]?.id)).toMatchObject({ state: "completed", text: "You said: One" });
  });
});

// The conformance suites hold both drivers to what the following tests need of a store.

test("a run that waits for approval is resumed after kill -9, once", async () => {
  await using place = await world("SQLite");
  place.provider.enqueue(toolCalls({ name: "order", arguments: {} }), text("Ordered."));
  const first = await place.start();
  const answer = await ask(first.agent, "Order it", { "x-thread-id": "talk" });
  const { tool_calls } = answer.body as { tool_calls: { id: string }[] };
  expect(tool_calls).toHaveLength(1);
  await kill(first);

  await using second = await place.startHere();
  const decide = () =>
    send(`${second.agent}/agent/runs/${answer.headers.get("x-run-id")}/resume`, {
      body: { decisions: { [String(tool_calls[0]?.id)]: "approve" } },
    });
  expect((await decide()).body).toMatchObject({ content: "Ordered." });
  expect(place.shop.requests).toHaveLength(1);
  expect((await decide()).status).toBe(409);
  expect(await runOf(second.agent, answer.headers.get("x-run-id"))).toMatchObject({ state: "completed" });
  expect((await send(`${second.agent}/agent/threads/talk`)).body).toMatchObject({
    messages: [{ content: "Order it" }, { content: "Ordered." }],
  });
});

test("tools that ran before a hand-over to client tools are not called again after kill -9", async () => {
  await using place = await world("SQLite");
  const wanted = [
    { name: "thank", arguments: {}, id: "call_1" },
    { name: "weather", arguments: {}, id: "call_2" },
  ];
  // Asks for whatever it does not see done.
  const behaviour: Behaviour = (call) => {
    const messages = call.request.body?.["messages"] as { role: string; tool_call_id?: string }[];
    const done = new Set(messages.flatMap(({ role, tool_call_id }) => (role === "tool" ? tool_call_id : [])));
    const open = wanted.filter(({ id }) => !done.has(id));
    return (open.length > 0 ? toolCalls(...open) : text("Thanked, and it is sunny."))(call);
  };
  place.provider.enqueue(behaviour, behaviour);
  const complete = async (agent: string, messages: unknown[]) => {
    const tools = [{ type: "function", function: { name: "weather" } }];
    const body = { model: "hub/model", tools, messages };
    const completion = (await send(`${agent}/v1/chat/completions`, { body })).body as OpenAI.ChatCompletion;
    return completion.choices[0]?.message;
  };
  const question = { role: "user", content: "Thank them, and tell me the weather." };
  const first = await place.start();
  const asked = await complete(first.agent, [question]);
  expect(asked?.tool_calls).toMatchObject([{ function: { name: "weather" } }]);
  await kill(first);

  await using second = await place.startHere();
  const result = { role: "tool", tool_call_id: asked?.tool_calls?.[0]?.id, content: "sunny" };
  expect((await complete(second.agent, [question, asked, result]))?.content).toBe("Thanked, and it is sunny.");
  expect(place.shop.requests).toHaveLength(1);
});

test("kill -9 during an approved call: the call is not repeated, and the model learns that its outcome is unknown", async () => {
  await using place = await world("SQLite");
  const first = await place.start();
  const { id, decide } = await waitingRun(place, first.agent);
  const { arrived, behaviour } = hanging();
  place.shop.enqueue(behaviour);
  const lost = decide(first.agent).catch(() => null);
  await arrived;
  // The log is written behind the run; a read flushes it first.
  expect(await runOf(first.agent, id)).toMatchObject({ state: "running" });
  await kill(first);
  expect(await lost).toBeNull();

  await using second = await place.startHere();
  let run = await runOf(second.agent, id);
  while (run.state === "running") run = await runOf(second.agent, id);
  expect(run).toMatchObject({ state: "waiting", error: { detail: expect.stringContaining("again") } });
  place.provider.enqueue(text("I do not know."));
  expect((await decide(second.agent)).body).toMatchObject({ content: "I do not know." });
  expect(place.shop.requests).toHaveLength(1);
  const told = called(place.provider).at(-1)?.body?.["messages"] as { content: string }[];
  expect(told.at(-1)?.content).toContain("It is not known whether this call was carried out");
  expect(await runOf(second.agent, id)).toMatchObject({ state: "completed" });
});

test("a stop in the middle of the approved call is no worse than a kill", async () => {
  await using place = await world("SQLite");
  const first = await place.start({ REHEARSAL_SHUTDOWN_GRACE_MS: "100" });
  const { id, decide } = await waitingRun(place, first.agent);
  const { arrived, behaviour } = hanging();
  place.shop.enqueue(behaviour);
  const waiting = decide(first.agent);
  await arrived;
  first.child.kill("SIGTERM");
  expect((await waiting).body).toMatchObject({ status: 503, code: "shutting_down" });
  expect(await first.ended).toBe(0);

  await using second = await place.startHere();
  let run = await runOf(second.agent, id);
  while (run.state === "running") run = await runOf(second.agent, id);
  expect(run).toMatchObject({ state: "waiting" });
  place.provider.enqueue(text("I do not know."));
  expect((await decide(second.agent)).body).toMatchObject({ content: "I do not know." });
  expect(place.shop.requests).toHaveLength(1);
  expect(await runOf(second.agent, id)).toMatchObject({ state: "completed" });
});

test("kill -9 in a later step: neither the model's replies nor its calls are asked for again", async () => {
  await using place = await world("SQLite");
  const first = await place.start();
  const { decide } = await waitingRun(place, first.agent);
  const { arrived, behaviour } = hanging();
  place.provider.enqueue(toolCalls({ name: "thank", arguments: {} }));
  place.shop.enqueue(({ response }) => void response.end("ordered"), behaviour);
  const lost = decide(first.agent).catch(() => null);
  await arrived;
  await kill(first);
  expect(await lost).toBeNull();

  await using second = await place.startHere();
  place.provider.enqueue(text("Ordered."));
  expect((await decide(second.agent)).body).toMatchObject({ content: "Ordered." });
  expect(place.shop.requests.map(({ path }) => path)).toEqual(["/orders", "/thanks"]);
  expect(called(place.provider)).toHaveLength(3);
  const told = called(place.provider).at(-1)?.body?.["messages"] as { role: string; content: string }[];
  expect(told.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
    expect.stringContaining("ordered"),
    expect.stringContaining("It is not known"),
  ]);
});

test("a stop waits for a turn whose client has disconnected", async () => {
  await using place = await world("SQLite");
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  place.provider.enqueue(async (call) => {
    arrived.resolve();
    await released.promise;
    return text("Done")(call);
  });
  const first = await place.start();
  const client = new AbortController();
  const turn = fetch(`${first.agent}/`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-model-id": "hub/model",
      "x-thread-id": "talk",
      "x-on-disconnect": "continue",
    },
    body: JSON.stringify({ messages: [{ type: "human", content: "One" }] }),
    signal: client.signal,
  }).catch(() => null);
  await arrived.promise;
  client.abort();
  await turn;
  first.child.kill("SIGTERM");
  released.resolve();
  expect(await first.ended).toBe(0);

  await using second = await place.startHere();
  const { messages } = (await send(`${second.agent}/agent/threads/talk`)).body as { messages: unknown[] };
  expect(messages).toHaveLength(2);
});

test("a stop after the grace time answers 503, and leaves only accepted turns to the next process", async () => {
  await using place = await world("SQLite");
  const arrived = [0, 1, 2].map(() => Promise.withResolvers<void>());
  for (const { resolve } of arrived) {
    place.provider.enqueue(() => {
      resolve();
      return new Promise<void>(() => {});
    });
  }
  const first = await place.start({ REHEARSAL_SHUTDOWN_GRACE_MS: "100" });
  const client = new AbortController();
  const turn = (headers: Record<string, string>, signal?: AbortSignal) =>
    fetch(`${first.agent}/`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-model-id": "hub/model", ...headers },
      body: JSON.stringify({ messages: [{ type: "human", content: "One" }] }),
      ...(signal && { signal }),
    });
  const left = turn({ "x-on-disconnect": "continue" }, client.signal).catch(() => null);
  const waiting = turn({ "idempotency-key": "k" });
  const stream = turn({ accept: "text/event-stream" }).then((response) => response.text());
  await Promise.all(arrived.map(({ promise }) => promise));
  client.abort();
  await left;
  first.child.kill("SIGTERM");
  expect(await (await waiting).json()).toMatchObject({ status: 503, code: "shutting_down" });
  expect(await stream).toContain('"code":"shutting_down"');
  expect(await first.ended).toBe(0);

  await using second = await place.startHere();
  const { runs } = (await send(`${second.agent}/agent/runs`)).body as { runs: unknown[] };
  const cancelled = { state: "cancelled", model_calls: 1 };
  const ended = runs.filter((run) => (run as { state: string }).state === "cancelled");
  expect(ended).toMatchObject([cancelled, cancelled]);
  expect(runs).toHaveLength(3);
  const repeated = await ask(second.agent, "One", { "idempotency-key": "k" });
  expect([repeated.status, repeated.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
});

test("two processes on one PostgreSQL share threads, answers, runs and approvals", async () => {
  await using place = await world("PostgreSQL");
  await using here = await place.start();
  await using there = await place.startHere();
  const answer = await ask(here.agent, "One", { "x-thread-id": "talk", "idempotency-key": "k" });
  const again = await ask(there.agent, "One", { "x-thread-id": "talk", "idempotency-key": "k" });
  expect(again.body).toEqual(answer.body);

  // Turns of one thread follow each other, wherever they come in.
  place.provider.enqueue(after(200, text("Slow.")));
  const slow = ask(here.agent, "Two", { "x-thread-id": "talk" });
  while (called(place.provider).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await ask(there.agent, "Three", { "x-thread-id": "talk" });
  await slow;
  const last = called(place.provider).at(-1)?.body?.["messages"] as { content: string }[];
  expect(last.map(({ content }) => content)).toEqual(["One", "You said: One", "Two", "Slow.", "Three"]);

  place.provider.enqueue(toolCalls({ name: "order", arguments: {} }), text("Ordered."));
  const waiting = await ask(here.agent, "Order it");
  const { tool_calls } = waiting.body as { tool_calls: { id: string }[] };
  const resumed = await send(`${there.agent}/agent/runs/${waiting.headers.get("x-run-id")}/resume`, {
    body: { decisions: { [String(tool_calls[0]?.id)]: "approve" } },
  });
  expect(resumed.body).toMatchObject({ content: "Ordered." });
  const { log } = await runOf(there.agent, waiting.headers.get("x-run-id"));
  expect(log.map(({ type }) => type)).toEqual([
    "run-start",
    "model-call",
    "run-end",
    "run-resume",
    "tool-call",
    "model-call",
    "run-end",
  ]);
});
