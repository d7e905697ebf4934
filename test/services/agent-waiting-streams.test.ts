import { expect, test } from "vitest";
import { asksFor, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { createActiveTurns } from "../../src/services/agent/turns/active-turns.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { human, mailTool, parseEvents, post, runAgentApp, scripted } from "./agent-support.ts";

const events = { accept: "text/event-stream" };
const inThread = { "x-thread-id": "t" };
/** Opened as soon as there is a wait at all. */
const impatient = { patienceMs: 0 };

/** A turn that is under way until it is released. */
function held(answer: ReturnType<typeof asksFor> | string = "First.") {
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const turn: ScriptedTurn = async () => {
    started.resolve();
    await released.promise;
    return answer;
  };
  return { turn, started: started.promise, release: () => released.resolve() };
}

/** The first piece of an answer, and a function that gives everything, the first piece included. */
async function firstPiece({ body }: Response) {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  const { value: first = "" } = await reader.read();
  const rest = async () => {
    let text = first;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
    return text;
  };
  return { first, rest };
}

const isComment = (text: string) => text.split("\n").every((line) => line === "" || line.startsWith(":"));

const threadOf = async (url: string) => {
  const { messages } = (await (await fetch(`${url}/agent/threads/t`)).json()) as { messages: { content: string }[] };
  return messages.map(({ content }) => content);
};

test("a stream that waits for its thread is opened while it waits, and tells its turn afterwards", async () => {
  const { turn, started, release } = held();
  await using agent = await runAgentApp(scripted(turn, "Second.").models, impatient);
  const first = post(agent.url, human("One"), inThread);
  await started;

  const answer = await post(agent.url, human("Two"), { ...events, ...inThread });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const { first: comment, rest } = await firstPiece(answer);
  expect(isComment(comment)).toBe(true);
  release();
  const told = parseEvents(await rest());
  expect(told.map(({ event }) => event)).toEqual(["run-start", "text-delta", "run-end"]);
  expect(told.at(-1)?.data).toMatchObject({ run_id: told[0]?.data["run_id"], message: { content: "Second." } });
  expect((await first).status).toBe(200);
  expect(await threadOf(agent.url)).toEqual(["One", "First.", "Two", "Second."]);
});

test("a second request with the key of a waiting turn gets an open stream too", async () => {
  const { turn, started, release } = held();
  await using agent = await runAgentApp(scripted(turn, "Second.").models, impatient);
  const first = post(agent.url, human("One"), inThread);
  await started;
  const keyed = { ...events, ...inThread, "idempotency-key": "k" };
  const answers = [await post(agent.url, human("Two"), keyed), await post(agent.url, human("Two"), keyed)];
  release();
  const told = await Promise.all(answers.map(async (answer) => parseEvents(await answer.text())));
  expect(told.map((list) => list.at(-1)?.data["message"])).toMatchObject([
    { content: "Second." },
    { content: "Second." },
  ]);
  await first;
  expect(await threadOf(agent.url)).toEqual(["One", "First.", "Two", "Second."]);
});

test("a refusal after the wait is the last event, with its status", async () => {
  const { turn, started, release } = held(asksFor("send_mail", { to: "a@example.org" }, "call_1"));
  await using agent = await runAgentApp(scripted(turn).models, { ...impatient, tools: () => [mailTool([])] });
  const first = post(agent.url, human("Mail"), inThread);
  await started;
  const answer = await post(agent.url, human("Two"), { ...events, ...inThread, "x-request-id": "req-2" });
  release();
  const told = parseEvents(await answer.text());
  expect(told.map(({ event }) => event)).toEqual(["error"]);
  expect(Problem.parse(told[0]?.data)).toMatchObject({ code: "run_not_finished", status: 409, request_id: "req-2" });
  expect((await first).status).toBe(200);
});

test("a refusal without a wait is an ordinary status", async () => {
  const { models } = scripted(asksFor("send_mail", { to: "a@example.org" }, "call_1"));
  await using agent = await runAgentApp(models, { tools: () => [mailTool([])] });
  expect((await post(agent.url, human("Mail"), inThread)).status).toBe(200);
  expect((await post(agent.url, human("Two"), { ...events, ...inThread })).status).toBe(409);
});

test("a client that leaves while it waits has no turn", async () => {
  const { turn, started, release } = held();
  const inLine: Promise<unknown>[] = [];
  const activeTurns = createActiveTurns();
  const track: typeof activeTurns.track = (work) => {
    inLine.push(work);
    return activeTurns.track(work);
  };
  await using agent = await runAgentApp(scripted(turn, "Third.").models, {
    ...impatient,
    activeTurns: { ...activeTurns, track },
  });
  const first = post(agent.url, human("One"), inThread);
  await started;
  const client = new AbortController();
  const left = await post(agent.url, human("Two"), { ...events, ...inThread }, client.signal);
  const third = await post(agent.url, human("Three"), { ...events, ...inThread });
  client.abort();
  await expect(left.text()).rejects.toThrow(/abort/i);
  await expect(inLine[1]).rejects.toThrow(/abort|client/i);
  release();
  await Promise.all([first, third.text()]);
  expect(await threadOf(agent.url)).toEqual(["One", "First.", "Three", "Third."]);
});

/** A run of the thread `t` that waits for approval, while another process has the thread. */
async function decidedElsewhere() {
  const sent: unknown[] = [];
  const storage = await openSqlite({ file: ":memory:" });
  const { threads } = storage.agent;
  let elsewhere = false;
  const hold: typeof threads.hold = async (key) => !elsewhere && threads.hold(key);
  const memory = { ...storage.agent, threads: { ...threads, hold } };
  const { models } = scripted(asksFor("send_mail", { to: "a@example.org" }, "call_1"), "Sent.");
  const agent = await runAgentApp(models, { ...impatient, memory, tools: () => [mailTool(sent)] });
  const id = (await post(agent.url, human("Mail"), inThread)).headers.get("x-run-id") ?? "";
  elsewhere = true;
  return {
    agent,
    id,
    sent,
    openRuns: storage.agent.openRuns,
    release: () => void (elsewhere = false),
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await storage.close();
    },
  };
}

