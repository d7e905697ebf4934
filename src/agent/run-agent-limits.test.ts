import { expect, test, vi } from "vitest";
import type { ChatMessage } from "../contract/ports/chat-model.ts";
import type { AgentListener } from "./agent-event.ts";
import type { AgentLimits } from "./agent-limits.ts";
import type { AgentRunOptions } from "./agent-run.ts";
import { unfinishedText } from "./final-answer.ts";
import { runAgent } from "./run-agent.ts";
import { historyProblem } from "./testing/history-problem.ts";
import { asksFor, failsWith, scriptedModel, type ScriptedTurn } from "./testing/scripted-model.ts";
import { defineTool } from "./tool.ts";

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

test("the step limit ends in one answer without tools", async () => {
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

test("a call in that answer, which was offered no tools, is told beside it", async () => {
  const { outcome } = await runInsistent({ steps: 1 }, { answer: { text: "Well.", ...asksFor("echo", "{", "last") } });
  expect(outcome).toMatchObject({ reply: { text: "Well.", tool_calls: [] }, finish_reason: "step_limit" });
  expect(outcome.invalid_tool_calls).toEqual([
    { id: "last", name: "echo", args: "{", error: "the step limit of this run is reached", model_call: 2 },
  ]);
});

test("25 steps are the default", async () => {
  const { outcome } = await runInsistent({});
  expect(outcome).toMatchObject({ finish_reason: "step_limit", steps: 25, model_calls: 26 });
});

test("the limit of tool calls lets no further tool run", async () => {
  const { outcome, last } = await runInsistent({ toolCalls: 2 });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "tool_limit", model_calls: 4 });
  expect(outcome.tool_calls).toHaveLength(2);
  expect(last.content).toMatch(/^The call was not run: a limit of this run is reached\./);
});

test("a turn that asks for more than is left gets what is left", async () => {
  const calls = ["a", "b", "c"].map((id) => ({ id, name: "echo", arguments: "{}" }));
  const model = scriptedModel({ tool_calls: calls }, "Enough.");
  const outcome = await runAgent({ model, messages, tools: [echo], limits: { toolCalls: 2 }, signal });
  expect(outcome).toMatchObject({ finish_reason: "tool_limit", tool_calls: [{ id: "a" }, { id: "b" }] });
});

test("whoever follows a run hears of each call once, also of those that did not run", async () => {
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

test("of an answer that asks for thousands of calls only the first are taken", async () => {
  const calls = Array.from({ length: 5000 }, (_, index) => asksFor("echo", {}, `c${index}`).tool_calls).flat();
  const model = scriptedModel({ tool_calls: calls }, "Done.");
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, reply: { text: "Done." } });
  const said = model.requests[1]?.messages ?? [];
  expect(historyProblem(said)).toBeNull();
  expect(said).toHaveLength(1 + 1 + 128);
});

