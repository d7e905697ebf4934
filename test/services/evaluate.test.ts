import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { hang, resetBeforeHeaders } from "../support/fake-provider/connection-faults.ts";
import { modelNotFound, rateLimited, serverError, unauthorized } from "../support/fake-provider/error-statuses.ts";
import { emptyBody, halfJson, html, htmlNotFound, noChoices } from "../support/fake-provider/malformed-replies.ts";
import { text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";

let provider: FakeProvider;
let services: RunningServices;

beforeAll(async () => {
  provider = await startFakeProvider();
  services = await runServices(
    {},
    { upstream: { firstByteTimeoutMs: 300, retries: 1 }, breaker: { minimumCalls: 100_000 } },
  );
});

afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

/** The request of the interface specification, field by field. */
function specRequest(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    test_batch: {
      id: "greeting-1",
      interactions: [
        {
          id: "turn-1",
          user_message: "Hello",
          agent_reply: "",
          reference_reply: "You said: Hello",
          interaction_type: "opening",
          reference_metadata: { intent: "greeting", sentiment: "positive" },
          generated_metadata: {},
        },
      ],
      description: "A greeting",
    },
    endpoint: provider.url,
    model_id: "fake-model",
    attempts: 2,
    test_name: "spec example",
    ...overrides,
  };
}

