import { afterAll, beforeAll, expect, test } from "vitest";
import { RunComparison, PairwiseComparison } from "../../src/contract/schemas/comparison.ts";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import {
  Agreement,
  Corrections,
  ReviewQueue,
  StoredVerdicts,
  VerdictList,
  type VerdictInput,
} from "../../src/contract/schemas/judging/human-verdict.ts";
import { JudgeAudit } from "../../src/contract/schemas/judge-audit.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { lastUserMessage, text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";

let provider: FakeProvider;
let services: RunningServices;
let run: EvaluationResponse;

const count = 40;
const scenarios = Array.from({ length: count }, (_, index) => ({
  id: `scenario-${index}`,
  interactions: [{ id: "1", user_message: `Question ${index}`, reference_reply: `Answer ${index}` }],
}));
const choices = { good: 1, bad: 0 };

/** Finds every reply good whose number does not end in 0, 1 or 2. */
const judgeFinds = (index: number): string => (index % 10 > 2 ? "good" : "bad");
/** People agree, except on numbers that end in 3. */
const peopleFind = (index: number): string => (index % 10 > 3 ? "good" : "bad");

beforeAll(async () => {
  provider = await startFakeProvider({
    models: {
      model: (call) => text(`Answer to ${lastUserMessage(call.request)}`)(call),
      other: (call) => text(`Another answer to ${lastUserMessage(call.request)}`)(call),
      judge: (call) => {
        const index = Number(/Question (\d+)/.exec(lastUserMessage(call.request))?.[1] ?? 0);
        return text(JSON.stringify({ reason: "So.", verdict: judgeFinds(index) }))(call);
      },
      chooser: text('{"reason":"Longer.","verdict":"first"}'),
    },
  });
  services = await runServices();
  run = await evaluate("model");
});

afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

const at = (path: string): string => `${services.evaluation}${path}`;

async function evaluate(model_id: string): Promise<EvaluationResponse> {
  const judge = { endpoint: provider.url, model_id: "judge", rubric: "Is it good?", choices };
  const body = { test_batch: scenarios, endpoint: provider.url, model_id, attempts: 1, judge };
  return EvaluationResponse.parse((await send(at("/evaluate"), { body })).body);
}

const verdictOn = (index: number, choice: string, fields: Partial<VerdictInput> = {}) => ({
  scenario_id: `scenario-${index}`,
  choice,
  ...fields,
});

const store = (id: string, body: object) => send(at(`/runs/${id}/verdicts`), { body });
const stored = async (id: string, body: object): Promise<StoredVerdicts> =>
  StoredVerdicts.parse((await store(id, { sampling: "random", ...body })).body);
const review = async (id: string, query: string): Promise<ReviewQueue> =>
  ReviewQueue.parse((await send(at(`/runs/${id}/review?${query}`))).body);
const corrections = async (id: string): Promise<Corrections> =>
  Corrections.parse((await send(at(`/runs/${id}/corrections`))).body);

test("a person judges replies from the queue, without scores and the verdicts of others", async () => {
  const { run_id } = await evaluate("model");
  const seen: string[] = [];
  for (let step = 0; step < 3; step++) {
    const queue = await review(run_id, "rater=alice");
    const [item] = queue.items;
    expect(queue.question).toMatchObject({ name: "judge_correctness", choices, judged: true });
    expect(JSON.stringify(queue)).not.toMatch(/So\.|"judge"|overall/);
    seen.push(item!.scenario_id);
    await stored(run_id, {
      rater: "alice",
      verdicts: [{ scenario_id: item!.scenario_id, choice: "bad", comment: "No." }],
    });
  }
  expect(new Set(seen).size).toBe(3);
  const bob = await review(run_id, "rater=bob&limit=3");
  expect(bob.items.map(({ scenario_id }) => scenario_id)).toEqual(seen);
  expect(JSON.stringify(bob)).not.toContain("No.");
  expect(bob.progress).toMatchObject({ replies: count, judged: 3, complete: 0, mine: 0, conflicts: 0 });
  expect(bob.progress.raters).toEqual([{ rater: "alice", verdicts: 3 }]);
  expect(bob.items[0]).toMatchObject({ attempt: 1, turn_index: 0, reply: expect.stringContaining("Answer to") });
});

