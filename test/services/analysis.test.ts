import { afterAll, beforeAll, expect, test } from "vitest";
import { RunEstimate } from "../../src/contract/schemas/budget.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { PairwiseComparison, RunComparison, RunRanking } from "../../src/contract/schemas/comparison.ts";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { JudgeAudit } from "../../src/contract/schemas/judge-audit.ts";
import { Run } from "../../src/contract/schemas/run.ts";
import { resultFormats } from "../../src/formats/formats.ts";
import { demoStudioIds } from "../../src/models/demo/demo-models.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { lastUserMessage, text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";
import { reportDataIn } from "../support/report-data.ts";

let provider: FakeProvider;
let services: RunningServices;

const scenarios = Array.from({ length: 8 }, (_, index) => ({
  id: `scenario-${index}`,
  interactions: [
    { id: "1", user_message: `Question ${index}`, reference_reply: `The answer to question ${index} is yes` },
  ],
}));

beforeAll(async () => {
  provider = await startFakeProvider({
    models: {
      good: (call) => text(`The answer to ${lastUserMessage(call.request).toLowerCase()} is yes`)(call),
      bad: text("I would rather talk about the weather today"),
      judge: text('{"reason":"same meaning","verdict":"equivalent"}'),
    },
  });
  services = await runServices();
});

afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

const at = (path: string): string => `${services.evaluation}${path}`;
const request = (model_id: string) => ({ test_batch: scenarios, endpoint: provider.url, model_id, attempts: 2 });

async function evaluate(model_id: string, more: Record<string, unknown> = {}): Promise<EvaluationResponse> {
  const answer = await send(at("/evaluate"), { body: { ...request(model_id), ...more } });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return EvaluationResponse.parse(answer.body);
}

test("two runs are compared with a verdict in words, and what changed most comes first", async () => {
  const [bad, good] = [await evaluate("bad"), await evaluate("good")];
  const answer = await send(at(`/compare?baseline=${bad.run_id}&candidate=${good.run_id}`));
  const comparison = RunComparison.parse(answer.body);
  expect(comparison).toMatchObject({ comparable: true, verdict: "closer" });
  expect(comparison.scores.find(({ name }) => name === "overall")?.effect).toBeGreaterThan(0.5);
  const back = await send(at(`/compare?baseline=${good.run_id}&candidate=${bad.run_id}`));
  expect(RunComparison.parse(back.body).verdict).toBe("less_close");
});

test("a margin asks whether the candidate is shown not to be worse", async () => {
  const [bad, good] = [await evaluate("bad"), await evaluate("good")];
  const ids = `baseline=${bad.run_id}&candidate=${good.run_id}`;
  const answer = await send(at(`/compare?${ids}&margin=overall=0.02,latency_ms=50%25`));
  const { not_worse } = RunComparison.parse(answer.body);
  expect(not_worse?.measures.map(({ name, kind, margin }) => [name, kind, margin])).toEqual([
    ["overall", "difference", 0.02],
    ["latency_ms", "ratio", 0.5],
  ]);
  expect(RunComparison.parse((await send(at(`/compare?${ids}`))).body)).not.toHaveProperty("not_worse");
  const unreadable = await send(at(`/compare?${ids}&margin=much`));
  expect([unreadable.status, Problem.parse(unreadable.body).errors?.[0]?.pointer]).toEqual([422, "/margin"]);
  const gated = await send(at("/evaluate"), { body: { ...request("good"), gate: { not_worse_by: 0.02 } } });
  expect([gated.status, Problem.parse(gated.body).errors?.[0]?.pointer]).toEqual([422, "/gate/baseline"]);
});

