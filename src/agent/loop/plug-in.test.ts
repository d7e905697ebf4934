import { expect, test } from "vitest";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import { asksFor, failsWith, scriptedModel } from "../testing/scripted-model.ts";
import { defineTool, type ToolArguments } from "../tools/tool.ts";
import { calculator } from "../tools/calculator.ts";
import type { AgentEvent } from "./agent-outcome.ts";
import { createPlugInRunner, fromAgentFunction, unsaidText, type PlugIn } from "./plug-in.ts";

const messages = [{ role: "user", content: "17 * 23?" }] as const;

/** Asks, runs one tool, asks again: what most frameworks do. */
const loop: PlugIn = async ({ messages: given, tools, ask, use }) => {
  let history = given;
  for (;;) {
    const { text, tool_calls } = await ask({ messages: history, tools });
    const [call] = tool_calls;
    if (!call) return text;
    const content = await use({ id: call.id, name: call.name, args: JSON.parse(call.arguments) as ToolArguments });
    history = [
      ...history,
      { role: "assistant", content: text, tool_calls },
      { role: "tool", content, tool_call_id: call.id },
    ];
  }
};

const signal = new AbortController().signal;

test("counts, emits and prices the calls of a plug-in like those of the loop", async () => {
  const events: AgentEvent[] = [];
  const model = scriptedModel({ text: "Hm.", ...asksFor("calculator", { expression: "17 * 23" }) }, "391");
  const outcome = await createPlugInRunner(loop)({
    model,
    messages,
    tools: [calculator()],
    price: { input: 1, output: 1 },
    stream: true,
    signal,
    onEvent: (event) => events.push(event),
  });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop", reply: { text: "391" }, model_calls: 2, cost: 30 });
  expect(outcome.tool_calls).toMatchObject([{ name: "calculator", ok: true, result: "391" }]);
  expect(events.map(({ type }) => type)).toEqual([
    "run-start",
    "model-start",
    "text-delta",
    "model-end",
    "tool-start",
    "tool-end",
    "model-start",
    "text-delta",
    "model-end",
    "run-end",
  ]);
  expect(model.requests[1]?.messages.at(-1)?.content).toContain("untrusted");
});

test("an agent function gets and sends messages in OpenAI's form, and the calls of its own tools are recorded once", async () => {
  const given: unknown[] = [];
  const model = scriptedModel("391");
  const events: AgentEvent[] = [];
  const earlier = [
    { role: "user", content: "17 * 23?" },
    { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "calculator", arguments: "{}" }] },
    { role: "tool", content: "391", tool_call_id: "c1" },
  ] as const;
  const runner = createPlugInRunner(
    fromAgentFunction(async (asked, { ask, use }) => {
      given.push(...asked);
      const { text } = await ask({ messages: asked });
      await use({ id: "u1", name: "calculator", args: { expression: "1 + 1" } });
      const own = {
        id: "o1",
        function: { name: "ignored" },
        name: "search",
        arguments: '{"q":"x"}',
        error: "no answer",
      };
      return { text, tool_calls: [own, { id: "u1", name: "calculator" }, { result: "a call without a name" }] };
    }),
  );
  const outcome = await runner({
    model,
    messages: earlier,
    tools: [calculator()],
    signal,
    onEvent: (event) => events.push(event),
  });
  expect(given[1]).toEqual({
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c1", type: "function", function: { name: "calculator", arguments: "{}" } }],
  });
  expect(model.requests[0]?.messages).toEqual(earlier);
  expect(outcome).toMatchObject({ ok: true, reply: { text: "391" } });
  expect(outcome.tool_calls).toMatchObject([
    { id: "u1", name: "calculator", ok: true, result: "2" },
    { id: "o1", name: "search", args: { q: "x" }, ok: false, result: "no answer" },
  ]);
  expect(events.filter(({ type }) => type === "tool-end")).toHaveLength(2);
});

test.each([
  ["trimmed", (text: string) => text.trim()],
  ["as it is", (text: string) => text],
])("streams a reply that the plug-in returns %s once, as the model's", async (_how, hand) => {
  const events: AgentEvent[] = [];
  const said = "It is 391, because\n";
  const outcome = await createPlugInRunner(async ({ messages: given, ask }) =>
    hand((await ask({ messages: given })).text),
  )({
    model: scriptedModel({ text: said, finish_reason: "length" }),
    messages,
    stream: true,
    signal,
    onEvent: (event) => events.push(event),
  });
  expect(outcome).toMatchObject({ ok: true, reply: { text: hand(said) }, finish_reason: "length" });
  expect(events.filter(({ type }) => type === "text-delta")).toMatchObject([{ text: said }]);
});

