import { expect, test } from "vitest";
import type { ErrorCode } from "../../contract/errors/errors.ts";
import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import type { ChatModel, Reply } from "../../contract/ports/chat-model.ts";
import { rateLimited } from "../../../test/support/fake-provider/error-statuses.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";
import type { RoutedModel } from "./router.ts";
import { withFallbacks } from "./with-fallbacks.ts";

const { signal } = new AbortController();
const request = { messages: [{ role: "user", content: "Hi" }] } as const;

const failure = (code: ErrorCode): Reply => ({
  ok: false,
  error: { code, detail: code, upstream_status: null, tries: 1, retryable: false },
  latency_ms: 1,
});
const answer = { ok: true, text: "Yes" } as Reply;

function route(resolved: string, ...replies: Reply[]): RoutedModel & { calls: () => number } {
  let calls = 0;
  const model: ChatModel = async (_request, { onText }) => {
    const reply = replies[Math.min(calls, replies.length - 1)] as Reply;
    calls += 1;
    if (reply.ok) onText?.(reply.text);
    return reply;
  };
  return { model, resolved, provider: "hub", upstreamModel: resolved, calls: () => calls };
}

test.each(["upstream_auth", "upstream_timeout", "upstream_rate_limited", "upstream_invalid_reply"] as const)(
  "%s moves on to the next model, which then stays",
  async (code) => {
    const first = route("a/1", failure(code));
    const second = route("b/2", answer);
    const switched: string[] = [];
    const model = withFallbacks([first, second], ({ resolved }) => switched.push(resolved));
    expect(await model(request, { signal })).toBe(answer);
    expect(await model(request, { signal })).toBe(answer);
    expect([first.calls(), second.calls(), switched]).toEqual([1, 2, ["b/2"]]);
  },
);

test.each(["context_length_exceeded", "model_not_found", "upstream_rejected"] as const)(
  "%s is about the request: no other model is asked",
  async (code) => {
    const second = route("b/2", answer);
    const model = withFallbacks([route("a/1", failure(code)), second], () => {});
    expect(await model(request, { signal })).toMatchObject({ ok: false, error: { code } });
    expect(second.calls()).toBe(0);
  },
);

test.each<[string, number, object, Protocol]>([
  ["as HTTP says it", 402, {}, "openai-chat"],
  ["as OpenAI says it", 429, { code: "insufficient_quota" }, "openai-chat"],
  ["as Alibaba says it", 400, { code: "Arrearage" }, "openai-chat"],
  ["as Anthropic says it", 400, { message: "Your credit balance is too low" }, "anthropic-messages"],
  ["that HTTP calls a success", 200, { code: "insufficient_quota" }, "openai-chat"],
])("uses the next model for an empty account (%s)", async (_, status, error, protocol) => {
  await using provider = await startFakeProvider({ behaviour: json({ error }, status) });
  await using outbound = createOutbound();
  const model = createChatModel({ outbound, protocol, endpoint: provider.url, modelId: "m" });
  const first = { ...route("a/1"), model };
  expect(await withFallbacks([first, route("b/2", answer)], () => {})(request, { signal })).toBe(answer);
  expect(provider.requests).toHaveLength(1);
});

test("reports each failure that is not the result, once", async () => {
  const heard = async (first: Reply, second: Reply, third: Reply) => {
    const heard: string[] = [];
    const model = withFallbacks(
      [route("a/1", first), route("b/2", second), route("c/3", third)],
      () => {},
      ({ route: { resolved }, reply }) => heard.push(`${resolved} ${reply.error.code}`),
    );
    await model(request, { signal });
    return heard;
  };
  const [reset, auth] = [failure("upstream_reset"), failure("upstream_auth")];
  expect(await heard(answer, reset, reset)).toEqual([]);
  expect(await heard(reset, auth, answer)).toEqual(["a/1 upstream_reset", "b/2 upstream_auth"]);
  expect(await heard(auth, reset, reset)).toEqual(["b/2 upstream_reset", "c/3 upstream_reset"]);
});

