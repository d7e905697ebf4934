import { expect, test, vi } from "vitest";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import { historyProblem } from "../testing/history-problem.ts";
import { asksFor, failsWith, scriptedModel, type ScriptedTurn } from "../testing/scripted-model.ts";
import { defineTool } from "../tools/tool.ts";
import type { AgentLimits } from "../tools/agent-limits.ts";
import { runAgent, unfinishedText } from "./agent-loop.ts";
import type { AgentListener } from "./agent-outcome.ts";
import type { AgentRunOptions } from "./agent-run.ts";

const { signal } = new AbortController();
const messages = [{ role: "user", content: "Go on." }] as const;
const parameters = { type: "object" };
const echo = defineTool({ name: "echo", description: "", parameters, run: () => "echo" });

/** Asks for tools as long as it is offered any. */
const insistent =
  (...answers: ScriptedTurn[]): ScriptedTurn =>
  (request) =>
    request.tools ? { text: "More.", ...asksFor("echo") } : (answers[0] ?? "This is all I have.");

async function runInsistent(
  limits: Partial<AgentLimits>,
  { answer, ...options }: Partial<AgentRunOptions> & { answer?: ScriptedTurn } = {},
) {
  const model = scriptedModel(insistent(...(answer === undefined ? [] : [answer])));
  const outcome = await runAgent({ model, messages, tools: [echo], limits, signal, ...options });
  for (const request of model.requests) expect(historyProblem(request.messages)).toBeNull();
  return { model, outcome, last: model.requests.at(-1)?.messages.at(-1) as ChatMessage };
}

test("ends with one answer without tools at the step limit", async () => {
  const { model, outcome, last } = await runInsistent({ steps: 3 });
  expect(outcome).toMatchObject({
    ok: true,
    reply: { text: "This is all I have." },
    finish_reason: "step_limit",
    steps: 3,
    model_calls: 4,
  });
  expect(outcome.tool_calls).toHaveLength(3);
  expect(model.requests.map((request) => request.tools?.length)).toEqual([1, 1, 1, undefined]);
  expect(last.content).toContain("The step limit of this run is reached: no more tools can be called.");
});

test("lists a call in that answer as invalid", async () => {
  const { outcome } = await runInsistent({ steps: 1 }, { answer: { text: "Well.", ...asksFor("echo", "{", "last") } });
  expect(outcome).toMatchObject({ reply: { text: "Well.", tool_calls: [] }, finish_reason: "step_limit" });
  expect(outcome.invalid_tool_calls).toEqual([
    { id: "last", name: "echo", args: "{", error: "the step limit of this run is reached", model_call: 2 },
  ]);
});

test("allows 25 steps by default", async () => {
  const { outcome } = await runInsistent({});
  expect(outcome).toMatchObject({ finish_reason: "step_limit", steps: 25, model_calls: 26 });
});

test("runs no further tool at the limit of tool calls", async () => {
  const { outcome, last } = await runInsistent({ toolCalls: 2 });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "tool_limit", model_calls: 4 });
  expect(outcome.tool_calls).toHaveLength(2);
  expect(last.content).toMatch(/^The call was not run: a limit of this run is reached\./);
});

test("runs as many calls as the limit leaves", async () => {
  const calls = ["a", "b", "c"].map((id) => ({ id, name: "echo", arguments: "{}" }));
  const model = scriptedModel({ tool_calls: calls }, "Enough.");
  const outcome = await runAgent({ model, messages, tools: [echo], limits: { toolCalls: 2 }, signal });
  expect(outcome).toMatchObject({ finish_reason: "tool_limit", tool_calls: [{ id: "a" }, { id: "b" }] });
});

test("emits one event per call, also for calls that did not run", async () => {
  const calls = ["{}", "{", "{}"].map((text, index) => ({ id: `c${index}`, name: "echo", arguments: text }));
  const model = scriptedModel({ tool_calls: calls }, "Enough.");
  const told: string[] = [];
  const onEvent: AgentListener = (event) => {
    if (event.type === "tool-end" || event.type === "tool-skipped") {
      told.push(`${event.type} ${event.tool_call.id}: ${event.tool_call.result.slice(0, 45)}`);
    }
  };
  await runAgent({ model, messages, tools: [echo], limits: { toolCallsPerStep: 1 }, signal, onEvent });
  expect(told).toEqual([
    "tool-skipped c1: The call was not run: the arguments are not v",
    "tool-end c0: echo",
    "tool-skipped c2: The call was not run: at most 1 calls are run",
  ]);
});

