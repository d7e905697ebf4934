import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { ChatModel, ChatRequest, FailedReply, Reply } from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";

/** Right answers, except that it goes wrong at q2 and stays wrong as long as it sees a wrong reply of its own. */
const drifting = () =>
  fakeModel((request) => {
    const question = lastUserMessage(request);
    const lost = request.messages.some(({ role, content }) => role === "assistant" && content === "lost");
    return question === "q2" || lost ? "lost" : question.replace("q", "a");
  });

const unavailable: FailedReply = {
  ok: false,
  error: { code: "upstream_error", detail: "HTTP 503", upstream_status: 503, tries: 1, retryable: true },
  latency_ms: 1,
};

const contents = ({ messages }: ChatRequest): string => messages.map(({ content }) => content).join(" ");

test("sends the reference replies with reference history, and asks every turn", async () => {
  const model = drifting();
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 3), history: "reference" });
  expect(model.requests.map(contents).toSorted()).toEqual(["q1", "q1 a1 q2", "q1 a1 q2 a2 q3"]);
  expect(response.history).toBe("reference");
  const [attempt] = response.results.scenarios[0]?.attempts ?? [];
  expect(attempt?.interactions.map(({ agent_reply }) => agent_reply)).toEqual(["a1", "lost", "a3"]);
});

test("runs both modes for every attempt, keeps them apart and reports drift by turn", async () => {
  const model = drifting();
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 4), history: "both", attempts: 2 });
  expect(model.requests).toHaveLength(16);
  const [scenario] = response.results.scenarios;
  const replies = (attempts: typeof scenario extends undefined ? never : NonNullable<typeof scenario>["attempts"]) =>
    attempts.map(({ interactions }) => interactions.map(({ agent_reply }) => agent_reply).join(" "));
  expect(replies(scenario?.attempts ?? [])).toEqual(["a1 lost lost lost", "a1 lost lost lost"]);
  expect(replies(scenario?.reference_attempts ?? [])).toEqual(["a1 lost a3 a4", "a1 lost a3 a4"]);
  expect(scenario?.average_scores["overall"]).toBe(0.25);
  expect(scenario?.drift?.scores["overall"]).toEqual({
    generated: 0.25,
    reference: 0.75,
    gap: 0.5,
    n: 8,
    ci_lower: null,
    ci_upper: null,
  });
  expect(scenario?.drift?.by_turn.map((turn) => turn["overall"]?.gap)).toEqual([0, 0, 1, 1]);
  expect(response.summary.drift?.sentence).toContain("0.500 lower with the model's own replies as history");
  expect(response.summary.reference_scores?.["overall"]).toBe(0.75);
  expect(response.summary.interactions).toBe(8);
  expect(response.usage.total_tokens).toBe(16 * 15);
});

test("finds the first bad turn and replays from there with reference history", async () => {
  const model = drifting();
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 4),
    threshold: 0.8,
    replay_first_bad_turn: true,
  });
  expect(model.requests).toHaveLength(4 + 3);
  const [attempt] = response.results.scenarios[0]?.attempts ?? [];
  expect(attempt?.first_bad_turn).toEqual({ turn_index: 1, id: "t2", overall: 0 });
  expect(attempt?.replay).toMatchObject({ from_turn: 1, repaired: false });
  expect(attempt?.replay?.interactions.map(({ agent_reply }) => agent_reply)).toEqual(["lost", "a3", "a4"]);
  expect(attempt?.replay?.sentence).toContain(
    "3 of 3 turns were bad; with the reference replies before them 1 still is",
  );
  expect(attempt?.average_scores["overall"]).toBe(0.25);
  expect(response.summary.interactions).toBe(4);
  expect(response.usage.total_tokens).toBe(7 * 15);
});

test.each<[string, string, Reply, string]>([
  ["nothing, where the first turn was bad", "q1", sampleReply("lost"), "the reference replies before them none is."],
  ["nothing, where a call failed", "q2", unavailable, "the reference replies before them none is."],
  [
    "chance, where the model said what the references say",
    "q2",
    sampleReply("lost"),
    "none is: the replies before it were those already, so that is chance.",
  ],
])("blames %s for nothing after a good replay", async (_blamed, question, bad, end) => {
  const right = fakeModel((request) => lastUserMessage(request).replace("q", "a"));
  const answers = [bad];
  const model: ChatModel = async (request, options) =>
    (lastUserMessage(request) === question && answers.pop()) || right(request, options);
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 3),
    threshold: 0.8,
    replay_first_bad_turn: true,
  });
  const replay = response.results.scenarios[0]?.attempts[0]?.replay;
  expect(replay).toMatchObject({ repaired: true, sentence: expect.stringMatching(new RegExp(`${end}$`)) });
});

test("names earlier replies as a possible cause after a good replay, without proof", async () => {
  const model = fakeModel((request) => {
    const asked = lastUserMessage(request);
    const astray = request.messages.some(({ content }) => content === "a1 and more");
    return asked === "q1" ? "a1 and more" : astray ? "lost" : asked.replace("q", "a");
  });
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 2),
    replay_first_bad_turn: true,
    threshold: 0.4,
  });
  expect(response.results.scenarios[0]?.attempts[0]?.replay).toMatchObject({
    from_turn: 1,
    repaired: true,
    sentence:
      "From turn 2 on, 1 of 1 turn was bad; with the reference replies before them none is: the model's own earlier replies may be the cause, though one replay cannot rule out chance.",
  });
});

