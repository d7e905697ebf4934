import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgentClient, createEvaluationClient, ServiceFailure, ServiceUnreachable } from "../../src/client.ts";
import { followEvents } from "../../src/client/evaluation-client.ts";
import { parseEventStream } from "../../src/client/event-stream.ts";
import { retryWhileServiceUnavailable } from "../../src/client/caller.ts";
import { streamEvents } from "../../src/services/http/responses/event-stream.ts";
import { listen } from "../../src/services/http/listen.ts";
import { createLog } from "../../src/services/http/log.ts";
import { readSettings } from "../../src/settings.ts";
import "../../src/vitest.ts";
import { runServices, type RunningServices } from "../support/services.ts";
import { testShell } from "../support/test-shell.ts";

let services: RunningServices;
beforeAll(async () => {
  services = await runServices();
});
afterAll(() => services[Symbol.asyncDispose]());

const request = () => ({
  test_batch: {
    id: "greeting",
    interactions: [
      {
        id: "1",
        user_message: "What is 2 * 3?",
        reference_reply: "2 * 3 is 6.",
        checks: [{ type: "contains" as const, text: "6" }],
      },
    ],
  },
  endpoint: services.agent,
  protocol: "agent" as const,
  model_id: "demo/scripted",
  attempts: 2,
});

test("evaluates, and the matchers read the result", async () => {
  const client = createEvaluationClient({ url: `${services.evaluation}/` });
  const result = await client.evaluate(request());
  expect(result).toMatchObject({ state: "completed", model_id: "demo/scripted" });
  expect(result).toScoreAbove(0.9);
  expect(result).toScoreAbove(0.9, { score: "token_f1" });
  expect(result).not.toScoreAbove(1);
  expect(result).toPassAtLeast(1, { k: 2 });
  expect(() => expect(result).toScoreAbove(1)).toThrow("overall (mean) is 1, which is not good enough for 1");
  expect(() => expect(result).not.toPassAtLeast(0.5, { k: 3 })).toThrow(
    "pass^3 was not measured: not every scenario has 3 attempts that passed or failed",
  );
  expect(() => expect(result).toScoreAbove(0.5, { score: "judge" })).toThrow(
    /^judge \(mean\) was not measured: there is no such score; the results have .*overall.* \(is there a reference\?\)$/,
  );
});

test("the matchers read the lower end of an interval as gates do", async () => {
  const client = createEvaluationClient({ url: services.evaluation });
  const { test_batch, ...rest } = request();
  const one = await client.evaluate({ test_batch, ...rest });
  const lower = { statistic: "ci_lower" } as const;
  expect(() => expect(one).toScoreAbove(0.5, lower)).toThrow(
    'overall (ci_lower) was not measured: one scenario only, and an interval needs two or more scenarios that differ; the mean is 1.000 (statistic: "mean")',
  );
  const two = await client.evaluate({ test_batch: [test_batch, { ...test_batch, id: "again" }], ...rest });
  expect(two.summary.score_stats["overall"]).toMatchObject({ mean: 1, ci_lower: null });
  expect(two).toScoreAbove(0.34, lower);
  expect(() => expect(two).toScoreAbove(0.35, lower)).toThrow("overall (ci_lower) is 0.342,");
  expect(() => expect(two).toScoreAbove(0.3424, lower)).toThrow("is 0.342, which is not good enough for 0.3424");
});

test("the matchers say what they take", async () => {
  const client = createEvaluationClient({ url: services.evaluation });
  const results = client.evaluate(request());
  expect(() => expect(results).toScoreAbove(0.5)).toThrow("await the promise of evaluate or results");
  const { run_id } = await results;
  const run = await client.get(run_id);
  expect(() => expect(run).toPassAtLeast(0.5)).toThrow("These are not the results of a run");
  expect(() => expect(undefined).not.toScoreAbove(0.5)).toThrow("These are not the results of a run");
});

test("a judge that failed on a reply leaves no mean for the matchers to read", async () => {
  const client = createEvaluationClient({ url: services.evaluation });
  const plain = { id: "2", user_message: "What is 3 * 3?", checks: [{ type: "contains" as const, text: "9" }] };
  const { test_batch, ...rest } = request();
  const result = await client.evaluate({
    ...rest,
    test_batch: { ...test_batch, interactions: [...test_batch.interactions, plain] },
    judge: { endpoint: "http://127.0.0.1:9/v1", model_id: "nobody" },
  });
  expect(result.summary.average_scores["overall"]).toBe(1);
  expect(result).toScoreAbove(0.9, { score: "token_f1" });
  const message = "overall was not measured: the scoring of 2 of 4 replies failed";
  expect(() => expect(result).toScoreAbove(0.5)).toThrow(message);
  expect(() => expect(result).not.toPassAtLeast(1)).toThrow(message);
});