test("a run of other scenarios is refused with the reason; an unknown one is not found", async () => {
  const good = await evaluate("good");
  const other = await evaluate("good", {
    test_batch: { id: "other", interactions: [{ id: "x", user_message: "Hi" }] },
  });
  const answer = await send(at(`/compare?baseline=${good.run_id}&candidate=${other.run_id}`));
  expect(RunComparison.parse(answer.body)).toMatchObject({ comparable: false });
  const missing = await send(at(`/compare?baseline=${good.run_id}&candidate=none`));
  expect([missing.status, Problem.parse(missing.body).code]).toEqual([404, "run_not_found"]);
  const unnamed = await send(at("/compare"));
  expect([unnamed.status, Problem.parse(unnamed.body).errors?.[0]?.pointer]).toEqual([422, "/baseline"]);
});

test("several runs are ranked by one score, with who is shown to be worse than whom", async () => {
  const [bad, good, same] = [await evaluate("bad"), await evaluate("good"), await evaluate("good")];
  const ids = [bad.run_id, good.run_id, same.run_id].join(",");
  const ranking = RunRanking.parse((await send(at(`/rank?runs=${ids}`))).body);
  expect(ranking).toMatchObject({ comparable: true, score: "overall", scenarios: 8, interactions: 8, notes: [] });
  expect(ranking.runs.map(({ run_id, place }) => [run_id, place])).toEqual([
    [good.run_id, "may_be_best"],
    [same.run_id, "may_be_best"],
    [bad.run_id, "behind"],
  ]);
  expect(ranking.runs[2]).toMatchObject({ model_id: "bad", worse_than: [good.run_id, same.run_id], failed: 0 });
  expect(ranking.runs[2]?.to_first?.effect).toBeLessThan(-0.5);
  expect(ranking.runs[0]).toMatchObject({ to_first: null, latency_ms: expect.any(Number) });
  const { body } = await send(at(`/rank?runs=${ids}&score=success`));
  expect(RunRanking.parse(body).sentence).toBe("replied is the same in all 3 runs.");
});

test("runs that cannot be ranked are refused with the reason", async () => {
  const [good, other] = [
    await evaluate("good"),
    await evaluate("bad", { test_batch: { id: "other", interactions: [{ id: "x", user_message: "Hi" }] } }),
  ];
  const rank = async (query: string) => RunRanking.parse((await send(at(`/rank?runs=${query}`))).body);
  const both = `${good.run_id},${other.run_id}`;
  expect(await rank(`${both}&score=success`)).toMatchObject({
    comparable: false,
    runs: [],
    reason: "There is no turn that both runs were asked and that has success in all of them.",
  });
  expect((await rank(`${both}&score=overall`)).reason).toMatch(/^No turn of the run bad has overall; it has success/);
  const asked = await evaluate("good", { history: "reference" });
  expect((await rank(`${good.run_id},${asked.run_id}`)).reason).toContain("as history");
  const short = await evaluate("bad", { attempts: 1 });
  expect((await rank(`${good.run_id},${short.run_id}`)).notes).toEqual([
    "Of the run good's attempts, only the first of each scenario is compared: the run bad has no more.",
  ]);
  const refusal = async (query: string) => {
    const { status, body } = await send(at(`/rank${query}`));
    return [status, Problem.parse(body).code];
  };
  expect(await refusal(`?runs=${good.run_id},none`)).toEqual([404, "run_not_found"]);
  expect(await refusal(`?runs=${good.run_id},${good.run_id}`)).toEqual([422, "validation_failed"]);
  expect(await refusal("")).toEqual([422, "validation_failed"]);
});

test("runs are found by part of their name, or of the models that are named", async () => {
  const [bad, good] = [
    await evaluate("bad", { test_name: "Nightly 7" }),
    await evaluate("good", { test_name: "other" }),
  ];
  const found = async (query: string): Promise<string[]> => {
    const { runs } = (await send(at(`/runs?limit=200&${query}`))).body as { runs: { run_id: string }[] };
    return runs.map(({ run_id }) => run_id);
  };
  expect(await found("search=nightly+7")).toEqual([bad.run_id]);
  const named = await found("search=nightly+7&search_model_ids=none,good");
  expect(named).toEqual(expect.arrayContaining([bad.run_id, good.run_id]));
  expect(await found("search=nightly+8")).toEqual([]);
});