const approved = { decisions: { call_1: "approve" } };

test("a decision that waits for its thread has an open stream", async () => {
  await using run = await decidedElsewhere();
  const answer = await post(`${run.agent.url}/agent/runs/${run.id}/resume`, approved, events);
  const { first, rest } = await firstPiece(answer);
  expect([answer.status, isComment(first), run.sent]).toEqual([200, true, []]);
  run.release();
  const told = parseEvents(await rest());
  expect(told.map(({ event }) => event)).toEqual(["run-start", "tool-start", "tool-end", "text-delta", "run-end"]);
  expect(run.sent).toHaveLength(1);
});

test("a late decision gets its error in the open stream", async () => {
  await using run = await decidedElsewhere();
  const answer = await post(`${run.agent.url}/agent/runs/${run.id}/resume`, approved, events);
  await run.openRuns.take(run.id, null);
  run.release();
  const told = parseEvents(await answer.text());
  expect(told).toMatchObject([{ event: "error", data: { code: "run_already_finished", status: 409 } }]);
});

function uiDecision(runId: string) {
  const approval = { id: `${runId}:call_1`, approved: true };
  const part = { type: "dynamic-tool", toolName: "send_mail", toolCallId: "call_1", state: "approval-responded" };
  const user = { id: "u", role: "user", parts: [{ type: "text", text: "Mail" }] };
  return { messages: [user, { id: "m", role: "assistant", parts: [{ ...part, input: {}, approval }] }] };
}

test("a decision in the AI SDK's chat waits in an open stream of its protocol", async () => {
  await using run = await decidedElsewhere();
  const answer = await post(`${run.agent.url}/agent/ui-messages`, uiDecision(run.id));
  expect([answer.status, answer.headers.get("x-vercel-ai-ui-message-stream")]).toEqual([200, "v1"]);
  const { first, rest } = await firstPiece(answer);
  expect(isComment(first)).toBe(true);
  run.release();
  const told = parseEvents(await rest());
  expect(told[0]?.data).toMatchObject({ type: "start", messageId: "m", messageMetadata: { run_id: run.id } });
  expect(told.slice(-2)).toMatchObject([{ data: { type: "finish", finishReason: "stop" } }, { event: "[DONE]" }]);
});

test("a decision of AG-UI waits in an open stream too, and ends in that protocol", async () => {
  await using run = await decidedElsewhere();
  const resume = [{ interruptId: `${run.id}:call_1`, status: "resolved", payload: { approved: true } }];
  const decision = { threadId: "t", runId: "r", messages: [], resume };
  const answer = await post(`${run.agent.url}/agent/ag-ui`, decision);
  const late = await post(`${run.agent.url}/agent/ag-ui`, decision);
  const { first, rest } = await firstPiece(answer);
  expect(isComment(first)).toBe(true);
  run.release();
  const told = [parseEvents(await rest()), parseEvents(await late.text())];
  const [failed, went] = told.toSorted((one, other) => one.length - other.length);
  expect(failed).toMatchObject([{ data: { type: "RUN_ERROR", code: "run_already_finished" } }]);
  expect(went?.[0]?.data).toMatchObject({ type: "RUN_STARTED", threadId: "t", metadata: { run_id: run.id } });
  expect(went?.at(-1)?.data).toMatchObject({ type: "RUN_FINISHED", runId: "r" });
});

test("a refusal after the wait is an error of the AI SDK's protocol", async () => {
  await using run = await decidedElsewhere();
  const answer = await post(`${run.agent.url}/agent/ui-messages`, uiDecision(run.id));
  await run.openRuns.take(run.id, null);
  run.release();
  const told = parseEvents(await answer.text());
  expect(told).toMatchObject([
    { data: { type: "error", errorText: expect.stringContaining("no longer waits for approval") } },
    { event: "[DONE]" },
  ]);
});