async function evaluate(body: Record<string, unknown>): Promise<EvaluationResponse> {
  const answer = await send(`${services.evaluation}/evaluate`, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return EvaluationResponse.parse(answer.body);
}

const turns = (...messages: string[]): Record<string, unknown> => ({
  id: "talk",
  interactions: messages.map((user_message, index) => ({ id: `turn-${index + 1}`, user_message })),
});

describe("the specification's own request", () => {
  test("is answered with every input field, the reply, labels and scores", async () => {
    const response = await evaluate(specRequest());
    expect(response.message).toBe("Evaluation completed: 2 interactions");
    const [scenario] = response.results.scenarios;
    expect(scenario?.scenario_id).toBe("greeting-1");
    expect(scenario?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    const [interaction] = scenario?.attempts[0]?.interactions ?? [];
    expect(interaction).toMatchObject({
      id: "turn-1",
      user_message: "Hello",
      agent_reply: "You said: Hello",
      reference_reply: "You said: Hello",
      interaction_type: "opening",
      reference_metadata: { intent: "greeting", sentiment: "positive" },
      error: null,
    });
    expect(Object.keys(interaction?.generated_metadata ?? {})).toEqual(["intent", "sentiment"]);
    expect(interaction?.scores).toMatchObject({
      success: 1,
      exact_match: 1,
      token_f1: 1,
      rouge_l: 1,
      chrf: 1,
    });
    expect(scenario?.attempts[0]?.average_scores["token_f1"]).toBe(1);
    expect(scenario?.average_scores["token_f1"]).toBe(1);
  });

  test("may leave out everything that has a default", async () => {
    const response = await evaluate({
      test_batch: turns("One", "Two"),
      endpoint: `${provider.url}/chat/completions`,
      model_id: "fake-model",
    });
    expect(response.test_name).toBe("talk");
    const [attempt] = response.results.scenarios[0]?.attempts ?? [];
    expect(attempt?.interactions.map((turn) => turn.interaction_type)).toEqual(["opening", "follow_up"]);
    expect(Object.keys(attempt?.average_scores ?? {})).toEqual(["success"]);
  });

  test("reports fields it does not know, with the nearest name", async () => {
    const response = await evaluate(specRequest({ atempts: 3 }));
    expect(response.warnings).toMatchObject([{ pointer: "/atempts", suggestion: "attempts" }]);
  });
});

describe("a conversation", () => {
  test("grows by the model's own replies, and each attempt starts afresh", async () => {
    provider.setModelBehaviour("counter", ({ request, response }) => {
      const messages = request.body?.["messages"] as { role: string; content: string }[];
      text(messages.map(({ role, content }) => `${role}:${content}`).join("|"))({ request, response });
    });
    const response = await evaluate({
      test_batch: turns("A", "B"),
      endpoint: provider.url,
      model_id: "counter",
      attempts: 3,
      system_prompt: "Be brief.",
    });
    for (const attempt of response.results.scenarios[0]?.attempts ?? []) {
      expect(attempt.interactions.map((turn) => turn.agent_reply)).toEqual([
        "system:Be brief.|user:A",
        "system:Be brief.|user:A|assistant:system:Be brief.|user:A|user:B",
      ]);
    }
  });

  test("takes an array of scenarios and keeps their order", async () => {
    const response = await evaluate({
      test_batch: [
        { ...turns("A"), id: "first" },
        { ...turns("B"), id: "second" },
      ],
      endpoint: provider.url,
      model_id: "fake-model",
    });
    expect(response.results.scenarios.map(({ scenario_id }) => scenario_id)).toEqual(["first", "second"]);
  });

  test("uses labels the endpoint attaches to its reply", async () => {
    provider.setModelBehaviour("labelled", text("Hi", { metadata: { intent: "greeting" } }));
    const response = await evaluate(specRequest({ model_id: "labelled" }));
    const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
    expect(turn?.generated_metadata["intent"]).toBe("greeting");
    expect(turn?.label_sources["intent"]?.source).toBe("endpoint");
    expect(turn?.label_sources["sentiment"]?.source).toBe("local");
    expect(turn?.scores["metadata.intent"]).toBe(1);
  });
});

describe("a model that cannot be used", () => {
  const failures: Record<string, { behaviour: Behaviour; code: string }> = {
    "bad credential": { behaviour: unauthorized, code: "upstream_auth" },
    "wrong model": { behaviour: modelNotFound, code: "model_not_found" },
    "HTML answer": { behaviour: html, code: "upstream_invalid_reply" },
    "no choices": { behaviour: noChoices, code: "upstream_invalid_reply" },
    "empty body": { behaviour: emptyBody, code: "upstream_invalid_reply" },
    "half JSON": { behaviour: halfJson, code: "upstream_invalid_reply" },
    "server error": { behaviour: serverError, code: "upstream_error" },
    reset: { behaviour: resetBeforeHeaders, code: "upstream_reset" },
    hang: { behaviour: hang, code: "upstream_timeout" },
  };

  test.each(Object.entries(failures))(
    "%s is 200 with `Request failed` and its cause",
    async (name, { behaviour, code }) => {
      provider.setModelBehaviour(name, behaviour);
      const response = await evaluate(specRequest({ model_id: name, attempts: 1 }));
      const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
      expect(turn?.agent_reply).toBe("Request failed");
      expect(turn?.error?.code).toBe(code);
      expect(turn?.scores).toEqual({ success: 0 });
      expect(turn?.generated_metadata).toEqual({});
      expect(response.message).toBe(`Evaluation completed: 1 of 1 interaction failed (${code})`);
      expect(response.state).toBe("completed");
    },
  );

  test.each([
    ["wrong port", "http://127.0.0.1:9/v1", "upstream_unreachable"],
    ["wrong host", "http://no-such-host.invalid/v1", "upstream_dns"],
  ])("%s is a completed run too", async (_name, endpoint, code) => {
    const response = await evaluate(specRequest({ endpoint, attempts: 1 }));
    expect(response.results.scenarios[0]?.attempts[0]?.interactions[0]?.error?.code).toBe(code);
  });

  test("wrong path says where to look", async () => {
    provider.setModelBehaviour("lost", htmlNotFound);
    const response = await evaluate(specRequest({ model_id: "lost", attempts: 1 }));
    const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
    expect(turn?.agent_reply).toBe("Request failed");
    expect(turn?.error?.detail).toContain("404");
  });

  test("a failure that will repeat is not asked for again in the attempt", async () => {
    provider.setModelBehaviour("locked", unauthorized);
    const before = provider.requests.length;
    const response = await evaluate({ test_batch: turns("A", "B", "C"), endpoint: provider.url, model_id: "locked" });
    expect(provider.requests.length - before).toBe(1);
    const replies = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
    expect(replies.map((turn) => turn.agent_reply)).toEqual(["Request failed", "Request failed", "Request failed"]);
  });

  test("a turn that failed in passing is left out of the history", async () => {
    let calls = 0;
    provider.setModelBehaviour("hiccup", (call) => {
      const failing = calls === 1 || calls === 2;
      calls += 1;
      return failing ? serverError(call) : text(`reply ${calls}`)(call);
    });
    await evaluate({ test_batch: turns("A", "B", "C"), endpoint: provider.url, model_id: "hiccup" });
    const last = provider.requests.at(-1)?.body?.["messages"] as { content: string }[];
    expect(last.map(({ content }) => content)).toEqual(["A", "reply 1", "C"]);
  });

  test("killed in mid-run: missing turns are `Request failed`, the others are kept", async () => {
    const doomed = await startFakeProvider();
    let calls = 0;
    doomed.setBehaviour(async (call) => {
      calls += 1;
      if (calls === 1) return text("still here")(call);
      call.response.destroy();
      await doomed.close();
    });
    const response = await evaluate({ test_batch: turns("A", "B", "C"), endpoint: doomed.url, model_id: "m" });
    const replies = response.results.scenarios[0]?.attempts[0]?.interactions.map((turn) => turn.agent_reply);
    expect(replies).toEqual(["still here", "Request failed", "Request failed"]);
    expect(response.message).toMatch(/^Evaluation completed: 2 of 3 interactions failed/);
  });
});

describe("a malformed request", () => {
  const bad: [string, Record<string, unknown>, string, string][] = [
    ["no interactions", { test_batch: { id: "a", interactions: [] } }, "validation_failed", "/test_batch/interactions"],
    ["attempts 0", { attempts: 0 }, "validation_failed", "/attempts"],
    ["attempts 1.5", { attempts: 1.5 }, "validation_failed", "/attempts"],
    ["attempts as text", { attempts: "3" }, "validation_failed", "/attempts"],
    ["attempts 1e9", { attempts: 1e9 }, "validation_failed", "/attempts"],
    ["endpoint that is no URL", { endpoint: "somewhere" }, "endpoint_invalid", "/endpoint"],
    ["endpoint with user info", { endpoint: "http://u:p@127.0.0.1/v1" }, "endpoint_invalid", "/endpoint"],
    ["file endpoint", { endpoint: "file:///etc/passwd" }, "endpoint_invalid", "/endpoint"],
    [
      "doubled interaction ids",
      {
        test_batch: {
          id: "a",
          interactions: [
            { id: "x", user_message: "1" },
            { id: "x", user_message: "2" },
          ],
        },
      },
      "validation_failed",
      "/test_batch/interactions/1/id",
    ],
    ["doubled scenario ids", { test_batch: [turns("A"), turns("B")] }, "validation_failed", "/test_batch/1/id"],
    ["no model", { model_id: "" }, "validation_failed", "/model_id"],
    [
      "65 labels",
      {
        test_batch: {
          id: "a",
          interactions: [
            {
              id: "x",
              user_message: "1",
              reference_metadata: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, 1])),
            },
          ],
        },
      },
      "validation_failed",
      "/test_batch/interactions/0/reference_metadata",
    ],
  ];

  test.each(bad)("%s is refused where it is wrong, and nothing is stored", async (_name, overrides, code, pointer) => {
    const before = (await send(`${services.evaluation}/runs?limit=200`)).body as { runs: unknown[] };
    const answer = await send(`${services.evaluation}/evaluate`, { body: specRequest(overrides) });
    const problem = Problem.parse(answer.body);
    expect({ status: answer.status, code: problem.code }).toEqual({ status: 422, code });
    expect(problem.errors?.map((field) => field.pointer)).toContain(pointer);
    const after = (await send(`${services.evaluation}/runs?limit=200`)).body as { runs: unknown[] };
    expect(after.runs.length).toBe(before.runs.length);
  });

  test("more calls than allowed is refused before anything is made", async () => {
    const interactions = Array.from({ length: 200 }, (_, index) => ({ id: String(index), user_message: "x" }));
    const answer = await send(`${services.evaluation}/evaluate`, {
      body: specRequest({ test_batch: { id: "big", interactions }, attempts: 100 }),
    });
    expect(answer.status).toBe(422);
    expect(Problem.parse(answer.body).code).toBe("too_many_interactions");
  });

  test("a metadata address is refused under every policy", async () => {
    const answer = await send(`${services.evaluation}/evaluate`, {
      body: specRequest({ endpoint: "http://[::ffff:169.254.169.254]/v1" }),
    });
    expect([answer.status, Problem.parse(answer.body).code]).toEqual([403, "endpoint_not_allowed"]);
  });
});