test("an estimate calls no model and stores nothing", async () => {
  const calls = provider.requests.length;
  const runs = ((await send(at("/runs?limit=200"))).body as { runs: unknown[] }).runs.length;
  const estimate = RunEstimate.parse((await send(at("/estimate"), { body: request("good") })).body);
  expect(estimate.model_calls.expected).toBe(16);
  expect(provider.requests.length).toBe(calls);
  expect(((await send(at("/runs?limit=200"))).body as { runs: unknown[] }).runs.length).toBe(runs);
});

test("an estimate warns of what the run would warn of, and the run does so while it goes on", async () => {
  const checks = [{ type: "rubric", text: "Is it friendly?" }];
  const body = {
    ...request("good"),
    test_batch: { id: "asked", interactions: [{ id: "1", user_message: "Hi", checks }] },
    atempts: 3,
  };
  const estimate = RunEstimate.parse((await send(at("/estimate"), { body })).body);
  expect(estimate.warnings?.map(({ pointer }) => pointer)).toEqual(["/atempts", "/judge"]);
  const started = await send(at("/evaluate"), { body, headers: { prefer: "respond-async" } });
  expect(Run.parse(started.body).warnings).toEqual(estimate.warnings);
  expect(RunEstimate.parse((await send(at("/estimate"), { body: request("good") })).body)).not.toHaveProperty(
    "warnings",
  );
});

test("a run is scored again without a call to any model", async () => {
  const run = await evaluate("good");
  const calls = provider.requests.length;
  const answer = await send(at(`/runs/${run.run_id}/rescore`), { method: "POST" });
  expect(Run.parse(answer.body).summary?.average_scores).toEqual(run.summary.average_scores);
  expect(provider.requests.length).toBe(calls);
});

test("a request to score again is read however its body is sent", async () => {
  const run = await evaluate("good", { judge: { endpoint: provider.url, model_id: "judge" }, attempts: 1 });
  const calls = provider.requests.length;
  const rescore = (text: string) =>
    fetch(at(`/runs/${run.run_id}/rescore`), {
      method: "POST",
      headers: { "content-type": "application/json" },
      // A stream has no length, so it is sent in chunks.
      body: new Blob([text]).stream(),
      duplex: "half",
    } as RequestInit);
  expect((await rescore("")).status).toBe(200);
  expect((await rescore("null")).status).toBe(422);
  expect((await rescore('{"ask_models":1}')).status).toBe(422);
  expect(provider.requests.length).toBe(calls);
  expect((await rescore('{"ask_models":true}')).status).toBe(200);
  expect(provider.requests.length).toBe(calls + scenarios.length);
});

test("a run is scored by other scorers and by what its scenarios expect now", async () => {
  const run = await evaluate("good", { attempts: 1 });
  const calls = provider.requests.length;
  const rescore = (body: object) => send(at(`/runs/${run.run_id}/rescore`), { body });
  const [first] = scenarios;
  const scorers = ["exact_match", { type: "contains", name: "polite", text: "please" }];
  const test_batch = { ...first, interactions: [{ ...first!.interactions[0], references: ["yes"] }] };
  const answer = await rescore({ scorers, test_batch });
  expect(Run.parse(answer.body).summary).toMatchObject({
    average_scores: { exact_match: 1, polite: 0, overall: 0.5 },
    rescored: { replaced: ["scorers", "test_batch"] },
  });
  const results = EvaluationResponse.parse((await send(at(`/runs/${run.run_id}/results`))).body);
  expect(results.results.scenarios[0]?.attempts[0]?.interactions[0]?.references).toEqual(["yes"]);
  const refused = await rescore({ judge: { endpoint: "http://169.254.169.254/v1", model_id: "judge" } });
  expect([refused.status, Problem.parse(refused.body).code]).toEqual([403, "endpoint_not_allowed"]);
  const unasked = await rescore({ judge: { endpoint: provider.url, model_id: "judge" } });
  expect([unasked.status, Problem.parse(unasked.body).errors?.[0]?.pointer]).toEqual([422, "/ask_models"]);
  expect(provider.requests.length).toBe(calls);
});