test("people who review at the same time share the replies out, and no reply waits for one who left", async () => {
  const { run_id } = await evaluate("model");
  const people = ["alice", "bob", "carol"];
  for (const [index, rater] of people.entries()) await stored(run_id, { rater, verdicts: [verdictOn(index, "good")] });
  const handedOut = async (raters: number) => {
    const queues = await Promise.all(people.map((rater) => review(run_id, `rater=${rater}&raters=${raters}&limit=10`)));
    const ids = queues.flatMap(({ items }) => items.map(({ scenario_id }) => scenario_id));
    return Math.max(
      ...Map.groupBy(ids, (id) => id)
        .values()
        .map((group) => group.length),
    );
  };
  expect(await handedOut(1)).toBe(1);
  expect(await handedOut(2)).toBe(2);
  for (let step = 0; step < count - 3; step++) {
    const [item] = (await review(run_id, "rater=alice&raters=1")).items;
    await stored(run_id, { rater: "alice", verdicts: [{ scenario_id: item!.scenario_id, choice: "good" }] });
  }
  expect((await review(run_id, "rater=alice&raters=1")).items).toEqual([]);
});

test("a stratified order holds the judge's scores in proportion, and disagreements come first when asked for", async () => {
  const { run_id } = await evaluate("model");
  const { items } = await review(run_id, "rater=alice&order=stratified&limit=20");
  const bad = items.filter(({ scenario_id }) => judgeFinds(Number(scenario_id.split("-")[1])) === "bad").length;
  expect(Math.abs(bad - 6)).toBeLessThanOrEqual(1);
  await stored(run_id, { rater: "alice", verdicts: [verdictOn(7, "good"), verdictOn(8, "good"), verdictOn(9, "bad")] });
  await stored(run_id, { rater: "bob", verdicts: [verdictOn(7, "bad"), verdictOn(8, "good")] });
  const carol = await review(run_id, "rater=carol&order=disagreement&raters=3&limit=2");
  expect(carol.items.map(({ scenario_id }) => scenario_id)).toEqual(["scenario-7", "scenario-9"]);
});

test("verdicts that were not chosen at random correct nothing, and are asked for again", async () => {
  const { run_id } = await evaluate("model");
  const all = Array.from({ length: count }, (_, index) => verdictOn(index, peopleFind(index)));
  await stored(run_id, { rater: "alice", sampling: "picked", verdicts: all });
  const { scores, notes } = await corrections(run_id);
  expect(scores[0]).toMatchObject({ mean: null, verdicts: 0, method: "none: fewer than 20 verdicts" });
  expect(scores[0]?.sentence).toContain("at least 20 are needed");
  expect(notes[0]).toContain("40 verdicts are on replies that were not chosen at random");
  expect((await review(run_id, "rater=alice")).items).toHaveLength(1);
});

test("agreement, conflicts and their adjudication", async () => {
  const { run_id } = await evaluate("model");
  const all = Array.from({ length: count }, (_, index) => index);
  await stored(run_id, { rater: "alice", verdicts: all.map((index) => verdictOn(index, peopleFind(index))) });
  await stored(run_id, {
    rater: "bob",
    verdicts: all.slice(0, 30).map((index) => verdictOn(index, index === 5 ? "bad" : peopleFind(index))),
  });
  const read = async () => Agreement.parse((await send(at(`/runs/${run_id}/agreement`))).body);
  const before = await read();
  expect(before.raters).toEqual([
    { rater: "alice", verdicts: 40 },
    { rater: "bob", verdicts: 30 },
  ]);
  expect(before.alpha.nominal).toMatchObject({ replies: 30 });
  // 29 of 30 agree; alice says good 18 times of 30, bob 17 times.
  expect(before.pairs[0]?.kappa.value).toBeCloseTo((29 / 30 - 462 / 900) / (1 - 462 / 900), 9);
  expect(before.conflicts).toMatchObject([{ scenario_id: "scenario-5", adjudicated: null }]);
  expect(before.judge?.replies).toBe(40);
  await stored(run_id, { rater: "carol", verdicts: [verdictOn(5, "good", { adjudication: true })] });
  const after = await read();
  expect(after).toMatchObject({ open_conflicts: 0, conflicts: [{ adjudicated: "good" }] });
  expect(after.raters).toHaveLength(2);
});