test("returns the first failure when every model fails, and starts the next call with the same model", async () => {
  const first = route("a/1", failure("upstream_reset"), answer);
  const second = route("b/2", failure("upstream_auth"));
  const switched: string[] = [];
  const model = withFallbacks([first, second], ({ resolved }) => switched.push(resolved));
  expect(await model(request, { signal })).toMatchObject({ error: { code: "upstream_reset" } });
  expect(switched).toEqual(["b/2", "a/1"]);
  expect(await model(request, { signal })).toBe(answer);
});

test("skips a fallback that its provider does not know", async () => {
  const unknown = route("b/2", failure("model_not_found"));
  const third = route("c/3", answer);
  const model = withFallbacks([route("a/1", failure("upstream_error")), unknown, third], () => {});
  expect(await model(request, { signal })).toBe(answer);

  const none = withFallbacks([route("a/1", failure("upstream_error")), unknown], () => {});
  expect(await none(request, { signal })).toMatchObject({ error: { code: "upstream_error" } });
});

test("stops at a fallback that rejects the request, and returns the first failure", async () => {
  const third = route("c/3", answer);
  const model = withFallbacks(
    [route("a/1", failure("upstream_error")), route("b/2", failure("context_length_exceeded")), third],
    () => {},
  );
  expect(await model(request, { signal })).toMatchObject({ error: { code: "upstream_error" } });
  expect(third.calls()).toBe(0);
});

test("does not replace a model after its first text", async () => {
  const speaks: ChatModel = async (_request, { onText }) => {
    onText?.("Half");
    return failure("upstream_reset");
  };
  const second = route("b/2", answer);
  const model = withFallbacks([{ ...route("a/1", answer), model: speaks }, second], () => {});
  expect(await model(request, { signal, onText: () => {} })).toMatchObject({ error: { code: "upstream_reset" } });
  expect(second.calls()).toBe(0);
});

test("leaves a rate-limited model at once, but waits for the last one", async () => {
  const script = [rateLimited({ "retry-after": "30" })];
  await using first = await startFakeProvider({ script });
  await using second = await startFakeProvider({ script });
  const waits: number[] = [];
  await using outbound = createOutbound({ sleep: async (milliseconds) => void waits.push(milliseconds) });
  const routed = (endpoint: string, protocol: "openai-chat" | "agent"): RoutedModel => {
    const model = createChatModel({ outbound, endpoint, protocol, modelId: "m" });
    return { model, resolved: protocol, provider: "hub", upstreamModel: "m" };
  };
  const third = routed(second.url, "openai-chat");
  const model = withFallbacks([routed(first.url, "openai-chat"), routed(first.origin, "agent"), third], () => {});
  first.enqueue(rateLimited({ "retry-after": "30" }));
  expect(await model(request, { signal })).toMatchObject({ ok: true, tries: 2 });
  expect(waits).toEqual([30_000]);
  expect(first.requests).toHaveLength(2);
});

test("reports a rate limit at once when the caller has less time", async () => {
  await using provider = await startFakeProvider({ behaviour: rateLimited({ "retry-after": "30" }) });
  const waits: number[] = [];
  await using outbound = createOutbound({ sleep: async (milliseconds) => void waits.push(milliseconds) });
  const only = createChatModel({ outbound, endpoint: provider.url, protocol: "openai-chat", modelId: "m" });
  const route: RoutedModel = { model: only, resolved: "a/1", provider: "hub", upstreamModel: "m" };
  const error = { code: "upstream_rate_limited", retry_after_ms: 30_000 };
  for (const model of [only, withFallbacks([route], () => {})]) {
    expect(await model(request, { signal, longestWaitMs: 2500 })).toMatchObject({ ok: false, error });
  }
  expect(waits).toEqual([]);
});

test("replaces a model that fails while reasoning, and separates the next one's reasoning", async () => {
  const thinks: ChatModel = async (_request, { onReasoning }) => {
    onReasoning?.("Half");
    return failure("upstream_reset");
  };
  const second: ChatModel = async (_request, { onReasoning }) => {
    onReasoning?.("Whole");
    return answer;
  };
  const routes = [
    { ...route("a/1"), model: thinks },
    { ...route("b/2"), model: second },
  ] as const;
  let thought = "";
  const options = { signal, onText: () => {}, onReasoning: (text: string) => (thought += text) };
  expect(await withFallbacks(routes, () => {})(request, options)).toBe(answer);
  expect(thought).toBe("Half\n\nWhole");
});
