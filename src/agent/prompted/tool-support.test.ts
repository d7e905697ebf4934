import { expect, test } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { runAgent } from "../loop/agent-loop.ts";
import { asksFor, failsWith, toolRefusal, scriptedModel, type ScriptedTurn } from "../testing/scripted-model.ts";
import { createToolSupport } from "./tool-support.ts";
import { calculator } from "../tools/calculator.ts";

const { signal } = new AbortController();
const messages = [{ role: "user", content: "6*7?" }] as const;
const target = { provider: "hub", model_id: "org/small" };
const rejected = failsWith("upstream_rejected");
const run = (model: ChatModel) => runAgent({ model, messages, tools: [calculator()], signal });

/** Answers like an endpoint that does not know tools. */
const withoutTools: ScriptedTurn = (request) => {
  if (request.tools) return toolRefusal;
  const results = request.messages.filter((message) => message.content.startsWith("Result of"));
  return results.length > 0 ? "42" : '```tool_call\n{"tool":"calculator","args":{"expression":"6*7"}}\n```';
};

test("describes tools in the prompt for an endpoint that refuses them, and remembers it", async () => {
  const support = createToolSupport({ now: () => 5 });
  const model = scriptedModel(withoutTools);
  const outcome = await run(support.wrap({ ...target, model }));
  expect(outcome).toMatchObject({ ok: true, reply: { text: "42" }, tool_calls: [{ result: "42" }] });
  expect(support.list()).toEqual([{ ...target, mode: "prompted", found_at: 5 }]);
  expect(model.requests.filter((request) => request.tools)).toHaveLength(1);

  await run(support.wrap({ ...target, model }));
  expect(model.requests.filter((request) => request.tools)).toHaveLength(1);
});

test("remembers an endpoint that accepts tools and does not retry its later rejections", async () => {
  const support = createToolSupport();
  const model = scriptedModel(asksFor("calculator", { expression: "6*7" }), rejected);
  const outcome = await run(support.wrap({ ...target, model }));
  expect(outcome).toMatchObject({ ok: false, error: { code: "upstream_rejected" } });
  expect(support.list()).toMatchObject([{ mode: "native" }]);
  expect(model.requests).toHaveLength(2);
});

test("notices an endpoint that no longer accepts tools", async () => {
  const support = createToolSupport();
  await run(support.wrap({ ...target, model: scriptedModel("42") }));
  expect(support.list()).toMatchObject([{ mode: "native" }]);
  const outcome = await run(support.wrap({ ...target, model: scriptedModel(withoutTools) }));
  expect(outcome).toMatchObject({ ok: true, reply: { text: "42" } });
  expect(support.list()).toMatchObject([{ mode: "prompted" }]);
});

test("forgets findings after a day", async () => {
  let time = 0;
  const support = createToolSupport({ now: () => time, maximumAgeMs: 1000 });
  await run(support.wrap({ ...target, model: scriptedModel(withoutTools) }));
  time = 1001;
  expect(support.list()).toEqual([]);
  const changed = scriptedModel("42");
  await run(support.wrap({ ...target, model: changed }));
  expect(changed.requests[0]?.tools).toHaveLength(1);
  expect(support.list()).toMatchObject([{ mode: "native" }]);
});

test("helps a request with client tools without remembering the finding", async () => {
  const support = createToolSupport();
  const model = support.wrap({ ...target, model: scriptedModel(withoutTools), clientTools: true });
  expect(await run(model)).toMatchObject({ ok: true, reply: { text: "42" } });
  expect(support.list()).toEqual([]);
});

test("retries a vague rejection in the prompt, unless client tools may be the reason", async () => {
  const vague: ScriptedTurn = (request) => (request.tools ? rejected : "42");
  const support = createToolSupport();
  const outcome = await run(support.wrap({ ...target, model: scriptedModel(vague), clientTools: true }));
  expect(outcome).toMatchObject({ ok: false, error: { code: "upstream_rejected" } });
  expect(await run(support.wrap({ ...target, model: scriptedModel(vague) }))).toMatchObject({ ok: true });
  expect(support.list()).toMatchObject([{ mode: "prompted" }]);
});

test("does not retry what a content filter refuses", async () => {
  const support = createToolSupport();
  const model = scriptedModel({ ...rejected, error: { ...rejected.error, refuses_content: true } }, "42");
  expect(await run(support.wrap({ ...target, model }))).toMatchObject({ ok: false });
  expect(model.requests).toHaveLength(1);
});