test("runs beyond limits.queue_max_runs are refused until one has ended", async () => {
  await using slow = await startFakeProvider({ behaviour: hang });
  await using few = await runServices(
    { REHEARSAL_DEMO: "off", REHEARSAL_SHUTDOWN_GRACE_MS: "100" },
    { runs: { queueLength: 1 } },
  );
  const begin = (key: string) =>
    send(`${few.evaluation}/evaluate`, {
      body: specRequest({ endpoint: slow.url }),
      headers: { prefer: "respond-async", "idempotency-key": key },
    });
  const first = await begin("first");
  expect(first.status).toBe(202);
  const refused = await begin("second");
  expect(refused.status).toBe(503);
  expect(Problem.parse(refused.body)).toMatchObject({ code: "overloaded", retryable: true });
  expect(refused.headers.get("retry-after")).toBe("10");
  expect((await begin("first")).status).toBe(202);
  const { run_id } = first.body as { run_id: string };
  await send(`${few.evaluation}/runs/${run_id}`, { method: "DELETE" });
  expect((await begin("second")).status).toBe(202);
});

test("calls to one origin keep to the rate the operator set, whatever run they belong to", async () => {
  await using endpoint = await startFakeProvider();
  await using slow = await runServices({ REHEARSAL_DEMO: "off" }, { rateLimits: { originRequests: 120 } });
  const body = specRequest({ endpoint: endpoint.url, attempts: 2 });
  const startedAt = performance.now();
  const answers = await Promise.all([body, body].map((one) => send(`${slow.evaluation}/evaluate`, { body: one })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  // Two a second, one of them at once: the fourth call starts after about a second.
  expect(performance.now() - startedAt).toBeGreaterThan(900);
});

test("a run loses nothing to an endpoint that refuses every other call for its rate limit", async () => {
  let calls = 0;
  const everyOther: Behaviour = (call) => ((calls += 1) % 2 === 0 ? rateLimited({}) : text("Hello"))(call);
  await using limited = await startFakeProvider({ behaviour: everyOther });
  await using patient = await runServices();
  const body = specRequest({ endpoint: limited.url, attempts: 40 });
  const answer = await send(`${patient.evaluation}/evaluate`, { body });
  expect(answer.body).toMatchObject({ message: "Evaluation completed: 40 interactions" });
});

test("a run is renamed and tagged, and the list is filtered by tag, label, score and date", async () => {
  const { run_id } = await evaluate(
    specRequest({ tags: ["first"], metadata: { branch: "main" }, test_name: "to tag" }),
  );
  const change = (body: unknown) => send(`${services.evaluation}/runs/${run_id}`, { method: "PATCH", body });
  expect(await change({ test_name: "tagged", tags: ["a b", "c"] })).toMatchObject({
    status: 200,
    body: { test_name: "tagged", tags: ["a b", "c"], metadata: { branch: "main" } },
  });
  expect(await change({ tags: [""] })).toMatchObject({ status: 422, body: { errors: [{ pointer: "/tags/0" }] } });
  expect((await change({ state: "failed" })).status).toBe(422);
  expect((await send(`${services.evaluation}/runs/none`, { method: "PATCH", body: {} })).status).toBe(404);

  const found = async (query: string) => {
    const { status, body } = await send(`${services.evaluation}/runs?${query}`);
    return status === 200 ? (body as { runs: { run_id: string }[] }).runs.map((run) => run.run_id) : status;
  };
  const today = new Date().toISOString().slice(0, 10);
  for (const query of [
    "tag=a%20b",
    "label=branch%3Dmain",
    "test_name=tagged",
    `tag=c&created_from=${today}&created_to=${today}`,
  ])
    expect(await found(query)).toEqual([run_id]);
  expect(await found("tag=c&min_score=0.5&max_score=1")).toEqual([run_id]);
  expect(await found("tag=c&max_score=0.1")).toEqual([]);
  expect(await found("tag=c&created_to=2020-01-01")).toEqual([]);
  expect(await found("created_from=yesterday")).toBe(422);
});