test("the token limit ends the run, also at an endpoint that does not count", async () => {
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
  "an endpoint that does not count is taken to need a token for four characters: %i end after %i calls",
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

test("results that are more than the model reads end in one answer without tools, from as many of them as it reads", async () => {
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

test("a step that alone is more than the model reads, too", async () => {
  const calls = ["a", "b", "c", "d"].flatMap((id) => asksFor("page", {}, id).tool_calls);
  const model = scriptedModel({ tool_calls: calls }, reader(30_000));
  const outcome = await runAgent({ model, messages, tools: [page], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "context_limit", model_calls: 3 });
});

test("where nothing helps, a sentence says why there is no answer", async () => {
  const model = scriptedModel(asksFor("page"), failsWith("context_length_exceeded"));
  const outcome = await runAgent({ model, messages, tools: [page], signal });
  expect(outcome).toMatchObject({ ok: true, reply: { text: unfinishedText("context_limit") }, model_calls: 3 });
});

test("a conversation that is too long before any tool was used fails as such", async () => {
  const model = scriptedModel(failsWith("context_length_exceeded"));
  const outcome = await runAgent({ model, messages, tools: [page], signal });
  expect(outcome).toMatchObject({ ok: false, error: { code: "context_length_exceeded" }, model_calls: 1 });
});

test("an answer that uses up the tokens is still the answer", async () => {
  const outcome = await runAgent({ model: scriptedModel("Done."), messages, limits: { tokens: 1 }, signal });
  expect(outcome).toMatchObject({ ok: true, reply: { text: "Done." }, finish_reason: "stop" });
});

test("the cost limit ends the run and the cost is reported", async () => {
  const { outcome } = await runInsistent({ cost: 0.5 }, { price: { input: 0.01, output: 0.02 } });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "cost_limit", model_calls: 4 });
  expect(outcome.cost).toBe(0.8);
});

test("an endpoint that does not count its tokens is held to the cost limit, and no estimate is told as the cost", async () => {
  const model = scriptedModel(({ tools }) => ({
    ...(tools ? asksFor("echo", { text: "x" }) : { text: "Enough." }),
    usage: null,
  }));
  const price = { input: 0.01, output: 0.02 };
  const outcome = await runAgent({ model, messages, tools: [echo], limits: { cost: 0.5 }, price, signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "cost_limit", cost: null, usage: { total_tokens: 0 } });
});

test("a tool call that stays unusable ends the run after two repairs", async () => {
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

test("each tool has repairs of its own, those of the client too", async () => {
  const client = { name: "client", description: "", parameters };
  const model = scriptedModel(asksFor("echo", "{"), asksFor("client", "{"), asksFor("made_up"), asksFor("echo"), "ok");
  const options = { tools: [echo], clientTools: [client], limits: { repairs: 1 } };
  const outcome = await runAgent({ model, messages, ...options, signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop", repairs: 3, tool_calls: [{ ok: true }] });
});

test("tools that are made up count together, whatever they are called", async () => {
  let made = 0;
  const model = scriptedModel(({ tools }) => (tools ? asksFor(`made_up_${(made += 1)}`) : "I cannot."));
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "repair_limit", repairs: 2, model_calls: 4 });
});

const unreadable = { ...failsWith("upstream_invalid_reply") };
const unreadableCall = { ...unreadable, error: { ...unreadable.error, unreadable_call: true } } as const;

test("a model whose call its provider could not read is asked again", async () => {
  const model = scriptedModel(unreadableCall, asksFor("echo"), unreadableCall, "ok");
  const outcome = await runAgent({ model, messages, tools: [echo], price: { input: 1, output: 1 }, signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop", repairs: 2, model_calls: 4, reply: { text: "ok" } });
  expect(outcome).toMatchObject({ uncounted: true, cost: null });
  expect(model.requests[1]).toEqual(model.requests[0]);
});

test("one that goes on like that answers without tools, and fails where it does not", async () => {
  const model = scriptedModel(({ tools }) => (tools ? unreadableCall : "I cannot."));
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "repair_limit", repairs: 2, model_calls: 4 });
  const failed = await runAgent({ model: scriptedModel(unreadableCall), messages, tools: [echo], signal });
  expect(failed).toMatchObject({ ok: false, error: unreadableCall.error, model_calls: 4 });
});

test("many unusable calls in one turn are one repair", async () => {
  const calls = ["a", "b", "c", "d"].map((id) => ({ id, name: "echo", arguments: "{" }));
  const model = scriptedModel({ tool_calls: calls }, asksFor("echo"), "ok");
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop", repairs: 1, tool_calls: [{ ok: true }] });
});

test("no repairs when none are wanted", async () => {
  const model = scriptedModel(asksFor("echo", "{"), "ok");
  const outcome = await runAgent({ model, messages, tools: [echo], limits: { repairs: 0 }, signal });
  expect(outcome).toMatchObject({ finish_reason: "repair_limit", repairs: 0, model_calls: 2 });
});

test.each([
  ["fails", failsWith("upstream_error")],
  ["is empty", ""],
  ["asks for tools again", asksFor("echo")],
])("a last answer that %s is replaced by an honest sentence", async (_, answer) => {
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

test("no more calls run in one step than allowed, and the model is told", async () => {
  const calls = Array.from({ length: 10 }, (_, index) => ({ id: `c${index}`, name: "echo", arguments: "{}" }));
  const model = scriptedModel({ tool_calls: calls }, "ok");
  const outcome = await runAgent({ model, messages, tools: [echo], signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop" });
  expect(outcome.tool_calls).toHaveLength(8);
  expect(model.requests[1]?.messages.at(-1)?.content).toBe(
    "The call was not run: at most 8 calls are run at once. Ask again for this one.",
  );
});

test("at most four tools run at the same time", async () => {
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

test("a tool that hangs is given up after its own time, and the run goes on", async () => {
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

test("the deadline stops slow tools, keeps what others found, and ends in an answer", async () => {
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

test("a model that hangs after a step costs no more than the deadline and ends in an honest sentence", async () => {
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

test("a model that never answered at all is a failed run", async () => {
  const limits = { deadlineMs: 10_000 };
  const { result } = await withFakeTime(() => runAgent({ model: scriptedModel(forever), messages, limits, signal }));
  expect(result).toMatchObject({ ok: false, error: { code: "upstream_timeout" }, duration_ms: 10_000 });
});

test("an endpoint is waited for no longer than the run has time: what it says then is told, not a deadline", async () => {
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

test("text that comes after the deadline is not passed on", async () => {
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