test("returns the first failure and remembers nothing when the prompt does not help", async () => {
  const support = createToolSupport();
  const model = scriptedModel(toolRefusal, failsWith("upstream_error"));
  const outcome = await run(support.wrap({ ...target, model }));
  expect(outcome).toMatchObject({ ok: false, error: { code: "upstream_rejected" } });
  expect(support.list()).toEqual([]);
  expect(model.requests).toHaveLength(2);
});

test.each([
  ["another failure", failsWith("upstream_error")],
  ["more tools than it takes", { ...rejected, error: { ...rejected.error, too_many_tools: true as const } }],
  ["a lack of credit", { ...rejected, error: { ...rejected.error, lacks_credit: true as const } }],
])("does not take %s for a refusal of tools", async (_, failure) => {
  const model = scriptedModel(failure, "never asked");
  const outcome = await run(createToolSupport().wrap({ ...target, model }));
  expect(outcome.ok).toBe(false);
  expect(model.requests).toHaveLength(1);
});

test("learns nothing from a call without tools", async () => {
  const support = createToolSupport();
  const model = scriptedModel(rejected);
  await runAgent({ model: support.wrap({ ...target, model }), messages, signal });
  expect(model.requests).toHaveLength(1);
  expect(support.list()).toEqual([]);
});

test("reads a call that a server left in the text", async () => {
  const call = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "6*7"}}\n</tool_call>';
  const model = scriptedModel(`Let me see.\n${call}<|im_end|>`, "42");
  const support = createToolSupport();
  const outcome = await run(support.wrap({ ...target, model }));
  expect(outcome).toMatchObject({
    ok: true,
    reply: { text: "42" },
    tool_calls: [{ name: "calculator", result: "42" }],
  });
  expect(model.requests[1]?.messages[1]).toMatchObject({
    content: "Let me see.",
    tool_calls: [{ name: "calculator" }],
  });
  expect(support.list()).toMatchObject([{ mode: "native" }]);
});

/** Answers like an endpoint that takes tools, and no wish for JSON beside them. */
const eitherOr =
  (refusal: ScriptedTurn): ScriptedTurn =>
  (request) =>
    request.tools && request.parameters?.extra ? refusal : "42";
const parameters = { extra: { response_format: { type: "json_object" } } };

test.each([
  ["without a word why", rejected],
  ["as if it took no tools", toolRefusal],
  ["as if it gave no JSON", { ...rejected, error: { ...rejected.error, refuses_format: true as const } }],
])("uses the prompt only together with JSON where an endpoint refuses both, %s", async (_, refusal) => {
  const support = createToolSupport();
  const model = scriptedModel(eitherOr(refusal));
  const wrapped = support.wrap({ ...target, model });
  const ask = async (asked: { parameters?: typeof parameters }) => {
    const before = model.requests.length;
    expect(await runAgent({ model: wrapped, messages, tools: [calculator()], signal, ...asked })).toMatchObject({
      ok: true,
    });
    return model.requests.slice(before).map(({ tools }) => tools !== undefined);
  };
  expect(await ask({ parameters })).toEqual([true, false]);
  expect(await ask({})).toEqual([true]);
  expect(await ask({ parameters })).toEqual([false]);
  expect(support.list()).toMatchObject([{ mode: "native" }]);
});

test("uses the prompt only together with a field that the endpoint refuses beside tools", async () => {
  const support = createToolSupport();
  const model = scriptedModel(eitherOr(toolRefusal));
  const wrapped = support.wrap({ ...target, model });
  const options = { model: wrapped, messages, tools: [calculator()], signal };
  await runAgent({ ...options, parameters: { extra: { reasoning_effort: "low" } } });
  await runAgent({ ...options, parameters: { extra: { reasoning_effort: "high" } } });
  await runAgent(options);
  expect(model.requests.map(({ tools }) => tools !== undefined)).toEqual([true, false, false, true]);
});

test("distinguishes models of one name at two providers", async () => {
  const support = createToolSupport();
  await run(support.wrap({ provider: "a", model_id: "m", model: scriptedModel(withoutTools) }));
  await run(support.wrap({ provider: "b", model_id: "m", model: scriptedModel("42") }));
  expect(support.list().map(({ provider, mode }) => [provider, mode])).toEqual([
    ["a", "prompted"],
    ["b", "native"],
  ]);
});