test("starts, follows, lists, reads and deletes", async () => {
  const client = createEvaluationClient({ url: services.evaluation });
  const run = await client.start(request(), { idempotencyKey: "once" });
  const types: string[] = [];
  for await (const event of client.events(run.run_id)) types.push(event.type);
  expect(types.filter((type) => type === "interaction")).toHaveLength(2);
  expect(types.at(-1)).toBe("end");
  expect((await client.start(request(), { idempotencyKey: "once" })).run_id).toBe(run.run_id);
  expect((await client.list({ test_name: "greeting" })).runs.map(({ run_id }) => run_id)).toContain(run.run_id);
  expect((await client.results(run.run_id)).summary.interactions).toBe(2);
  await client.delete(run.run_id);
  await expect(client.get(run.run_id)).rejects.toMatchObject({ status: 404, problem: { code: "run_not_found" } });
});

test("talks to the agent", async () => {
  const client = createAgentClient({ url: services.agent });
  const reply = await client.send([{ type: "human", content: "What is 2 * 3?" }], { modelId: "demo/scripted" });
  expect(reply).toMatchObject({ type: "ai", content: "2 * 3 is 6." });
  expect(Object.keys(await client.studioModels())).toContain("demo-support-v1");
  expect((await client.models()).map(({ id }) => id)).toContain("demo/retrieval");
});

test("a refused request and a missing service have different errors", async () => {
  const client = createEvaluationClient({ url: services.evaluation });
  const refused = client.start({ ...request(), attempts: 0 });
  await expect(refused).rejects.toBeInstanceOf(ServiceFailure);
  await expect(refused).rejects.toMatchObject({ status: 422, problem: { errors: [{ pointer: "/attempts" }] } });
  await expect(createEvaluationClient({ url: "http://127.0.0.1:9" }).list()).rejects.toBeInstanceOf(ServiceUnreachable);
});

test("a client is not made with what no call could be made with", async () => {
  expect(() => createEvaluationClient({ url: "127.0.0.1:8001" })).toThrow(
    'url is "127.0.0.1:8001": use an absolute http',
  );
  expect(() => createAgentClient({ url: "localhost:8000" })).toThrow('url is "localhost:8000"');
  expect(() => createAgentClient({ url: "http://me:hunter2@127.0.0.1" })).toThrow(
    /^url contains user info: (?!.*hunter2)/,
  );
  const pasted = () => createEvaluationClient({ url: services.evaluation, apiKey: "rh_canary…" });
  expect(pasted).toThrow("apiKey contains characters that an HTTP header cannot hold");
  expect(pasted).not.toThrow("canary");
  const { runs } = await createEvaluationClient({ url: services.evaluation, apiKey: "rh_from_a_file\n" }).list();
  expect(runs).toBeInstanceOf(Array);
});

test("an answer that is not JSON, or is cut off, is reported as the service's fault", async () => {
  // The page answers every address of the agent backend that it does not know.
  await expect(createEvaluationClient({ url: services.agent }).list()).rejects.toMatchObject({
    name: "ServiceUnreachable",
    message: expect.stringContaining(`The answer from ${services.agent} is not JSON`),
  });
  const torn = new ReadableStream({ pull: (stream) => stream.error(new TypeError("terminated")) });
  const broken = createEvaluationClient({ url: "http://service", fetch: async () => new Response(torn) });
  await expect(broken.list()).rejects.toMatchObject({
    name: "ServiceUnreachable",
    message: expect.stringContaining("broke off"),
  });
});

test("an error in OpenAI's shape keeps its words", async () => {
  const client = createAgentClient({ url: services.evaluation });
  await expect(client.models()).rejects.toMatchObject({
    name: "ServiceFailure",
    status: 404,
    message: 'There is no route at "/v1/models".',
  });
});