test("restores opaque metadata that the messages of a framework lose", async () => {
  const [call] = asksFor("calculator", { expression: "17 * 23" }).tool_calls;
  const echo = { from: "gemini", call: { extra_content: { google: { thought_signature: "s" } } } };
  const model = scriptedModel({ tool_calls: [{ ...call!, echo }] }, "391");
  const framework: PlugIn = (turn) =>
    loop({
      ...turn,
      async ask(request) {
        const reply = await turn.ask(request);
        const tool_calls = reply.tool_calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
        return { ...reply, tool_calls };
      },
    });
  await createPlugInRunner(framework)({ model, messages, tools: [calculator()], signal });
  expect(model.requests[1]?.messages[1]).toMatchObject({ tool_calls: [{ id: call?.id, echo }] });
});

test("ends with one answer without tools at a limit, whatever the plug-in does with the rejection", async () => {
  const stubborn: PlugIn = async (turn) => {
    for (;;) await turn.ask({ messages: turn.messages, tools: turn.tools }).catch(() => Promise.reject(new Error("?")));
  };
  const outcome = await createPlugInRunner(stubborn)({
    model: scriptedModel("Going on", "Going on", "The end"),
    messages,
    limits: { steps: 2 },
    signal,
  });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "step_limit", reply: { text: "The end" }, model_calls: 3 });
  const silent = await createPlugInRunner(() => new Promise(() => {}))({
    model: scriptedModel("Late"),
    messages,
    limits: { deadlineMs: 20 },
    signal,
  });
  expect(silent).toMatchObject({ ok: true, finish_reason: "deadline", reply: { text: "Late" } });
});

test("applies the limits to tools used in parallel", async () => {
  let [running, most, ran] = [0, 0, 0];
  const slow = defineTool({
    name: "slow",
    description: "",
    parameters: {},
    run: async () => {
      ran += 1;
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return "";
    },
  });
  const many: PlugIn = async ({ use }) => {
    await Promise.all(Array.from({ length: 12 }, () => use({ name: "slow", args: {} })));
    return "Done";
  };
  const options = { model: scriptedModel("The end"), messages, tools: [slow], signal };
  const outcome = await createPlugInRunner(many)({ ...options, limits: { parallel: 3, toolCalls: 12 } });
  expect([outcome.tool_calls.length, ran, most]).toEqual([12, 12, 3]);

  ran = 0;
  const limited = await createPlugInRunner(many)({ ...options, limits: { parallel: 4, toolCalls: 5 } });
  expect(limited).toMatchObject({ ok: true, finish_reason: "tool_limit" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ran).toBe(4);
});

test("resolves when the model failed and rejects when the plug-in did", async () => {
  const failed = await createPlugInRunner(loop)({
    model: scriptedModel(failsWith("upstream_error")),
    messages,
    signal,
  });
  expect(failed).toMatchObject({ ok: false, error: { code: "upstream_error" } });
  const broken = createPlugInRunner(async () => {
    throw new Error("bug");
  });
  await expect(broken({ model: scriptedModel("Hi"), messages, signal })).rejects.toThrow("bug");
  const silent = createPlugInRunner((async () => 42) as unknown as PlugIn);
  await expect(silent({ model: scriptedModel("Hi"), messages, signal })).rejects.toThrow("text");
});

test("cancels the plug-in", async () => {
  const abort = new AbortController();
  const seen = Promise.withResolvers<void>();
  const waiting: PlugIn = ({ signal: told }) =>
    new Promise((_, reject) => {
      told.addEventListener("abort", () => {
        seen.resolve();
        reject(told.reason);
      });
    });
  const run = createPlugInRunner(waiting)({ model: scriptedModel("Hi"), messages, signal: abort.signal });
  abort.abort(new Error("gone"));
  await expect(run).rejects.toThrow("gone");
  await seen.promise;
});

test("handles own text, unusable calls and tools that need approval", async () => {
  const approved = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: {},
    needsApproval: true,
    run: () => "",
  });
  const said: string[] = [];
  const plugIn: PlugIn = async ({ tools, use }) => {
    said.push(await use({ name: "pay", args: {} }), await use({ name: "calculator", args: { wrong: 1 } }));
    return `I have ${tools.length} tool.`;
  };
  const outcome = await createPlugInRunner(plugIn)({
    model: scriptedModel("unused"),
    messages,
    tools: [calculator(), approved],
    signal,
  });
  expect(outcome).toMatchObject({ ok: true, reply: { text: "I have 1 tool.", usage: null }, model_calls: 0 });
  expect(said.every((text) => text.startsWith("The call was not run"))).toBe(true);
});

