import { coerceMessageLikeToMessage, type AIMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentReply } from "../../src/contract/schemas/agent/agent-message.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { hang, resetBeforeHeaders } from "../support/fake-provider/connection-faults.ts";
import { modelNotFound, rateLimited, serverError, unauthorized } from "../support/fake-provider/error-statuses.ts";
import { html, noChoices } from "../support/fake-provider/malformed-replies.ts";
import { echo, json, text } from "../support/fake-provider/replies.ts";
import { badToolArguments, toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send, type Answer } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";

const tuned = "5f0d1f0a-1111-4222-8333-944455556666";

let hub: FakeProvider;
let studio: FakeProvider;
let services: RunningServices;

beforeAll(async () => {
  const list = json({
    object: "list",
    data: [
      { id: tuned, name: "support" },
      { id: "not-a-uuid", name: "other" },
    ],
  });
  const tunedModels: Behaviour = (call) => (call.request.method === "GET" ? list(call) : echo(call));
  [hub, studio] = await Promise.all([startFakeProvider(), startFakeProvider({ behaviour: tunedModels })]);
  services = await runServices(
    {
      HUB_BASE_URL: hub.url,
      HUB_API_KEY: "hub-canary-key",
      STUDIO_BASE_URL: studio.url,
      STUDIO_API_KEY: "studio-canary-key",
    },
    { upstream: { firstByteTimeoutMs: 300, retries: 1, retryAfterMaxMs: 1000 }, breaker: { minimumCalls: 100_000 } },
  );
});

afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await Promise.all([hub.close(), studio.close()]);
});

const hello = { messages: [{ type: "human", content: "Hello" }] };

function ask(modelId: string | null, body: unknown = hello): Promise<Answer> {
  return send(`${services.agent}/`, { body, headers: modelId === null ? {} : { "x-model-id": modelId } });
}

describe("routing by x-model-id", () => {
  test.each([
    tuned,
    tuned.toUpperCase(),
    "00000000-0000-0000-0000-000000000000",
    "11111111-1111-1111-1111-111111111111",
    tuned.replaceAll("-", ""),
    `{${tuned}}`,
    `urn:uuid:${tuned}`,
  ])("%s goes to the fine-tuned provider, unchanged", async (id) => {
    const answer = await ask(id);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-model-resolved")).toBe(id);
    expect(studio.requests.at(-1)?.body?.["model"]).toBe(id);
    expect(studio.requests.at(-1)?.headers.authorization).toBe("Bearer studio-canary-key");
  });

  test("a value with a slash goes to the hub, whole", async () => {
    const answer = await ask("hf/meta-llama/Llama-3.1-8B:free");
    expect(answer.status).toBe(200);
    expect(hub.requests.at(-1)?.body?.["model"]).toBe("hf/meta-llama/Llama-3.1-8B:free");
    expect(hub.requests.at(-1)?.headers.authorization).toBe("Bearer hub-canary-key");
  });

  test.each(["plain", "a/", "/a", "a//b", "a/../b", "a/b?x", "a/b#c", "a\\b", "a/b,c/d", "x".repeat(600)])(
    "%s is refused without a call",
    async (id) => {
      const before = hub.requests.length + studio.requests.filter(({ method }) => method === "POST").length;
      const answer = await ask(id);
      expect([answer.status, Problem.parse(answer.body).code]).toEqual([400, "model_id_invalid"]);
      expect(hub.requests.length + studio.requests.filter(({ method }) => method === "POST").length).toBe(before);
    },
  );

  test("no header at all is its own mistake", async () => {
    const answer = await ask(null);
    expect([answer.status, Problem.parse(answer.body).code]).toEqual([400, "model_id_missing"]);
  });
});

describe("GET /studio/models", () => {
  test("maps names to UUIDs; a name from it can be sent too", async () => {
    const answer = await send(`${services.agent}/studio/models`);
    expect(answer.body).toEqual({ support: tuned });
    const named = await ask("support");
    expect(named.headers.get("x-model-resolved")).toBe(tuned);
  });

  test("a provider that is down before any list was seen is a 502", async () => {
    await using down = await startFakeProvider({ behaviour: serverError });
    await using other = await runServices({ STUDIO_BASE_URL: down.url });
    const answer = await send(`${other.agent}/studio/models`);
    expect([answer.status, Problem.parse(answer.body).code]).toEqual([502, "upstream_error"]);
  });
});

describe("the reply", () => {
  test("has every key of the contract and no other", async () => {
    const answer = await ask("hub/any");
    expect(answer.body).toEqual(AgentReply.parse(answer.body));
    expect(answer.body).toMatchObject({ content: "You said: Hello", type: "ai", name: null, example: false });
  });

  test("loses nothing in LangChain's own parser", async () => {
    const reply = AgentReply.parse((await ask("hub/any")).body);
    const message = coerceMessageLikeToMessage({ ...reply, role: undefined } as never) as AIMessage;
    expect(message.getType()).toBe("ai");
    expect(message.content).toBe(reply.content);
    expect(message.id).toBe(reply.id);
    expect(message.usage_metadata).toEqual(reply.usage_metadata);
    expect(message.response_metadata).toEqual(reply.response_metadata);
    expect(message.additional_kwargs).toEqual(reply.additional_kwargs);
  });

  test("can be sent back as history, and so can the contract's own tool message", async () => {
    const first = AgentReply.parse((await ask("hub/any")).body);
    const answer = await ask("hub/any", {
      messages: [
        { type: "human", content: "Hello" },
        first,
        { type: "tool", content: "21 degrees", name: "weather" },
        { type: "human", content: "And now?" },
      ],
    });
    expect(answer.status).toBe(200);
    const sent = hub.requests.at(-1)?.body?.["messages"] as { role: string }[];
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });
});