test("a connection that breaks is opened again from the last event seen", async () => {
  const opened: (string | undefined)[] = [];
  const event = (id: number) => `event: interaction\nid: ${id}\ndata: {"turn_index":${id}}\n\n`;
  const bodies = [event(1) + event(2), event(3) + 'event: end\ndata: {"state":"completed"}\n\n'];
  const events = followEvents({
    after: 0,
    url: "http://service",
    pauseMs: 1,
    open: async (headers) => {
      opened.push(headers["last-event-id"]);
      return new Response(bodies.shift());
    },
  });
  const seen = await Array.fromAsync(events, ({ type }) => type);
  expect(seen).toEqual(["interaction", "interaction", "interaction", "end"]);
  expect(opened).toEqual([undefined, "2"]);
});

test("a service that is unavailable while a run is followed is waited for, also behind a proxy", async () => {
  const ended = () => new Response('event: end\ndata: {"state":"completed"}\n\n');
  const answers: (() => Response)[] = [
    () => new Response(""),
    ...Array.from({ length: 10 }, () => () => raise(new ServiceUnreachable("http://service"))),
    () => raise(new ServiceFailure(502, null)),
    () => raise(new ServiceFailure(503, null)),
    ended,
  ];
  const open = async () => answers.shift()!();
  const events = followEvents({ after: 0, url: "http://service", pauseMs: 1, open });
  expect(await Array.fromAsync(events, ({ type }) => type)).toEqual(["end"]);

  const gone = new ServiceFailure(404, null);
  answers.push(() => raise(gone), ended);
  await expect(Array.fromAsync(followEvents({ after: 0, url: "http://service", open }))).rejects.toBe(gone);
});

test("a service that stays away is not waited for without end", async () => {
  const away = new ServiceUnreachable("http://service");
  await expect(retryWhileServiceUnavailable(() => Promise.reject(away), { withinMs: 20, pauseMs: 1 })).rejects.toBe(
    away,
  );
});

test("reads an event of more text than a slow client is left to wait for", async () => {
  const turn = JSON.stringify({ agent_reply: "ü😀".repeat(10_000) });
  const turns = 1200;
  async function* pieces(): AsyncGenerator<string> {
    yield "[";
    for (let index = 0; index < turns; index += 1) yield `${index > 0 ? "," : ""}${turn}`;
    yield "]";
  }
  async function* events() {
    yield { event: "result", pieces: pieces() };
  }
  const log = createLog({ level: "silent" });
  const app = testShell();
  app.on("GET /events", (context) => streamEvents(context, events(), { log }));
  const { http: limits } = readSettings({}).settings;
  const server = await listen({ app, host: "127.0.0.1", port: 0, limits, log, version: "0" });
  const read = await Array.fromAsync(parseEventStream(await fetch(`${server.url}/events`)));
  await server.close(0);
  expect(read.map(({ event }) => event)).toEqual(["result"]);
  const { length } = read[0]?.data ?? "";
  expect(length).toBeGreaterThan(32 * 1024 * 1024);
  expect(length).toBe(turns * (turn.length + 1) + 1);
  expect(read[0]?.data.endsWith(`${turn}]`)).toBe(true);
});

test("events that keep breaking off are a failure, not the end of the run", async () => {
  const follow = (open: () => Response) =>
    Array.fromAsync(followEvents({ after: 0, url: "http://service", pauseMs: 1, open: async () => open() }));
  await expect(follow(() => new Response(""))).rejects.toMatchObject({
    name: "ServiceUnreachable",
    message: "The events from http://service broke off 6 times in a row before the run had ended",
  });
  const torn = new Error("terminated");
  const tearing = () => new Response(new ReadableStream({ pull: (stream) => stream.error(torn) }));
  await expect(follow(tearing)).rejects.toMatchObject({ name: "ServiceUnreachable", cause: torn });
});

test("an evaluation whose run cannot be followed to its end has no results", async () => {
  const asked: string[] = [];
  const fetch = async (address: URL | RequestInfo): Promise<Response> => {
    const { pathname } = new URL(String(address));
    asked.push(pathname);
    if (pathname === "/runs/r/events") return new Response("");
    return Response.json({ run_id: "r", state: "running" }, { status: 202 });
  };
  const client = createEvaluationClient({ url: "http://service", fetch });
  await expect(client.evaluate(request())).rejects.toBeInstanceOf(ServiceUnreachable);
  expect(new Set(asked)).toEqual(new Set(["/evaluate", "/runs/r/events"]));
});

function raise(error: Error): never {
  throw error;
}