test("takes only the first of thousands of calls in one reply", async () => {
  const calls = Array.from({ length: 5000 }, (_, index) => asksFor("echo", {}, `c${index}`).tool_calls).flat();
  const model = scriptedModel({ tool_calls: calls }, "Done.");
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, reply: { text: "Done." } });
  const said = model.requests[1]?.messages ?? [];
  expect(historyProblem(said)).toBeNull();
  expect(said).toHaveLength(1 + 1 + 128);
});

test("ends the run at the token limit, also with an endpoint that reports none", async () => {
  const { outcome } = await runInsistent({ tokens: 40 });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "token_limit", model_calls: 4 });
  expect(outcome.tool_calls).toHaveLength(2);

  const uncounted = scriptedModel((request) =>
    request.tools ? { ...asksFor("echo"), text: "x".repeat(100), usage: null } : { text: "ok", usage: null },
  );
  const estimated = await runAgent({ model: uncounted, messages, tools: [echo], limits: { tokens: 60 }, signal });
  expect(estimated).toMatchObject({ ok: true, finish_reason: "token_limit", usage: { total_tokens: 0 } });
});

test.each([
  [31, 2],
  [32, 3],
])(
  "estimates a token per four characters for an endpoint that reports none: %i end after %i calls",
  async (tokens, calls) => {
    // Twenty characters asked, and in answer a hundred and an empty object: 5 and 26 tokens.
    const asked = [{ role: "user" as const, content: "x".repeat(20) }];
    const model = scriptedModel((request) =>
      request.tools ? { ...asksFor("echo"), text: "x".repeat(100), usage: null } : { text: "ok", usage: null },
    );
    const outcome = await runAgent({ model, messages: asked, tools: [echo], limits: { tokens }, signal });
    expect(outcome).toMatchObject({ finish_reason: "token_limit", model_calls: calls, uncounted: true });
  },
);

/** Reads so many characters, and asks for pages as long as it is offered them. */
const reader =
  (most: number): ScriptedTurn =>
  (request) => {
    if (JSON.stringify(request.messages).length > most) return failsWith("context_length_exceeded");
    return request.tools ? asksFor("page") : "This is all I could read.";
  };
const page = defineTool({ name: "page", description: "", parameters, run: () => `begins${"x".repeat(20_000)}` });

test("shortens results that exceed the context and ends with one answer without tools", async () => {
  const model = scriptedModel(reader(70_000));
  const outcome = await runAgent({ model, messages, tools: [page], signal });
  expect(outcome).toMatchObject({
    ok: true,
    reply: { text: "This is all I could read." },
    finish_reason: "context_limit",
    model_calls: 6,
  });
  const said = model.requests.at(-1)?.messages ?? [];
  expect(historyProblem(said)).toBeNull();
  const results = said.filter(({ role }) => role === "tool").map(({ content }) => content);
  expect(results.map((content) => content.length > 20_000)).toEqual([true, true, true, false]);
  expect(results.at(-1)).toMatch(/^<untrusted_tool_output>\nbegins/);
  expect(results.at(-1)).toContain("[cut: the first 1000 of 20006 bytes are shown]\n</untrusted_tool_output>");
  expect(results.at(-1)).toContain("The context limit of this run is reached");
});

test("shortens the results of a single step that exceeds the context", async () => {
  const calls = ["a", "b", "c", "d"].flatMap((id) => asksFor("page", {}, id).tool_calls);
  const model = scriptedModel({ tool_calls: calls }, reader(30_000));
  const outcome = await runAgent({ model, messages, tools: [page], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "context_limit", model_calls: 3 });
});

test("says why there is no answer when shortening does not help", async () => {
  const model = scriptedModel(asksFor("page"), failsWith("context_length_exceeded"));
  const outcome = await runAgent({ model, messages, tools: [page], signal });
  expect(outcome).toMatchObject({ ok: true, reply: { text: unfinishedText("context_limit") }, model_calls: 3 });
});

test("fails when the conversation is too long before any tool was used", async () => {
  const model = scriptedModel(failsWith("context_length_exceeded"));
  const outcome = await runAgent({ model, messages, tools: [page], signal });
  expect(outcome).toMatchObject({ ok: false, error: { code: "context_length_exceeded" }, model_calls: 1 });
});

test("returns an answer that uses up the tokens", async () => {
  const outcome = await runAgent({ model: scriptedModel("Done."), messages, limits: { tokens: 1 }, signal });
  expect(outcome).toMatchObject({ ok: true, reply: { text: "Done." }, finish_reason: "stop" });
});

test("ends the run at the cost limit and reports the cost", async () => {
  const { outcome } = await runInsistent({ cost: 0.5 }, { price: { input: 0.01, output: 0.02 } });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "cost_limit", model_calls: 4 });
  expect(outcome.cost).toBe(0.8);
});