test("counts neither turns nor failures of a replay as progress", async () => {
  await using bench = await startBench({ models: { model: () => Promise.resolve(unavailable) } });
  const { run_id, message } = await bench.evaluate({
    test_batch: [numberedScenario("s", 2), numberedScenario("t", 2)],
    threshold: 0.8,
    replay_first_bad_turn: true,
    budget: { calls: 4 },
    concurrency: 1,
  });
  expect(message).toContain("stopped by budget, 2 of 4 turns; 2 failed");
  const { progress } = (await bench.store.runs.get(run_id))!;
  expect(progress).toMatchObject({ interactions_total: 4, interactions_done: 2, interactions_failed: 2 });
});

test("does not replay an attempt without a bad turn", async () => {
  const model = fakeModel((request) => lastUserMessage(request).replace("q", "a"));
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 2),
    threshold: 0.8,
    replay_first_bad_turn: true,
  });
  expect(model.requests).toHaveLength(2);
  expect(response.results.scenarios[0]?.attempts[0]).toMatchObject({ first_bad_turn: null });
  expect(response.results.scenarios[0]?.attempts[0]?.replay).toBeUndefined();
});

test("applies the threshold of the request to turns and attempts", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a b") } });
  const test_batch = { id: "s", interactions: [{ id: "1", user_message: "q", reference_reply: "a b c d" }] };
  const without = await bench.evaluate({ test_batch });
  const strict = await bench.evaluate({ test_batch, threshold: 0.8 });
  const lenient = await bench.evaluate({ test_batch, threshold: 0.4 });
  expect(without.results.scenarios[0]).toMatchObject({ reliability: null, attempts: [{ first_bad_turn: null }] });
  expect(without.results.scenarios[0]).not.toHaveProperty("threshold");
  expect(strict.results.scenarios[0]?.attempts[0]?.first_bad_turn?.turn_index).toBe(0);
  expect(strict.results.scenarios[0]?.reliability).toMatchObject({ threshold: 0.8, passed: 0 });
  expect(lenient.results.scenarios[0]?.attempts[0]?.first_bad_turn).toBeNull();
  expect(lenient.results.scenarios[0]?.reliability).toMatchObject({ threshold: 0.4, passed: 1 });
  expect(lenient.results.scenarios[0]?.threshold).toBe(0.4);
});

test("continues at the missing turns of each pass after a worker stopped", async () => {
  const gate = Promise.withResolvers<void>();
  const asked: string[] = [];
  const inner = fakeModel((request) => lastUserMessage(request).replace("q", "a"));
  const model: typeof inner = Object.assign(
    async (...input: Parameters<typeof inner>) => {
      asked.push(contents(input[0]));
      if (asked.length === 5) gate.resolve();
      if (asked.length >= 5 && asked.length <= 6) {
        await new Promise((_, reject) => input[1].signal.addEventListener("abort", () => reject(new Error("aborted"))));
      }
      return inner(...input);
    },
    { requests: inner.requests },
  );
  await using bench = await startBench({ models: { model } });
  const run = await bench.create({ test_batch: numberedScenario("s", 3), history: "both" });
  await gate.promise;
  await bench.runs.stop({ graceMs: 0 });
  asked.length = 100;
  await bench.runs.start();
  const response = await bench.results(await bench.runs.wait(run.id, AbortSignal.timeout(10_000)));
  expect(response.results.scenarios[0]?.attempts[0]?.interactions).toHaveLength(3);
  expect(response.results.scenarios[0]?.reference_attempts?.[0]?.interactions).toHaveLength(3);
  expect(inner.requests).toHaveLength(6);
});

test("keeps the replies of one pass when a shutdown stops the other", async () => {
  const inner = fakeModel((request) => lastUserMessage(request).replace("q", "a"));
  const refused = Promise.withResolvers<void>();
  let stopping = true;
  const model: ChatModel = async (request, options) => {
    const isSecond = request.messages.length === 1 && inner.requests.length > 0;
    if (stopping && isSecond) {
      refused.resolve();
      throw new ServiceError("shutting_down", "The service is stopping.");
    }
    const reply = await inner(request, options);
    if (stopping) await refused.promise;
    return reply;
  };
  await using bench = await startBench({ models: { model } });
  const run = await bench.create({ test_batch: numberedScenario("s", 2), history: "both" });
  await refused.promise;
  await bench.runs.stop({ graceMs: 10_000 });
  stopping = false;
  await bench.runs.start();
  const response = await bench.results(await bench.runs.wait(run.id, AbortSignal.timeout(10_000)));
  expect(response.results.scenarios[0]?.reference_attempts?.[0]?.interactions).toHaveLength(2);
  expect(inner.requests).toHaveLength(4);
});

test("refuses a replay with reference history", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "") } });
  const request = {
    test_batch: numberedScenario("s", 1),
    history: "reference",
    threshold: 0.8,
    replay_first_bad_turn: true,
  };
  const refusal = await bench.create(request).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ServiceError);
  expect(refusal).toMatchObject({ code: "validation_failed", errors: [{ pointer: "/replay_first_bad_turn" }] });
});