test("runs a tool without arguments", async () => {
  const ping = defineTool({ name: "ping", description: "", parameters: { type: "object" }, run: () => "pong" });
  const plugIn: PlugIn = async ({ use }) => (await use({ name: "ping" })) + (await use({ name: "ping", args: null }));
  const outcome = await createPlugInRunner(plugIn)({ model: scriptedModel("unused"), messages, tools: [ping], signal });
  expect(outcome.tool_calls).toMatchObject([
    { ok: true, args: {} },
    { ok: true, args: {} },
  ]);
});

test("protects the conversation and the tools from changes by the plug-in", async () => {
  const tool = calculator();
  const description = tool.definition.description;
  const careless: PlugIn = async (turn) => {
    const given = turn.messages as ChatMessage[];
    const [offered] = turn.tools as readonly { description: string }[];
    if (offered) offered.description = "Spoilt.";
    const { text } = await turn.ask({ messages: given });
    given.push({ role: "assistant", content: text });
    return text;
  };
  const history = [...messages];
  await createPlugInRunner(careless)({ model: scriptedModel("Hi"), messages: history, tools: [tool], signal });
  expect(history).toEqual(messages);
  expect(tool.definition.description).toBe(description);
});

test("accepts the text beside a call that is not made as an answer", async () => {
  const brief: PlugIn = async ({ messages: given, ask }) => (await ask({ messages: given })).text;
  const outcome = await createPlugInRunner(brief)({
    model: scriptedModel({ text: "Let me see.", ...asksFor("calculator") }),
    messages,
    signal,
  });
  expect(outcome).toMatchObject({ reply: { text: "Let me see." }, finish_reason: "stop", pending_tool_calls: [] });
});

test("stops work that the plug-in leaves behind", async () => {
  const events: AgentEvent[] = [];
  const stopped: string[] = [];
  const hang = (name: string, told: AbortSignal) =>
    new Promise<string>((_, reject) => {
      told.addEventListener("abort", () => {
        stopped.push(name);
        reject(told.reason);
      });
    });
  const slow = defineTool({
    name: "slow",
    description: "",
    parameters: {},
    run: (_args, context) => hang("tool", context.signal),
  });
  let late: Promise<unknown> = Promise.resolve();
  const hasty: PlugIn = async ({ messages: given, ask, use, signal: told }) => {
    told.addEventListener("abort", () => (late = ask({ messages: given }).catch(String)));
    void ask({ messages: given });
    void use({ name: "slow", args: {} });
    return (await ask({ messages: given })).text;
  };
  const model = scriptedModel((_request, options) => hang("model", options.signal), "First");
  const outcome = await createPlugInRunner(hasty)({
    model,
    messages,
    tools: [slow],
    signal,
    onEvent: (event) => events.push(event),
  });
  expect(outcome).toMatchObject({ ok: true, reply: { text: "First" }, tool_calls: [{ ok: false }] });
  expect(stopped).toEqual(["model", "tool"]);
  expect(events.filter(({ type }) => type === "tool-end")).toMatchObject([
    { tool_call: { result: "The turn is over." } },
  ]);
  expect(await late).toContain("The turn is over.");
  expect(events.at(-1)?.type).toBe("run-end");
  expect(model.requests).toHaveLength(2);
});

test("ignores the failure of a call that the plug-in has not awaited yet", async () => {
  const eager: PlugIn = async ({ messages: given, ask }) => {
    const failing = ask({ messages: given });
    await new Promise((resolve) => setTimeout(resolve, 5));
    return (await failing).text;
  };
  const outcome = await createPlugInRunner(eager)({
    model: scriptedModel(failsWith("upstream_error")),
    messages,
    signal,
  });
  expect(outcome).toMatchObject({ ok: false, error: { code: "upstream_error" } });
});

test.each([
  ["as it was said", "Hello.\n", "Hello.\n", ""],
  ["trimmed", "Hello.", " Hello.\n", ""],
  ["with more after it", "Hello.\n\nSource: none", "Hello.\n", "\nSource: none"],
  ["trimmed, with more after it", "Hello. Bye.", "\nHello.\n", " Bye."],
  ["with something before it", "Note: Hello.", "Hello.", "\n\nNote: Hello."],
  ["another text", "Bye.", "Hello.", "\n\nBye."],
  ["nothing after all", "", "Hello.", ""],
  ["a text where the model said none", "Bye.", "", "Bye."],
  ["a text where the model wrote white space", "Bye.", "\n", "Bye."],
])("streams the unsaid part of %s", (_name, answer, said, unsaid) => {
  expect(unsaidText(answer, said)).toBe(unsaid);
});