test("applies the cost limit to an endpoint that reports no tokens, and does not report the estimate", async () => {
  const model = scriptedModel(({ tools }) => ({
    ...(tools ? asksFor("echo", { text: "x" }) : { text: "Enough." }),
    usage: null,
  }));
  const price = { input: 0.01, output: 0.02 };
  const outcome = await runAgent({ model, messages, tools: [echo], limits: { cost: 0.5 }, price, signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "cost_limit", cost: null, usage: { total_tokens: 0 } });
});

test("ends the run after two repairs of an unusable call", async () => {
  const model = scriptedModel((request) => (request.tools ? asksFor("echo", "not json") : "I give up."));
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({
    ok: true,
    reply: { text: "I give up." },
    finish_reason: "repair_limit",
    repairs: 2,
    model_calls: 4,
    tool_calls: [],
  });
  expect(outcome.invalid_tool_calls).toHaveLength(3);
});

test("counts repairs per tool, also for the client's tools", async () => {
  const client = { name: "client", description: "", parameters };
  const model = scriptedModel(asksFor("echo", "{"), asksFor("client", "{"), asksFor("made_up"), asksFor("echo"), "ok");
  const options = { tools: [echo], clientTools: [client], limits: { repairs: 1 } };
  const outcome = await runAgent({ model, messages, ...options, signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop", repairs: 3, tool_calls: [{ ok: true }] });
});

test("counts repairs of unknown tools together", async () => {
  let made = 0;
  const model = scriptedModel(({ tools }) => (tools ? asksFor(`made_up_${(made += 1)}`) : "I cannot."));
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "repair_limit", repairs: 2, model_calls: 4 });
});

const unreadable = { ...failsWith("upstream_invalid_reply") };
const unreadableCall = { ...unreadable, error: { ...unreadable.error, unreadable_call: true } } as const;

test("asks again when the provider could not read a call", async () => {
  const model = scriptedModel(unreadableCall, asksFor("echo"), unreadableCall, "ok");
  const outcome = await runAgent({ model, messages, tools: [echo], price: { input: 1, output: 1 }, signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop", repairs: 2, model_calls: 4, reply: { text: "ok" } });
  expect(outcome).toMatchObject({ uncounted: true, cost: null });
  expect(model.requests[1]).toEqual(model.requests[0]);
});

test("ends without tools after repeated unreadable calls, or fails", async () => {
  const model = scriptedModel(({ tools }) => (tools ? unreadableCall : "I cannot."));
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "repair_limit", repairs: 2, model_calls: 4 });
  const failed = await runAgent({ model: scriptedModel(unreadableCall), messages, tools: [echo], signal });
  expect(failed).toMatchObject({ ok: false, error: unreadableCall.error, model_calls: 4 });
});

test("counts many unusable calls in one turn as one repair", async () => {
  const calls = ["a", "b", "c", "d"].map((id) => ({ id, name: "echo", arguments: "{" }));
  const model = scriptedModel({ tool_calls: calls }, asksFor("echo"), "ok");
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop", repairs: 1, tool_calls: [{ ok: true }] });
});

test("makes no repairs when none are allowed", async () => {
  const model = scriptedModel(asksFor("echo", "{"), "ok");
  const outcome = await runAgent({ model, messages, tools: [echo], limits: { repairs: 0 }, signal });
  expect(outcome).toMatchObject({ finish_reason: "repair_limit", repairs: 0, model_calls: 2 });
});

test.each([
  ["fails", failsWith("upstream_error")],
  ["is empty", ""],
  ["asks for tools again", asksFor("echo")],
])("replaces a last answer that %s by a fixed sentence", async (_, answer) => {
  const texts: string[] = [];
  const { outcome } = await runInsistent(
    { steps: 1 },
    { answer, stream: true, onEvent: (event) => event.type === "text-delta" && texts.push(event.text) },
  );
  expect(outcome).toMatchObject({
    ok: true,
    reply: { text: unfinishedText("step_limit"), tool_calls: [], model: "scripted" },
    finish_reason: "step_limit",
    pending_tool_calls: [],
  });
  expect(texts).toEqual(["More.", unfinishedText("step_limit")]);
});

test("runs no more calls in one step than allowed, and informs the model", async () => {
  const calls = Array.from({ length: 10 }, (_, index) => ({ id: `c${index}`, name: "echo", arguments: "{}" }));
  const model = scriptedModel({ tool_calls: calls }, "ok");
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop" });
  expect(outcome.tool_calls).toHaveLength(8);
  expect(model.requests[1]?.messages.at(-1)?.content).toBe(
    "The call was not run: at most 8 calls are run at once. Ask again for this one.",
  );
});