test("people's verdicts correct the judge's mean, survive a rescore and go with the run", async () => {
  const { run_id } = await evaluate("model");
  const first = Array.from({ length: 30 }, (_, index) => verdictOn(index, peopleFind(index)));
  await stored(run_id, { rater: "alice", verdicts: first });
  const read = async () => (await corrections(run_id)).scores[0]!;
  const corrected = await read();
  expect(corrected.raw.mean).toBeCloseTo(0.7, 9);
  expect(corrected.mean).toBeGreaterThan(0.55);
  expect(corrected.mean).toBeLessThan(0.65);
  expect(corrected).toMatchObject({ verdicts: 30, replies: 40, scenarios: 30 });
  expect(corrected.misclassification).toMatchObject({ sensitivity: 1 });
  expect((await corrections(run_id)).label_next[0]?.replies).toHaveLength(10);
  await send(at(`/runs/${run_id}/rescore`), { body: {} });
  expect(await read()).toEqual(corrected);
  const judge = { endpoint: provider.url, model_id: "judge", rubric: "Is it polite?", choices };
  await send(at(`/runs/${run_id}/rescore`), { body: { judge, ask_models: true } });
  expect((await corrections(run_id)).notes[0]).toContain("30 verdicts answer an earlier form of the question");
  await send(at(`/runs/${run_id}`), { method: "DELETE" });
  expect((await send(at(`/runs/${run_id}/verdicts`))).status).toBe(404);
});

test("two runs with verdicts are compared by people's standards", async () => {
  const [baseline, candidate] = [await evaluate("other"), await evaluate("model")];
  const all = Array.from({ length: count }, (_, index) => index);
  await stored(baseline.run_id, {
    rater: "a",
    verdicts: all.map((index) => verdictOn(index, index < 25 ? "bad" : "good")),
  });
  const ids = `baseline=${baseline.run_id}&candidate=${candidate.run_id}`;
  const half = RunComparison.parse((await send(at(`/compare?${ids}`))).body);
  expect(half.corrected).toMatchObject([{ score: "judge_correctness", effect: null, verdicts: { candidate: 0 } }]);
  await stored(candidate.run_id, {
    rater: "a",
    verdicts: all.map((index) => verdictOn(index, index < 4 ? "bad" : "good")),
  });
  const [effect] = RunComparison.parse((await send(at(`/compare?${ids}`))).body).corrected ?? [];
  expect(effect?.effect).toBeCloseTo(21 / 40, 9);
  expect(effect?.sentence).toContain("By people's standards, the candidate is better by 0.525");
});

test("people's choices between two runs correct the win rate of a judge", async () => {
  const [baseline, candidate] = [await evaluate("other"), await evaluate("model")];
  const against = baseline.run_id;
  const { items, question } = await review(candidate.run_id, `rater=a&against=${against}`);
  expect(question).toMatchObject({ name: "preference", choices: { candidate: 1, tie: 0.5, baseline: 0 } });
  expect(items[0]).toMatchObject({
    reply: expect.stringMatching(/^Answer/),
    other_reply: expect.stringMatching(/^Another/),
  });
  const verdicts = Array.from({ length: 24 }, (_, index) =>
    verdictOn(index, index % 3 === 0 ? "baseline" : "candidate", { against }),
  );
  await stored(candidate.run_id, { rater: "a", verdicts });
  const judge = { endpoint: provider.url, model_id: "chooser" };
  const body = { baseline: against, candidate: candidate.run_id, judge };
  const pairs = PairwiseComparison.parse((await send(at("/compare"), { body })).body);
  expect(pairs.win_rate).toBe(0.5);
  expect(pairs.corrected).toMatchObject({ score: "win_rate", verdicts: 24, replies: 40, lambda: 0 });
  expect(pairs.corrected?.mean).toBeCloseTo(2 / 3, 9);
});

