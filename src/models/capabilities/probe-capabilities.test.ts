import { expect, test } from "vitest";
import type { ChatModel, ChatRequest, Reply, SuccessfulReply } from "../../contract/model.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { createCapabilityCache } from "./capability-cache.ts";
import type { Capabilities } from "./capabilities.ts";
import { probeCapabilities } from "./probe-capabilities.ts";

const { signal } = new AbortController();
const call = (city: string) => ({ id: city, name: "get_temperature", arguments: `{"city":"${city}"}` });

const said = (fields: Partial<SuccessfulReply> = {}) => sampleReply("ready", fields);

function failed(code: ErrorCode, upstream_status: number | null = 400): Reply {
  const error = { code, detail: `because ${code}`, upstream_status, tries: 1, retryable: false };
  return { ok: false, error, latency_ms: 1 };
}

const withoutCredit: Reply = {
  ok: false,
  error: {
    code: "upstream_rejected",
    detail: "",
    upstream_status: 400,
    tries: 1,
    retryable: false,
    lacks_credit: true,
  },
  latency_ms: 1,
};

interface Answers {
  readonly greeting?: Reply;
  readonly tools?: Reply;
  readonly parallel?: Reply;
  readonly schema?: Reply;
}

/** A model that can do everything, except as told. */
function fakeModel(answers: Answers = {}) {
  const asked: ChatRequest[] = [];
  const model: ChatModel = async (request, { onText }) => {
    asked.push(request);
    const [message] = request.messages;
    if (request.format) return answers.schema ?? said({ text: '{"city":"Paris","celsius":21}' });
    if (!request.tools) return answers.greeting ?? said({ first_token_ms: onText ? 3 : null });
    return message?.content.includes("Oslo")
      ? (answers.parallel ?? said({ text: "", tool_calls: [call("Paris"), call("Rome"), call("Oslo")] }))
      : (answers.tools ?? said({ text: "", tool_calls: [call("Paris")] }));
  };
  return { model, asked };
}

const verdicts = (capabilities: Capabilities) =>
  Object.fromEntries(Object.entries(capabilities).map(([name, { verdict }]) => [name, verdict]));
const all = (verdict: string) => ({
  streaming: verdict,
  streaming_usage: verdict,
  tools: verdict,
  parallel_tools: verdict,
  json_schema: verdict,
});

test("a model that can do everything is found to, with one bounded call for each question", async () => {
  const { model, asked } = fakeModel();
  const report = await probeCapabilities(model, { signal });
  expect(verdicts(report.capabilities)).toEqual(all("yes"));
  expect(report.tokens).toBe(60);
  expect(asked).toHaveLength(4);
  expect(asked.every(({ parameters }) => parameters?.max_tokens === 512)).toBe(true);
});

test.each<[string, Answers, Partial<Record<keyof Capabilities, string>>]>([
  ["no stream", { greeting: said() }, { streaming: "no", streaming_usage: "no" }],
  ["a stream without usage", { greeting: said({ first_token_ms: 1, usage: null }) }, { streaming_usage: "no" }],
  ["text in place of a call", { tools: said({ text: "21 degrees" }) }, { tools: "no", parallel_tools: "no" }],
  ["tools refused", { tools: failed("upstream_rejected") }, { tools: "no", parallel_tools: "no" }],
  ["one call for three", { parallel: said({ tool_calls: [call("Paris")] }) }, { parallel_tools: "no" }],
  ["a schema ignored", { schema: said({ text: "Paris, 21 degrees" }) }, { json_schema: "no" }],
  ["other JSON", { schema: said({ text: '{"city":"Paris","celsius":"21"}' }) }, { json_schema: "no" }],
  ["JSON with more", { schema: said({ text: '{"city":"Paris","celsius":21,"x":1}' }) }, { json_schema: "no" }],
  ["a schema refused", { schema: failed("upstream_rejected") }, { json_schema: "no" }],
  ["an outage in between", { schema: failed("upstream_error", 503) }, { json_schema: "unknown" }],
  ["no credit left", { tools: withoutCredit }, { tools: "unknown", parallel_tools: "unknown" }],
])("%s is seen for what it is", async (_, answers, expected) => {
  const { capabilities } = await probeCapabilities(fakeModel(answers).model, { signal });
  expect(verdicts(capabilities)).toEqual({ ...all("yes"), ...expected });
});

test("a model that cannot be reached is asked once, and nothing is known", async () => {
  const { model, asked } = fakeModel({ greeting: failed("upstream_unreachable", null) });
  const report = await probeCapabilities(model, { signal });
  expect(verdicts(report.capabilities)).toEqual(all("unknown"));
  expect(report.capabilities.tools.detail).toBe("because upstream_unreachable");
  expect(asked).toHaveLength(1);
});

test("an endpoint that refuses the limit is asked without it", async () => {
  const { model, asked } = fakeModel();
  const picky: ChatModel = async (request, options) =>
    request.parameters ? failed("upstream_rejected") : model(request, options);
  const { capabilities } = await probeCapabilities(picky, { signal });
  expect(verdicts(capabilities)).toEqual(all("yes"));
  expect(asked).toHaveLength(4);
});

test("neither an abort nor a model that throws makes it throw", async () => {
  const { model } = fakeModel();
  const aborted = await probeCapabilities(model, { signal: AbortSignal.abort() });
  expect(verdicts(aborted.capabilities)).toEqual(all("unknown"));
  const broken: ChatModel = async () => {
    throw new Error("bug");
  };
  expect(verdicts((await probeCapabilities(broken, { signal })).capabilities)).toEqual(all("unknown"));
});

test("what was found is kept with its time until it is too old or forgotten", async () => {
  let time = 1000;
  const cache = createCapabilityCache({ now: () => time, maximumAgeMs: 500 });
  const { model, asked } = fakeModel();
  const target = { provider: "hub", model_id: "a/b" };
  const [first, second] = await Promise.all([
    cache.probe({ ...target, model, signal }),
    cache.probe({ ...target, model, signal }),
  ]);
  expect(second).toBe(first);
  expect(first).toMatchObject({ ...target, probed_at: 1000, tokens: 60 });
  expect(await cache.probe({ ...target, model, signal })).toBe(first);
  expect(cache.list()).toEqual([first]);
  expect(asked).toHaveLength(4);

  await cache.probe({ provider: "studio", model_id: "a/b", model, signal });
  expect(asked).toHaveLength(8);
  time = 1501;
  expect(cache.list()).toEqual([]);
  expect(await cache.probe({ ...target, model, signal })).toMatchObject({ probed_at: 1501 });
  cache.forget(target);
  await cache.probe({ ...target, model, signal });
  expect(asked).toHaveLength(16);
});

test("what says nothing is not kept, and does not answer who asked at the same time", async () => {
  const cache = createCapabilityCache();
  const target = { provider: "hub", model_id: "a/b" };
  const down = fakeModel({ greeting: failed("upstream_unreachable", null) });
  const [, second] = await Promise.all([
    cache.probe({ ...target, model: down.model, signal }),
    cache.probe({ ...target, model: fakeModel().model, signal }),
  ]);
  expect(verdicts(second.capabilities)).toEqual(all("yes"));
  expect(cache.list()).toEqual([second]);
});