test("runs at most four tools in parallel", async () => {
  let running = 0;
  let most = 0;
  const slow = defineTool({
    name: "slow",
    description: "",
    parameters,
    run: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    },
  });
  const calls = Array.from({ length: 8 }, (_, index) => ({ id: `c${index}`, name: "slow", arguments: "{}" }));
  const outcome = await runAgent({
    model: scriptedModel({ tool_calls: calls }, "ok"),
    messages,
    tools: [slow],
    signal,
  });
  expect(outcome.tool_calls.map((call) => call.id)).toEqual(calls.map((call) => call.id));
  expect(most).toBe(4);
});

/** Lets a run pass through all its timers and gives its outcome. */
async function withFakeTime<Result>(start: () => Promise<Result>): Promise<{ result: Result; timersLeft: number }> {
  vi.useFakeTimers();
  try {
    const running = start();
    await vi.runAllTimersAsync();
    return { result: await running, timersLeft: vi.getTimerCount() };
  } finally {
    vi.useRealTimers();
  }
}

const forever = () => new Promise<never>(() => {});

test("stops a hanging tool after its timeout and continues", async () => {
  let toolSignal: AbortSignal | undefined;
  const hang = defineTool({
    name: "hang",
    description: "",
    parameters,
    timeoutMs: 1500,
    run: (_, context) => {
      toolSignal = context.signal;
      return forever();
    },
  });
  const model = scriptedModel(asksFor("hang"), "It did not answer.");
  const { result, timersLeft } = await withFakeTime(() => runAgent({ model, messages, tools: [hang], signal }));
  expect(result).toMatchObject({
    ok: true,
    reply: { text: "It did not answer." },
    tool_calls: [{ ok: false, result: "The tool did not answer within 1.5 s.", duration_ms: 1500 }],
  });
  expect(toolSignal?.aborted).toBe(true);
  expect(timersLeft).toBe(0);
});

test("stops slow tools at the deadline, keeps other results, and ends with an answer", async () => {
  const hang = defineTool({ name: "hang", description: "", parameters, timeoutMs: 1e9, run: forever });
  const calls = ["echo", "hang"].map((name) => ({ id: name, name, arguments: "{}" }));
  const model = scriptedModel({ tool_calls: calls }, "Half of it.");
  const { result } = await withFakeTime(() => runAgent({ model, messages, tools: [echo, hang], signal }));
  expect(result).toMatchObject({
    ok: true,
    reply: { text: "Half of it." },
    finish_reason: "deadline",
    tool_calls: [
      { id: "echo", ok: true },
      { id: "hang", ok: false, result: "Stopped: the time of the run is over." },
    ],
    duration_ms: 240_000,
  });
});

test("ends with a fixed sentence at the deadline when the model hangs after a step", async () => {
  const model = scriptedModel(asksFor("echo"), forever);
  const { result, timersLeft } = await withFakeTime(() => runAgent({ model, messages, tools: [echo], signal }));
  expect(result).toMatchObject({
    ok: true,
    reply: { text: unfinishedText("deadline") },
    finish_reason: "deadline",
    model_calls: 3,
    duration_ms: 300_000,
  });
  expect(timersLeft).toBe(0);
});

test("fails when the model never answered", async () => {
  const limits = { deadlineMs: 10_000 };
  const { result } = await withFakeTime(() => runAgent({ model: scriptedModel(forever), messages, limits, signal }));
  expect(result).toMatchObject({ ok: false, error: { code: "upstream_timeout" }, duration_ms: 10_000 });
});

test("limits waits for an endpoint to the remaining time and reports its own error", async () => {
  const waits: (number | undefined)[] = [];
  const limited: ScriptedTurn = (_request, { longestWaitMs }) => {
    waits.push(longestWaitMs);
    return failsWith("upstream_rate_limited");
  };
  const limits = { deadlineMs: 10_000 };
  const { result } = await withFakeTime(() => runAgent({ model: scriptedModel(limited), messages, limits, signal }));
  expect(result).toMatchObject({ ok: false, error: { code: "upstream_rate_limited" }, duration_ms: 0 });
  expect(waits).toEqual([5000]);
});

test("drops text that arrives after the deadline", async () => {
  const texts: string[] = [];
  const late: ScriptedTurn = (request, { onText }) => {
    if (!request.tools) return "Too late.";
    setTimeout(() => onText?.("late"), 250_000);
    return forever();
  };
  await withFakeTime(() =>
    runAgent({
      model: scriptedModel(late),
      messages,
      tools: [echo],
      signal,
      stream: true,
      onEvent: (event) => event.type === "text-delta" && texts.push(event.text),
    }),
  );
  expect(texts).toEqual(["Too late."]);
});
