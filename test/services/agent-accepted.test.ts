import { expect, test } from "vitest";
import { asksFor, failsWith, scriptedModel, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { defineTool, type Tool } from "../../src/agent/tools/tool.ts";
import { AgentRunDetails, AgentRunSummary } from "../../src/contract/schemas/agent/agent-run.ts";
import { createAgentClient } from "../../src/client/agent-client.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ask, called, hanging, kill, runOf, world } from "./agent-processes.ts";
import { human, mailTool, post, readEvents, runAgentApp, scripted } from "./agent-support.ts";

const key = { "idempotency-key": "k" };
const thread = { "x-thread-id": "talk" };
const respondAsync = { prefer: "respond-async" };

/** A tool that counts its calls. */
function countingTool({ idempotent = false, run = () => "done" }: { idempotent?: boolean; run?: () => unknown } = {}) {
  let calls = 0;
  const tool = defineTool({
    name: "act",
    description: "Acts.",
    parameters: { type: "object", properties: {} },
    idempotent,
    run: () => {
      calls += 1;
      return run();
    },
  });
  return { tool, calls: () => calls };
}

/** No process has this id: every other one takes it for dead. */
const deadPid = 4_000_000;

/** Two agents on one file. The first one counts as dead while it still works, so that the second takes its turns over. */
async function twoAgents(
  { first, second, tools = [] }: { first: ScriptedTurn[]; second: ScriptedTurn[]; tools?: readonly Tool[] },
  more: { firstTools?: readonly Tool[] } = {},
) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const file = folder.file("rehearsal.db");
  const storages = [await openSqlite({ file, pid: deadPid }), await openSqlite({ file })] as const;
  for (const storage of storages) opened.defer(() => storage.close());
  const models = [scriptedModel(...first), scriptedModel(...second)] as const;
  const start = async (index: 0 | 1, offered: readonly Tool[]) =>
    opened.use(
      await runAgentApp({ "test/model": models[index] }, { memory: storages[index].agent, tools: () => offered }),
    );
  const agents = [await start(0, more.firstTools ?? tools), await start(1, tools)] as const;
  const parts = opened.move();
  return { agents, models, storages, file, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** A turn that tells when it is asked, and never answers. */
function never(): { asked: Promise<void>; turn: ScriptedTurn } {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  return {
    asked,
    turn: (_request, { signal }) => {
      resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  };
}

const ended = async (url: string): Promise<AgentRunDetails> => {
  for (;;) {
    const run = AgentRunDetails.parse((await send(url)).body);
    if (run.state !== "running") return run;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

test("a turn whose process died goes on in another, with the same run and without repeating a step", async () => {
  const { asked, turn } = never();
  const { tool, calls } = countingTool();
  await using place = await twoAgents({ first: [asksFor("act"), turn], second: ["Done."], tools: [tool] });
  const [here, there] = place.agents;
  const lost = post(here.url, human("Act"), { ...thread, ...key }).catch(() => null);
  await asked;

  const answer = await post(there.url, human("Act"), { ...thread, ...key });
  expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(await answer.json()).toMatchObject({ content: "Done." });
  expect([calls(), place.models[0].requests.length, place.models[1].requests.length]).toEqual([1, 2, 1]);
  expect(answer.headers.get("x-tool-calls")).toBe("1");
  const run = await ended(`${there.url}/agent/runs/${answer.headers.get("x-run-id")}`);
  expect(run).toMatchObject({ state: "completed", model_calls: 2, tool_calls: 1 });
  expect(run.log.filter(({ type }) => type === "run-start").at(-1)).toMatchObject({ recovered: true });
  const replay = await send(`${there.url}/agent/runs/${run.id}/replay`, { method: "POST" });
  expect(replay.body).toMatchObject({ matches: true });
  expect((await send(`${there.url}/agent/threads/talk`)).body).toMatchObject({
    messages: [{ content: "Act" }, { content: "Done." }],
  });
  void lost;
});

test.each([
  { name: "is reported as uncertain", idempotent: false, made: 1, read: "It is not known" },
  { name: "is made again if its tool is idempotent", idempotent: true, made: 2, read: "done" },
])("a call in progress when its process died $name", async ({ idempotent, made, read }) => {
  const begun = Promise.withResolvers<void>();
  const stuck = countingTool({
    idempotent,
    run: () => {
      begun.resolve();
      return new Promise(() => {});
    },
  });
  const { tool, calls } = countingTool({ idempotent });
  await using place = await twoAgents(
    { first: [asksFor("act")], second: ["Done."], tools: [tool] },
    { firstTools: [stuck.tool] },
  );
  const lost = post(place.agents[0].url, human("Act"), key).catch(() => null);
  await begun.promise;
  const answer = await post(place.agents[1].url, human("Act"), key);
  expect(await answer.json()).toMatchObject({ content: "Done." });
  expect(stuck.calls() + calls()).toBe(made);
  expect(place.models[1].requests[0]?.messages.at(-1)?.content).toContain(read);
  void lost;
});

test("a new turn of a thread comes after the accepted one whose process died", async () => {
  const { asked, turn } = never();
  await using place = await twoAgents({ first: [turn], second: ["First.", "Second."] });
  const lost = post(place.agents[0].url, human("One"), thread).catch(() => null);
  await asked;
  const answer = await post(place.agents[1].url, human("Two"), thread);
  expect(await answer.json()).toMatchObject({ content: "Second." });
  expect(place.models[1].requests[1]?.messages.map(({ content }) => content)).toEqual(["One", "First.", "Two"]);
  expect((await send(`${place.agents[1].url}/agent/threads/talk`)).body).toMatchObject({
    messages: [{ content: "One" }, { content: "First." }, { content: "Two" }, { content: "Second." }],
  });
  void lost;
});

test("an accepted turn of a thread that was deleted is finished, and adds nothing", async () => {
  const { asked, turn } = never();
  await using place = await twoAgents({ first: ["Hello.", turn], second: ["Late."] });
  const [here, there] = place.agents;
  await post(here.url, human("One"), thread);
  const lost = post(here.url, human("Two"), { ...thread, ...key }).catch(() => null);
  await asked;
  expect((await send(`${there.url}/agent/threads/talk`, { method: "DELETE" })).status).toBe(204);
  expect(await (await post(there.url, human("Two"), { ...thread, ...key })).json()).toMatchObject({ content: "Late." });
  expect((await send(`${there.url}/agent/threads/talk`)).status).toBe(404);
  void lost;
});

test("without a client to ask for it, a turn is found and finished by a process that looks for such turns", async () => {
  const { asked, turn } = never();
  await using place = await twoAgents({ first: [turn], second: ["Found."] });
  const accepted = await post(place.agents[0].url, human("Hi"), respondAsync);
  await asked;
  const stop = new AbortController();
  const watching = place.agents[1].turns.recoverUntil(stop.signal);
  const run = await ended(place.agents[1].url + (accepted.headers.get("location") ?? ""));
  expect(run).toMatchObject({ state: "completed", text: "Found.", message: { content: "Found.", type: "ai" } });
  stop.abort();
  await watching;
  const left = await place.storages[1].agent.openRuns.lost();
  expect(left).toEqual([]);
});

test("a turn that ends every process that takes it has failed after twenty of them, and its key says so", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  await using kept = new AsyncDisposableStack();
  const dying = async (index: number) => {
    const storage = await openSqlite({ file, pid: deadPid + index });
    kept.defer(() => storage.close());
    return storage.agent;
  };
  const { asked, turn } = never();
  const first = kept.use(await runAgentApp(scripted(turn).models, { memory: await dying(0) }));
  const accepted = await post(first.url, human("Hi"), { ...key, ...respondAsync });
  await asked;
  for (let index = 1; index < 20; index += 1) {
    const { openRuns } = await dying(index);
    expect(await openRuns.recover(accepted.headers.get("x-run-id") ?? "")).toMatchObject({ tries: index });
  }
  await using storage = await openSqlite({ file });
  await using agent = await runAgentApp(scripted("Hi").models, { memory: storage.agent });
  for (let count = 0; count < 2; count += 1) {
    const answer = await post(agent.url, human("Hi"), key);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({
      code: "internal_error",
      detail: expect.stringContaining("interrupted 20 times"),
    });
  }
});

test.each([
  { after: "a tool call", first: [asksFor("act"), failsWith("upstream_error")], status: 502, calls: 1 },
  {
    after: "a request that fails every time",
    first: [{ ...failsWith("upstream_auth"), error: { ...failsWith("upstream_auth").error, retryable: false } }],
    status: 502,
    calls: 0,
  },
])("a failure after $after is stored under its key", async ({ first, status, calls: made }) => {
  const { tool, calls } = countingTool();
  const { models, model } = scripted(...first, "Never asked.");
  await using agent = await runAgentApp(models, { tools: () => [tool] });
  const answers = [await post(agent.url, human("Act"), key), await post(agent.url, human("Act"), key)];
  const [one, two] = await Promise.all(answers.map((answer) => answer.json() as Promise<Record<string, unknown>>));
  expect(answers.map((answer) => answer.status)).toEqual([status, status]);
  expect([two?.["code"], two?.["detail"]]).toEqual([one?.["code"], one?.["detail"]]);
  expect(answers[1]?.headers.get("x-run-id")).toBe(answers[0]?.headers.get("x-run-id"));
  expect(answers.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
  expect([calls(), model.requests.length]).toEqual([made, first.length]);
  const events = await readEvents(await post(agent.url, human("Act"), { ...key, accept: "text/event-stream" }));
  expect(events.map(({ event }) => event)).toEqual(["run-start", "error"]);
  expect(events.at(-1)?.data).toMatchObject({ code: one?.["code"], detail: one?.["detail"], status });
});

test("a tool call of a process that died counts, even when the next one fails before it comes to that call", async () => {
  const { asked, turn } = never();
  const { tool, calls } = countingTool();
  await using place = await twoAgents({ first: [asksFor("act"), turn], second: [], tools: [tool] });
  const lost = post(place.agents[0].url, human("Act"), key).catch(() => null);
  await asked;
  const runner = () => Promise.reject(new Error("not ready"));
  const { models, model } = scripted(asksFor("act"), "Done.");
  await using next = await runAgentApp(models, { memory: place.storages[1].agent, tools: () => [tool], runner });
  const answers = [await post(next.url, human("Act"), key), await post(place.agents[1].url, human("Act"), key)];
  expect(answers.map(({ status }) => status)).toEqual([500, 500]);
  expect(answers[1]?.headers.get("idempotent-replayed")).toBe("true");
  expect([calls(), model.requests.length]).toEqual([1, 0]);
  void lost;
});

test("respond-async answers before the turn ends; its run has the whole response", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: ScriptedTurn = async () => {
    asked.resolve();
    await release.promise;
    return "Later.";
  };
  await using agent = await runAgentApp(scripted(slow).models);
  const accepted = await post(agent.url, human("Hi"), { ...respondAsync, ...key });
  expect([accepted.status, accepted.headers.get("preference-applied")]).toEqual([202, "respond-async"]);
  const { id, state } = AgentRunSummary.parse(await accepted.json());
  expect([accepted.headers.get("location"), state]).toEqual([`/agent/runs/${id}`, "running"]);
  await asked.promise;
  const again = await post(agent.url, human("Hi"), { ...respondAsync, ...key });
  expect([again.status, again.headers.get("location"), again.headers.get("idempotent-replayed")]).toEqual([
    202,
    `/agent/runs/${id}`,
    "true",
  ]);
  release.resolve();
  const run = await ended(`${agent.url}/agent/runs/${id}`);
  expect(run).toMatchObject({ state: "completed", text: "Later.", message: { content: "Later.", id: `run--${id}` } });
  const stored = await post(agent.url, human("Hi"), key);
  expect(await stored.json()).toEqual(run.message);
});

test("the client starts a run, reads it, and cancels another", async () => {
  const { asked, turn } = never();
  await using agent = await runAgentApp(scripted("Hello.", turn).models);
  const client = createAgentClient({ url: agent.url });
  const started = await client.start([{ type: "human", content: "Hi" }], { modelId: "test/model" });
  expect((await ended(`${agent.url}/agent/runs/${started.id}`)).message?.content).toBe("Hello.");
  const second = await client.start([{ type: "human", content: "Hi" }], { modelId: "test/model", idempotencyKey: "k" });
  await asked;
  expect(await client.cancel(second.id)).toMatchObject({ id: second.id, state: "cancelled" });
  const repeated = await post(agent.url, human("Hi"), key);
  expect([repeated.status, await repeated.json()]).toMatchObject([409, { code: "run_cancelled" }]);
  await expect(client.cancel(second.id)).rejects.toMatchObject({ status: 409 });
  await expect(client.cancel("nothing")).rejects.toMatchObject({ status: 404 });
});

test("a run of another process is cancelled before its next step", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: ScriptedTurn = async () => {
    asked.resolve();
    await release.promise;
    return asksFor("act");
  };
  const { tool, calls } = countingTool();
  await using place = await twoAgents({ first: [slow, "Done."], second: [], tools: [tool] });
  const answer = post(place.agents[0].url, human("Act"), key);
  await asked.promise;
  const { runs } = (await send(`${place.agents[0].url}/agent/runs`)).body as { runs: { id: string }[] };
  const cancelled = await send(`${place.agents[1].url}/agent/runs/${runs[0]?.id}/cancel`, { method: "POST" });
  expect(cancelled.status).toBe(202);
  release.resolve();
  expect([(await answer).status, await (await answer).json()]).toMatchObject([409, { code: "run_cancelled" }]);
  expect(calls()).toBe(0);
  expect(await ended(`${place.agents[0].url}/agent/runs/${runs[0]?.id}`)).toMatchObject({ state: "cancelled" });
});

test("an accepted turn waits for approval, in whatever process, and its steps before are not mixed with those after", async () => {
  const sent: unknown[] = [];
  const { asked, turn } = never();
  const { tool, calls } = countingTool();
  const mail = asksFor("send_mail", { to: "a@example.org" }, "call_1");
  await using place = await twoAgents({
    first: [asksFor("act"), turn],
    second: [mail, asksFor("act"), "Sent."],
    tools: [tool, mailTool(sent)],
  });
  const [here, there] = place.agents;
  const lost = post(here.url, human("Mail"), { ...thread, ...key }).catch(() => null);
  await asked;
  const waiting = await post(there.url, human("Mail"), { ...thread, ...key });
  const { tool_calls } = (await waiting.json()) as { tool_calls: { id: string }[] };
  expect((await post(there.url, human("More"), thread)).status).toBe(409);
  const resumed = await post(`${there.url}/agent/runs/${waiting.headers.get("x-run-id")}/resume`, {
    decisions: { [tool_calls[0]!.id]: "approve" },
  });
  expect(await resumed.json()).toMatchObject({ content: "Sent." });
  expect([sent.length, calls()]).toEqual([1, 2]);
  expect((await send(`${there.url}/agent/threads/talk`)).body).toMatchObject({
    messages: [{ content: "Mail" }, { content: "Sent." }],
  });
  void lost;
});

test("a run that waits for approval can be cancelled", async () => {
  const sent: unknown[] = [];
  const { models } = scripted(asksFor("send_mail", { to: "a@example.org" }, "call_1"));
  await using agent = await runAgentApp(models, { tools: () => [mailTool(sent)] });
  const waiting = await post(agent.url, human("Mail"), thread);
  const run = `${agent.url}/agent/runs/${waiting.headers.get("x-run-id")}`;
  expect((await send(`${run}/cancel`, { method: "POST" })).body).toMatchObject({ state: "cancelled" });
  expect((await post(`${run}/resume`, { decisions: { call_1: "approve" } })).status).toBe(409);
  expect(sent).toEqual([]);
});

test("nothing of a turn is left in the open runs when it has ended", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const { tool } = countingTool();
  await using agent = await runAgentApp(scripted(asksFor("act"), "Done.", failsWith("upstream_error")).models, {
    memory: storage.agent,
    tools: () => [tool],
  });
  const answer = await post(agent.url, human("Act"), { ...thread, ...key });
  await post(agent.url, human("Again"), { ...key, "idempotency-key": "k2" });
  expect(await storage.agent.openRuns.ofThread({ owner: null, id: "talk" })).toBeNull();
  expect(await storage.agent.openRuns.cancel(answer.headers.get("x-run-id") ?? "", null)).toBe(false);
});

// Real processes from here on.

const act: Behaviour = toolCalls({ name: "thank", arguments: {} });

test("kill -9 during a model call and again during a tool call: one answer, each call made once", async () => {
  await using place = await world("SQLite");
  const first = await place.start();
  const [model, shop] = [hanging(), hanging()];
  place.provider.enqueue(act, model.behaviour);
  const accepted = await ask(first.agent, "Thank them", { ...thread, ...key, ...respondAsync });
  expect(accepted.status).toBe(202);
  await model.arrived;
  await kill(first);

  const second = await place.start();
  place.shop.enqueue(shop.behaviour);
  // The model is asked again for the reply that was cut off, and asks for something else: a call that can be repeated.
  place.provider.enqueue(toolCalls({ name: "look", arguments: {} }), text("Thanked."));
  await shop.arrived;
  await kill(second);

  await using third = await place.startHere();
  const answer = await ask(third.agent, "Thank them", { ...thread, ...key });
  expect([answer.body, answer.headers.get("x-run-id")]).toMatchObject([
    { content: "Thanked." },
    accepted.headers.get("x-run-id"),
  ]);
  expect(place.shop.requests.map(({ path }) => path)).toEqual(["/thanks", "/goods", "/goods"]);
  expect(called(place.provider)).toHaveLength(4);
  expect(await runOf(third.agent, accepted.headers.get("x-run-id"))).toMatchObject({
    state: "completed",
    message: { content: "Thanked." },
    tool_calls: 2,
  });
});

test.each(["SQLite", "PostgreSQL"] as const)(
  "two processes on %s that get one key at once run one turn and give one answer, also when the first is killed",
  async (database) => {
    await using place = await world(database);
    const first = await place.start();
    await using second = await place.startHere();
    const { arrived, behaviour } = hanging();
    place.provider.enqueue(act, behaviour, text("Thanked."));
    const sent = [
      ask(first.agent, "Thank them", { ...thread, ...key }).catch(() => null),
      arrived.then(() => ask(second.agent, "Thank them", { ...thread, ...key })),
    ];
    await arrived;
    const elsewhere = await ask(second.agent, "Thank them", { ...thread, ...key, ...respondAsync });
    expect(elsewhere.status).toBe(202);
    await kill(first);
    const [lost, answer] = await Promise.all(sent);
    expect([lost, answer?.body, answer?.headers.get("x-run-id")]).toMatchObject([
      null,
      { content: "Thanked." },
      elsewhere.headers.get("x-run-id"),
    ]);
    expect(place.shop.requests).toHaveLength(1);
    expect((await send(`${second.agent}/agent/threads/talk`)).body).toMatchObject({
      messages: [{ content: "Thank them" }, { content: "Thanked." }],
    });
  },
);