test("a misspelled field of a request to score again is named in the answer, and not kept with the run", async () => {
  const run = await evaluate("good", { attempts: 1 });
  const body = { scorer: ["chrf"], gate: { score: { overall: 1 } } };
  const answer = await send(at(`/runs/${run.run_id}/rescore`), { body });
  expect(Run.parse(answer.body).warnings).toMatchObject([
    { pointer: "/scorer", suggestion: "scorers" },
    { pointer: "/gate/score", suggestion: "scores" },
  ]);
  expect(Run.parse((await send(at(`/runs/${run.run_id}`))).body)).not.toHaveProperty("warnings");
});

test("a misspelled field of what judges are asked for is named in the answer", async () => {
  const judge = { endpoint: provider.url, model_id: "judge", rubrik: "x" };
  const run = await evaluate("good", { attempts: 1 });
  const pairs = { baseline: run.run_id, candidate: run.run_id, judge, limits: 1 };
  expect(PairwiseComparison.parse((await send(at("/compare"), { body: pairs })).body).warnings).toMatchObject([
    { pointer: "/judge/rubrik", suggestion: "rubric" },
    { pointer: "/limits", suggestion: "limit" },
  ]);
  const items = [{ user_message: "Hi", reply: "yes", refrence_reply: "yes", human: "equivalent" }];
  const audit = { judge: { endpoint: provider.url, model_id: "judge" }, items, repeat: 1 };
  expect(JudgeAudit.parse((await send(at("/judges/audit"), { body: audit })).body).warnings).toMatchObject([
    { pointer: "/items/0/refrence_reply", suggestion: "reference_reply" },
    { pointer: "/repeat", suggestion: "repeats" },
  ]);
});

test("a misspelled parameter of an address is named in a header", async () => {
  const { headers } = await fetch(at("/runs?stat=failed"));
  expect(headers.get("warning")).toBe('199 - "Unknown query parameters were ignored: stat (state?)"');
});

test("a judge is asked for its verdict in a fixed form, and an audit marks it as trusted or not", async () => {
  const judge = { endpoint: provider.url, model_id: "judge" };
  const before = await evaluate("good", { judge, attempts: 1 });
  expect(before.summary.average_scores["judge_correctness"]).toBe(1);
  const items = scenarios.map(({ interactions: [turn] }, index) => ({
    user_message: turn?.user_message ?? "",
    reply: "yes",
    reference_reply: turn?.reference_reply ?? "",
    human: index === 0 ? "contradicts" : "equivalent",
  }));
  const audit = JudgeAudit.parse((await send(at("/judges/audit"), { body: { judge, items } })).body);
  expect(audit).toMatchObject({ items: 8, judged: 8, agreement: 7 / 8, passed: false });
});

test("an audit of one of several rubrics marks that one alone", async () => {
  provider.setModelBehaviour("critic", (call) => {
    const verdict = lastUserMessage(call.request).includes("weather") ? "fail" : "pass";
    return text(JSON.stringify({ reason: "So I think.", verdict }))(call);
  });
  const rubrics = [
    { name: "kind", text: "Is it kind?", choices: { pass: 1, fail: 0 } },
    { name: "clear", text: "Is it clear?" },
  ];
  const { run_id } = await evaluate("good", { judge: { endpoint: provider.url, model_id: "critic", rubrics } });
  const kind = { endpoint: provider.url, model_id: "critic", rubric: "Is it kind?", choices: { pass: 1, fail: 0 } };
  const items = Array.from({ length: 24 }, (_, index) => ({
    user_message: `Question ${index}`,
    reply: index % 3 === 0 ? "Lovely weather" : "Yes",
    human: index % 3 === 0 ? "fail" : "pass",
  }));
  const audit = await send(at("/judges/audit"), { body: { judge: kind, items } });
  expect(JudgeAudit.parse(audit.body)).toMatchObject({ kappa: 1, passed: true });
  await send(at(`/runs/${run_id}/rescore`), { body: {} });
  const { results } = EvaluationResponse.parse((await send(at(`/runs/${run_id}/results`))).body);
  expect(results.scenarios[0]?.attempts[0]?.interactions[0]?.judgements).toMatchObject({
    "judge.kind": { judge_audited: true },
    "judge.clear": { judge_audited: false },
  });
});