test("choices between two runs correct the win rate of their scores, whichever run was the candidate", async () => {
  const [baseline, candidate] = [await evaluate("other"), await evaluate("model")];
  const compare = async (one: string, other: string) =>
    RunComparison.parse((await send(at(`/compare?baseline=${one}&candidate=${other}`))).body);
  expect(await compare(baseline.run_id, candidate.run_id)).not.toHaveProperty("win_rate");
  const verdicts = Array.from({ length: 30 }, (_, index) =>
    verdictOn(index, index % 3 === 0 ? "baseline" : "candidate", { against: baseline.run_id }),
  );
  await stored(candidate.run_id, { rater: "a", verdicts });
  const { win_rate } = await compare(baseline.run_id, candidate.run_id);
  expect(win_rate).toMatchObject({ score: "win_rate", raw: { mean: 0.5 }, verdicts: 30, replies: 40 });
  expect(win_rate?.mean).toBeCloseTo(2 / 3, 9);
  expect((await compare(candidate.run_id, baseline.run_id)).win_rate?.mean).toBeCloseTo(1 / 3, 9);
});

test("rubrics of turns and the mean of rubrics are corrected as well", async () => {
  const rubrics = [
    { name: "a", text: "Is it good?", weight: 3, choices },
    { name: "b", text: "Is it short?", weight: 1, choices },
  ];
  const test_batch = scenarios.map((scenario, index) => ({
    ...scenario,
    interactions: scenario.interactions.map((turn) => ({
      ...turn,
      checks: [{ type: "rubric", name: "tone", text: `Is it polite? (${index % 2})`, choices, negate: true }],
    })),
  }));
  const judge = { endpoint: provider.url, model_id: "judge", rubrics };
  const body = { test_batch, endpoint: provider.url, model_id: "model", attempts: 1, judge };
  const { run_id } = EvaluationResponse.parse((await send(at("/evaluate"), { body })).body);

  const queue = await review(run_id, "rater=a&question=tone&limit=20");
  expect(queue.questions.map(({ name }) => name)).toEqual(["judge.a", "judge.b", "tone", "review"]);
  expect(queue.question).toMatchObject({ varies: true, judged: true, choices });
  expect(new Set(queue.items.map((item) => item.question?.text))).toEqual(
    new Set(["Is it polite? (0)", "Is it polite? (1)"]),
  );
  const part = Array.from({ length: 25 }, (_, index) => index);
  for (const question of ["judge.a", "judge.b", "tone"])
    await stored(run_id, { rater: "a", question, verdicts: part.map((index) => verdictOn(index, peopleFind(index))) });
  const { scores, label_next, notes } = await corrections(run_id);
  expect(scores.map(({ score }) => score)).toEqual(["judge.a", "judge.b", "tone", "judge_rubrics"]);
  const [, , tone, both] = scores;
  expect(tone).toMatchObject({ verdicts: 25, replies: 40 });
  // The judge finds 70 % good; the score is negated, and so are people's verdicts.
  expect(tone?.raw.mean).toBeCloseTo(0.3, 9);
  expect(tone?.labels_alone?.mean).toBeCloseTo(12 / 25, 9);
  expect(both).toMatchObject({ verdicts: 25, replies: 40 });
  expect(both?.raw.mean).toBeCloseTo(0.7, 9);
  expect(both?.labels_alone?.mean).toBeCloseTo(13 / 25, 9);
  expect(label_next.map(({ question }) => question)).toEqual(["judge.a", "judge.b", "tone"]);
  expect(notes).toEqual(["judge_rubrics: a reply counts when people answered all 2 rubrics on it."]);
  const wrong = await store(run_id, { rater: "a", verdicts: [verdictOn(0, "fine", { question: "tone" })] });
  expect(Problem.parse(wrong.body).detail).toContain("/verdicts/0/choice must be one of good, bad");
  const refused = await send(at(`/runs/${run_id}/audit`), { body: { question: "tone" } });
  expect(Problem.parse(refused.body).detail).toContain("must be a question of the run's judge about every reply");
});