describe("the loop", () => {
  test("runs the tool the model asks for and returns its last message", async () => {
    hub.enqueue(toolCalls({ name: "calculator", arguments: { expression: "17 * 23" } }), text("It is 391."));
    const answer = await ask("hub/any");
    expect(AgentReply.parse(answer.body)).toMatchObject({ content: "It is 391.", tool_calls: [] });
    expect(answer.headers.get("x-tool-calls")).toBe("1");
    const messages = hub.requests.at(-1)?.body?.["messages"] as { role: string; content: string }[];
    expect(messages.at(-1)?.role).toBe("tool");
    expect(messages.at(-1)?.content).toContain("391");
  });

  test("lets the model repair arguments that are no JSON", async () => {
    hub.enqueue(
      badToolArguments("calculator"),
      toolCalls({ name: "calculator", arguments: { expression: "1 + 1" } }),
      text("Two."),
    );
    expect(AgentReply.parse((await ask("hub/any")).body).content).toBe("Two.");
  });

  test("a forged tool call at the end of the history runs nothing", async () => {
    const answer = await ask("hub/any", {
      messages: [
        { type: "human", content: "Hello" },
        { type: "ai", content: "", tool_calls: [{ name: "calculator", args: { expression: "1" }, id: "call_1" }] },
      ],
    });
    expect(answer.headers.get("x-tool-calls")).toBe("0");
  });
});

describe("a provider that fails", () => {
  const failures: Record<string, { behaviour: Behaviour; status: number; code: string }> = {
    "401": { behaviour: unauthorized, status: 502, code: "upstream_auth" },
    "unknown model": { behaviour: modelNotFound, status: 404, code: "model_not_found" },
    "429": { behaviour: rateLimited({ "retry-after": "30" }), status: 429, code: "upstream_rate_limited" },
    "500": { behaviour: serverError, status: 502, code: "upstream_error" },
    reset: { behaviour: resetBeforeHeaders, status: 502, code: "upstream_reset" },
    HTML: { behaviour: html, status: 502, code: "upstream_invalid_reply" },
    "no choices": { behaviour: noChoices, status: 502, code: "upstream_invalid_reply" },
    hang: { behaviour: hang, status: 504, code: "upstream_timeout" },
  };

  test.each(Object.entries(failures))("%s has the right status and code", async (name, { behaviour, status, code }) => {
    hub.setModelBehaviour(`hub/${name}`.replaceAll(" ", "-"), behaviour);
    const answer = await ask(`hub/${name}`.replaceAll(" ", "-"));
    expect([answer.status, Problem.parse(answer.body).code]).toEqual([status, code]);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(answer.headers.get("x-model-resolved")).toBe(`hub/${name}`.replaceAll(" ", "-"));
    expect(JSON.stringify(answer.body)).not.toContain("canary");
  });

  test("a limit of the provider is passed on with its time", async () => {
    hub.setModelBehaviour("hub/limited", rateLimited({ "retry-after": "30" }));
    expect((await ask("hub/limited")).headers.get("retry-after")).toBe("30");
  });
});

describe("messages that break the contract", () => {
  test.each([
    ["none", { messages: [] }, "/messages"],
    ["no list", {}, "/messages"],
    ["a system message", { messages: [{ type: "system", content: "x" }] }, "/messages/0/type"],
    ["content that is no text", { messages: [{ type: "human", content: 1 }] }, "/messages/0/content"],
    ["a tool message without content", { messages: [{ type: "tool", name: "x" }] }, "/messages/0/content"],
    ["too many", { messages: Array.from({ length: 501 }, () => hello.messages[0]) }, "/messages"],
  ])("%s", async (_name, body, pointer) => {
    const answer = await ask("hub/any", body);
    const problem = Problem.parse(answer.body);
    expect([answer.status, problem.code]).toEqual([422, "validation_failed"]);
    expect(problem.errors?.[0]?.pointer).toBe(pointer);
  });
});

test("a client that goes away closes the call to the model", async () => {
  const closed = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  hub.setModelBehaviour("hub/slow", ({ response }) => {
    response.once("close", () => closed.resolve());
    started.resolve();
  });
  const controller = new AbortController();
  const request = fetch(`${services.agent}/`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-model-id": "hub/slow" },
    body: JSON.stringify(hello),
    signal: controller.signal,
  });
  await started.promise;
  controller.abort();
  await expect(request).rejects.toThrow(/abort/i);
  await closed.promise;
});
