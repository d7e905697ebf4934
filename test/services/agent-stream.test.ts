import { expect, test } from "vitest";
import { asksFor, failsWith, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { AgentReply } from "../../src/contract/schemas/agent/agent-message.ts";
import { AgentStreamEvents } from "../../src/contract/schemas/agent/agent-stream.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { createActiveTurns } from "../../src/services/agent/turns/active-turns.ts";
import { human, keptLog, post, readEvents, runAgentApp, scripted } from "./agent-support.ts";

const events = { accept: "text/event-stream" };

const speaks =
  (...pieces: string[]): ScriptedTurn =>
  (_request, { onText }) => {
    for (const piece of pieces) onText?.(piece);
    return pieces.join("");
  };

test("events tell of text and tools as they happen, and end with the message of the JSON answer", async () => {
  const script = [
    { text: "Let me see.", ...asksFor("calculator", { expression: "17 * 23" }) },
    speaks("It is ", "391."),
  ];
  await using streamed = await runAgentApp(scripted(...script).models);
  const response = await post(streamed.url, human("17 * 23?"), events);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(response.headers.get("x-model-resolved")).toBe("test/model");
  const told = await readEvents(response);
  expect(told.map(({ event }) => event)).toEqual([
    "run-start",
    "text-delta",
    "tool-start",
    "tool-end",
    "text-delta",
    "text-delta",
    "run-end",
  ]);
  for (const { event, data } of told) AgentStreamEvents.shape[event as keyof AgentStreamEvents].parse(data);
  expect(told[3]?.data).toMatchObject({ name: "calculator", ok: true, result: "391" });

  await using plain = await runAgentApp(scripted(...script).models);
  const answer = await post(plain.url, human("17 * 23?"));
  const reply = AgentReply.parse(await answer.json());
  const end = told.at(-1)?.data as { message: AgentReply; run_id: string; usage: unknown };
  expect({ ...end.message, id: "" }).toEqual({ ...reply, id: "" });
  expect(end.run_id).toBe(response.headers.get("x-run-id"));
  expect(end).toMatchObject({
    usage: { total_tokens: 30 },
    model_calls: 2,
    tool_calls: 1,
    model_resolved: "test/model",
  });
  expect(answer.headers.get("x-usage-total-tokens")).toBe("30");
});

test("calls that cannot be run are streamed as failed tools", async () => {
  const tool_calls = [
    { id: "a", name: "calculator", arguments: '{"expression":"6*7"}' },
    { id: "b", name: "abacus", arguments: '{"beads":42}' },
    { id: "c", name: "calculator", arguments: '{"expression":' },
  ];
  await using agent = await runAgentApp(scripted({ tool_calls }, "42").models);
  const told = await readEvents(await post(agent.url, human("6*7?"), events));
  const tools = told.filter(({ event }) => event.startsWith("tool-"));
  for (const { event, data } of tools) AgentStreamEvents.shape[event as keyof AgentStreamEvents].parse(data);
  expect(tools.map(({ event, data }) => [event, data["id"], data["ok"]]).toSorted()).toEqual([
    ["tool-end", "a", true],
    ["tool-end", "b", false],
    ["tool-end", "c", false],
    ["tool-start", "a", undefined],
    ["tool-start", "b", undefined],
    ["tool-start", "c", undefined],
  ]);
  const unknown = tools.find(({ event, data }) => event === "tool-end" && data["id"] === "b")?.data;
  expect(unknown).toMatchObject({ args: { beads: 42 }, result: expect.stringContaining("there is no tool named") });
  expect(told.at(-1)?.data).toMatchObject({ tool_calls: 1 });
});

test("a failure is the last event, and is the problem document", async () => {
  await using agent = await runAgentApp(
    scripted(asksFor("calculator", { expression: "1" }), failsWith("upstream_error")).models,
  );
  const told = await readEvents(await post(agent.url, human("Hi"), { ...events, "x-request-id": "req-1" }));
  expect(told.at(-1)?.event).toBe("error");
  expect(Problem.parse(told.at(-1)?.data)).toMatchObject({ code: "upstream_error", status: 502, request_id: "req-1" });
  expect(told.some(({ event }) => event === "run-end")).toBe(false);
});

test.each(["/", "/v1/chat/completions", "/v1/responses", "/agent/ui-messages", "/agent/ag-ui"])(
  "a failed stream of %s is logged once, and one whose client left is not",
  async (path) => {
    const { lines, log } = keptLog();
    const breaksOff: ScriptedTurn = (_request, { onText }) => {
      onText?.("Let me");
      return failsWith("upstream_reset");
    };
    const { turn, started, aborted } = hanging();
    await using agent = await runAgentApp(scripted(breaksOff, turn).models, { log });
    const said = { id: "1", role: "user", content: "Hi", parts: [{ type: "text", text: "Hi" }] };
    const body = {
      ...human("Hi"),
      ...(path !== "/" && { messages: [said] }),
      threadId: "t",
      runId: "r",
      input: "Hi",
      model: "test/model",
      stream: true,
    };
    const ask = (signal?: AbortSignal) =>
      post(`${agent.url}${path}`, body, { ...events, "x-request-id": "req-1" }, signal);
    const answer = await ask();
    await answer.text();
    const told = [
      { level: "warn", msg: "upstream_reset", request_id: "req-1", run_id: answer.headers.get("x-run-id") },
    ];
    expect(lines).toMatchObject(told);
    const controller = new AbortController();
    const left = ask(controller.signal).then((response) => response.text());
    await started;
    controller.abort();
    await expect(left).rejects.toThrow(/abort/i);
    await aborted;
    await fetch(`${agent.url}/agent/runs`);
    expect(lines).toMatchObject(told);
  },
);

test("an error that is known before the run is an ordinary status", async () => {
  await using agent = await runAgentApp(scripted("Hi").models);
  expect((await post(agent.url, human("Hi"), { ...events, "x-model-id": "nonsense" })).status).toBe(400);
  expect((await post(agent.url, { messages: [] }, events)).status).toBe(422);
  expect((await post(agent.url, human("Hi"), { ...events, "x-on-disconnect": "stay" })).status).toBe(400);
});

test("an unforeseen error says nothing, in the stream as elsewhere", async () => {
  const crash: ScriptedTurn = () => {
    throw new Error("secret detail");
  };
  await using agent = await runAgentApp(scripted(crash).models);
  const text = await (await post(agent.url, human("Hi"), events)).text();
  expect(text).toContain("internal_error");
  expect(text).not.toContain("secret");
});

/** A model that hangs until its signal aborts; the promises tell when it began and ended. */
function hanging() {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<number>();
  const released = Promise.withResolvers<void>();
  const turn: ScriptedTurn = async (_request, { signal, onText }) => {
    onText?.("Wait");
    started.resolve();
    signal.addEventListener("abort", () => aborted.resolve(performance.now()));
    await Promise.race([released.promise, aborted.promise]);
    signal.throwIfAborted();
    return "Done";
  };
  return { turn, started: started.promise, aborted: aborted.promise, release: () => released.resolve() };
}

test.each([events, {}])("a client that goes away cancels the call to the model (%o)", async (headers) => {
  const { turn, started, aborted } = hanging();
  await using agent = await runAgentApp(scripted(turn).models);
  const controller = new AbortController();
  const request = post(agent.url, human("Hi"), headers, controller.signal).then((response) => response.text());
  await started;
  controller.abort();
  await expect(request).rejects.toThrow(/abort/i);
  await aborted;
  const { runs } = (await (await fetch(`${agent.url}/agent/runs`)).json()) as { runs: { state: string }[] };
  expect(runs).toMatchObject([{ state: "cancelled" }]);
});

test.each([events, {}])("x-on-disconnect: continue goes on; the run log has the result (%o)", async (headers) => {
  const { turn, started, release } = hanging();
  await using agent = await runAgentApp(scripted(turn).models);
  const controller = new AbortController();
  const continued = { ...headers, "x-on-disconnect": "continue" };
  const request = post(agent.url, human("Hi"), continued, controller.signal).then((response) => response.text());
  await started;
  controller.abort();
  await expect(request).rejects.toThrow(/abort/i);
  release();
  await expect
    .poll(async () => (await (await fetch(`${agent.url}/agent/runs`)).json()) as unknown)
    .toMatchObject({ runs: [{ state: "completed" }] });
});

test.each<Record<string, string>>([{ "x-on-disconnect": "continue" }, { "idempotency-key": "k" }])(
  "a turn that waits for its thread goes on without its client (%o)",
  async (headers) => {
    const { turn, started, release } = hanging();
    const { models } = scripted(turn, "Later");
    let inLine = 0;
    const activeTurns = createActiveTurns();
    const track: typeof activeTurns.track = (work) => {
      inLine += 1;
      return activeTurns.track(work);
    };
    await using agent = await runAgentApp(models, { activeTurns: { ...activeTurns, track } });
    const thread = { "x-thread-id": "t" };
    const first = post(agent.url, human("First"), thread);
    await started;
    const controller = new AbortController();
    const second = post(agent.url, human("Second"), { ...thread, ...headers }, controller.signal);
    await expect.poll(() => inLine).toBe(2);
    controller.abort();
    await expect(second).rejects.toThrow(/abort/i);
    // Time for the service to notice before it is the turn's turn: without it, this would prove less.
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    await first;
    await expect
      .poll(async () => (await (await fetch(`${agent.url}/agent/threads/t`)).json()) as unknown)
      .toMatchObject({ messages: ["First", "Done", "Second", "Later"].map((content) => ({ content })) });
  },
);

test("a slow reader gets everything", async () => {
  const pieces = Array.from({ length: 2000 }, (_, index) => `${index} ${"x".repeat(500)} `);
  await using agent = await runAgentApp(scripted(speaks(...pieces)).models);
  const response = await post(agent.url, human("Hi"), events);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const told = await readEvents(response);
  const text = told.filter(({ event }) => event === "text-delta").map(({ data }) => data["text"]);
  expect(text.join("")).toBe(pieces.join(""));
});