test("verdicts are part of the results and of the exported files", async () => {
  const { run_id } = await evaluate("model");
  await stored(run_id, { rater: "alice", verdicts: [verdictOn(3, "bad", { comment: "No, wrong" })] });
  const given = { question: "judge_correctness", rater: "alice", choice: "bad", value: 0, comment: "No, wrong" };
  const turnOf = ({ results }: EvaluationResponse, index: number) =>
    results.scenarios[index]?.attempts[0]?.interactions[0];
  const whole = EvaluationResponse.parse((await send(at(`/runs/${run_id}/export`))).body);
  expect(turnOf(whole, 3)?.verdicts).toMatchObject([given]);
  expect(turnOf(whole, 4)).not.toHaveProperty("verdicts");
  const read = async (format: string) => (await fetch(at(`/runs/${run_id}/export?format=${format}`))).text();
  const lines = (await read("jsonl")).trim().split("\n");
  expect(lines.filter((line) => line.includes('"verdicts"'))).toHaveLength(1);
  expect(JSON.parse(lines[3]!)).toMatchObject({ scenario_id: "scenario-3", verdicts: [given] });
  const csv = (await read("csv")).trim().split("\n");
  expect(csv[0]).toMatch(/,other_scores,verdicts\s*$/);
  expect(csv.filter((line) => line.includes('""rater"":""alice""'))).toHaveLength(1);
});

test("verdicts are exported as CSV and JSON lines, and read back", async () => {
  const { run_id } = await evaluate("model");
  await stored(run_id, {
    rater: "alice",
    verdicts: [
      verdictOn(0, "bad", { comment: '=1+1, "quoted"\nsecond line' }),
      verdictOn(1, "good", { sampling: "picked" }),
    ],
  });
  const list = async (id: string) => VerdictList.parse((await send(at(`/runs/${id}/verdicts`))).body).verdicts;
  const copy = await evaluate("model");
  for (const format of ["csv", "jsonl"]) {
    const answer = await fetch(at(`/runs/${run_id}/verdicts?format=${format}`));
    expect(answer.headers.get("content-disposition")).toContain(`-verdicts.${format}`);
    expect(await stored(copy.run_id, { text: await answer.text() })).toMatchObject({ stored: 2, skipped: 0 });
    const without = (verdicts: VerdictList["verdicts"]) => verdicts.map((verdict) => ({ ...verdict, given_at: "" }));
    expect(without(await list(copy.run_id))).toEqual(without(await list(run_id)));
  }
  const text = "scenario,label,annotator\nscenario-3,good,dora\nscenario-4,,dora\n";
  expect(await stored(copy.run_id, { text })).toMatchObject({ stored: 1, skipped: 1 });
  expect(
    await stored(copy.run_id, { rater: "dora", verdicts: [verdictOn(3, "good", { choice: null })] }),
  ).toMatchObject({
    stored: 0,
    withdrawn: 1,
  });
  expect(await list(copy.run_id)).toHaveLength(2);
});