test("problems of an audit are counted, as with any other request", async () => {
  const items = [{ user_message: "Hi", reply: "Hello", human: "fine" }];
  const { status, body } = await send(at("/judges/audit"), { body: { judge: {}, items } });
  expect([status, Problem.parse(body).detail]).toEqual([
    422,
    "/judge/endpoint is required: no judge is set on this service (JUDGE_ENDPOINT) (and 1 more)",
  ]);
});

test("a judge chooses between two runs, each pair in both orders", async () => {
  provider.setModelBehaviour("chooser", text(JSON.stringify({ reason: "The first one.", verdict: "first" })));
  const [baseline, candidate] = [await evaluate("good", { attempts: 1 }), await evaluate("bad", { attempts: 1 })];
  const body = {
    baseline: baseline.run_id,
    candidate: candidate.run_id,
    judge: { endpoint: provider.url, model_id: "chooser", rubric: "Which one is friendlier?" },
  };
  const answer = await send(at("/compare"), { body });
  // A judge that always prefers the first reply makes every pair a tie.
  expect(PairwiseComparison.parse(answer.body)).toMatchObject({ pairs: 8, ties: 8, position_flip_rate: 1 });
  const nobody = await send(at("/compare"), { body: { ...body, judge: undefined } });
  expect([nobody.status, nobody.body]).toMatchObject([422, { code: "validation_failed" }]);
  const unknown = await send(at("/compare"), { body: { ...body, candidate: "no-such-run" } });
  expect(unknown.status).toBe(404);
});

test.each([
  ["json", "application/json", '"results"'],
  ["jsonl", "application/x-ndjson", '"scenario_id"'],
  ["csv", "text/csv", "scenario_id"],
  ["junit", "xml", "<testsuite"],
  ["markdown", "text/markdown", "|"],
  ["sft", "application/x-ndjson", '"messages"'],
])("a run is exported as %s", async (format, type, content) => {
  const { run_id } = await evaluate("good", { attempts: 1, threshold: 0.8 });
  const response = await fetch(at(`/runs/${run_id}/export?format=${format}`));
  expect(response.headers.get("content-type")).toContain(type);
  expect(response.headers.get("content-disposition")).toMatch(
    new RegExp(`filename="[a-z0-9-]+-${run_id.slice(-6)}\\.`),
  );
  expect(await response.text()).toContain(content);
});

test("a key in the query of an endpoint is sent there, and only the request that repeats the run shows it", async () => {
  const query = "?api-version=1&key=canary-1";
  const run = await evaluate("good", { attempts: 1, endpoint: `${provider.url}${query}` });
  const other = await evaluate("good", { attempts: 1 });
  expect(run.endpoint).toBe(`${provider.url}?api-version=1&key=[redacted]`);
  expect(provider.requests.some(({ path }) => path.endsWith(query))).toBe(true);
  const paths = [
    "/runs",
    `/runs/${run.run_id}`,
    `/runs/${run.run_id}/results`,
    `/runs/${run.run_id}/events`,
    `/compare?baseline=${other.run_id}&candidate=${run.run_id}`,
    `/rank?runs=${other.run_id},${run.run_id}`,
    ...["json", "html", ...resultFormats.map(({ id }) => id)].map((id) => `/runs/${run.run_id}/export?format=${id}`),
  ];
  for (const path of paths) {
    const answer = await fetch(at(path));
    expect([path, answer.status, (await answer.text()).includes("canary")]).toEqual([path, 200, false]);
  }
  // The run could not be repeated without it.
  expect((await send(at(`/runs/${run.run_id}/request`))).body).toMatchObject({ endpoint: `${provider.url}${query}` });
});

test("training lines begin with the prompt the model was given", async () => {
  const { run_id, system_prompt } = await evaluate("good", { attempts: 1, threshold: 0.8, system_prompt: "Say yes." });
  expect(system_prompt).toBe("Say yes.");
  const exported = await (await fetch(at(`/runs/${run_id}/export?format=sft`))).text();
  expect(JSON.parse(exported.split("\n")[0] ?? "")).toMatchObject({
    messages: [{ role: "system", content: "Say yes." }, { role: "user" }, { role: "assistant" }],
  });
});

test("the HTML report holds the run, and no text of a model can break out of it", async () => {
  provider.setModelBehaviour("hostile", text("</script><script>alert(1)</script>"));
  const { run_id } = await evaluate("hostile", { attempts: 1 });
  const html = await (await fetch(at(`/runs/${run_id}/export?format=html`))).text();
  expect(html).not.toContain("<script>alert(1)");
  expect(reportDataIn(html)).toContain(run_id);
});

test("the HTML report names a demo model, whose id says nothing, unless the client names it", async () => {
  const model = demoStudioIds["demo-support-v2"];
  provider.setModelBehaviour(model, text("Yes."));
  const { run_id } = await evaluate(model, { attempts: 1 });
  const nameIn = async (query: string): Promise<unknown> => {
    const html = await (await fetch(at(`/runs/${run_id}/export?format=html${query}`))).text();
    return JSON.parse(reportDataIn(html)).model_name;
  };
  expect(await nameIn("")).toBe("demo-support-v2");
  expect(await nameIn("&model_name=mine")).toBe("mine");
});

test("noise is measured whatever the runs were called, whichever went first, and where a default is written out", async () => {
  const one = await evaluate("good", { priority: 1, tags: ["a"] });
  const other = await evaluate("good", { test_name: "again", concurrency: 1, history: "generated" });
  const answer = await send(at(`/noise?runs=${one.run_id},${other.run_id}`));
  expect(answer.body).toMatchObject({ success: { runs: 2 } });
});

test("noise is measured from runs of the same thing only", async () => {
  const runs = [await evaluate("good"), await evaluate("good"), await evaluate("good")].map(({ run_id }) => run_id);
  const answer = await send(at(`/noise?runs=${runs.join(",")}`));
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body as object)).toContain("overall");
  const mixed = await send(at(`/noise?runs=${runs[0]},${(await evaluate("bad")).run_id}`));
  expect(mixed).toMatchObject({ status: 422, body: { hint: expect.stringContaining("runs of one request") } });
});

test("a comma too many names no run", async () => {
  const { run_id } = await evaluate("good");
  expect((await send(at(`/noise?runs=${run_id},`))).status).toBe(200);
  const none = await send(at("/noise?runs=,"));
  expect(none).toMatchObject({ status: 422, body: { detail: "The query parameter runs must name at least one run" } });
});

test("noise is measured also where the keys of labels and weights were written in another order", async () => {
  const withKeys = (reference_metadata: object, weights: object) =>
    evaluate("good", {
      test_batch: { id: "s", interactions: [{ id: "1", user_message: "Question 1", reference_metadata }] },
      weights,
    });
  const one = await withKeys({ intent: "ask", mood: "calm" }, { success: 1, metadata_match: 2 });
  const other = await withKeys({ mood: "calm", intent: "ask" }, { metadata_match: 2, success: 1 });
  const answer = await send(at(`/noise?runs=${one.run_id},${other.run_id}`));
  expect(answer.body).toMatchObject({ success: { runs: 2 } });
});