test.each([
  [{ verdicts: [verdictOn(0, "good")] }, "/verdicts/0/rater is missing: name the person who gave the verdict"],
  [{ rater: "a", verdicts: [verdictOn(0, "fine")] }, "/verdicts/0/choice must be one of good, bad"],
  [{ rater: "a", verdicts: [verdictOn(99, "good")] }, "/verdicts/0/scenario_id is not a scenario of this run"],
  [{ rater: "a", verdicts: [verdictOn(0, "good", { turn_index: 1 })] }, "/verdicts/0/turn_index must be at most 0"],
  [{ rater: "a", verdicts: [verdictOn(0, "good", { attempt: 2 })] }, "has no reply in attempt 2, turn_index 0"],
  [
    { rater: "a", verdicts: [verdictOn(0, "good", { question: "mood" })] },
    "must be one of judge_correctness, review, preference",
  ],
  [{ rater: "a", verdicts: [verdictOn(0, "tie", { question: "preference" })] }, "/verdicts/0/against is missing"],
  [
    { rater: "a", text: "scenario_id,choice\nscenario-0,good\nscenario-1,fine\n" },
    "/text line 3: choice must be one of good, bad",
  ],
  [{ rater: "a", text: '{"scenario_id":"scenario-0","choice":"good"}\n{"scenario_id"\n' }, "/text line 2"],
  [{ rater: "a", text: "choice\ngood\n" }, "/text line 2: scenario_id"],
  [{ rater: "a" }, "must have either verdicts or text"],
])("a verdict that cannot be stored is refused with the place and the reason: %j", async (body, detail) => {
  const answer = await store(run.run_id, body);
  expect(answer.status).toBe(422);
  expect(Problem.parse(answer.body).detail).toContain(detail);
});

test("the queue needs a name, and the stored verdicts audit the judge", async () => {
  const nameless = await send(at(`/runs/${run.run_id}/review`));
  expect([nameless.status, Problem.parse(nameless.body).errors?.[0]?.pointer]).toEqual([422, "/rater"]);
  const none = await send(at(`/runs/${run.run_id}/audit`), { body: {} });
  expect(Problem.parse(none.body).detail).toContain("has no verdicts of people on this run");
  const verdicts = Array.from({ length: 24 }, (_, index) => verdictOn(index, peopleFind(index)));
  await stored(run.run_id, { rater: "alice", verdicts });
  const audit = JudgeAudit.parse((await send(at(`/runs/${run.run_id}/audit`), { body: { repeats: 1 } })).body);
  expect(audit).toMatchObject({ items: 24, judged: 24, agreement: 21 / 24 });
});

test("verdicts of which nobody says that they are random correct nothing, and unbalanced ones are refused", async () => {
  const { run_id } = await evaluate("model");
  const verdicts = Array.from({ length: 30 }, (_, index) => verdictOn(index, index % 3 === 0 ? "bad" : "good"));
  const answer = StoredVerdicts.parse((await store(run_id, { rater: "ada", verdicts })).body);
  expect(answer.warnings?.[0]?.message).toContain("30 verdicts count as picked and correct no score");
  expect((await corrections(run_id)).scores[0]).toMatchObject({ mean: null, verdicts: 0 });
  expect((await corrections(run_id)).notes.join(" ")).toContain("not chosen at random");
});

test("a skipped reply is stored, shown, and widens the corrected interval until someone judges it", async () => {
  const { run_id } = await evaluate("model");
  const { items } = await review(run_id, "rater=ada&limit=20");
  expect(items[0]).toMatchObject({ sampling: "random" });
  const judged = items.map(({ scenario_id }, index) => ({ scenario_id, choice: index % 3 === 0 ? "bad" : "good" }));
  await stored(run_id, { rater: "ada", verdicts: judged });
  const next = (await review(run_id, "rater=ada&limit=20")).items.map(({ scenario_id }) => scenario_id);
  const skipped = next.slice(0, 3);
  const before = (await corrections(run_id)).scores[0]!;
  expect(
    await stored(run_id, { rater: "ada", verdicts: skipped.map((scenario_id) => ({ scenario_id, skipped: true })) }),
  ).toMatchObject({ stored: 0 });
  const after = (await corrections(run_id)).scores[0]!;
  expect(after).toMatchObject({ skipped: 3, verdicts: before.verdicts, mean: before.mean });
  expect(after.ci_lower).toBeLessThan(before.ci_lower ?? 0);
  expect(after.sentence).toContain("3 replies were drawn and skipped");
  expect((await review(run_id, "rater=ada")).progress.skipped).toBe(3);
  await stored(run_id, { rater: "bob", verdicts: skipped.map((scenario_id) => ({ scenario_id, choice: "good" })) });
  expect((await corrections(run_id)).scores[0]).not.toHaveProperty("skipped");
  expect((await review(run_id, "rater=ada")).progress).not.toHaveProperty("skipped");
});
