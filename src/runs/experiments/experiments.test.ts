import { expect, test } from "vitest";
import { hashText } from "../../base/hash.ts";
import { createRandom } from "../../base/random.ts";
import { fakeModel } from "../../../test/support/fake-model.ts";
import { startBench, type RunBench } from "../../../test/support/run-bench.ts";

const suite = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    metadata: { product: `lamp ${index}` },
    interactions: [{ id: "t", user_message: `question ${index}`, reference_reply: "yes indeed" }],
  }));

type Messages = readonly { readonly role?: string; readonly content?: unknown }[];
const lastQuestion = (messages: Messages): string => String(messages.at(-1)?.content);
const prompt = (messages: Messages): string => String(messages.find(({ role }) => role === "system")?.content ?? "");

/** Right in this share of the questions, which depends on the prompt and is always the same. */
const byPrompt = (shares: Record<string, number>) =>
  fakeModel(({ messages }) => {
    const share = shares[prompt(messages)] ?? 0;
    return createRandom(hashText(`${prompt(messages)}${lastQuestion(messages)}`))() < share ? "yes indeed" : "no";
  });

async function finish(bench: RunBench, request: Record<string, unknown>) {
  const run = await bench.create(request);
  for (const id of run.settings.experiment?.runs ?? []) await bench.runs.wait(id, AbortSignal.timeout(60_000));
  return bench.runs.experiment(run.id, null);
}

const scorers = ["exact_match"];
const score = { score: "exact_match" };

test("variants run side by side over the same scenarios, with their replies and a ranking", async () => {
  const model = byPrompt({ short: 0.9, long: 0.2 });
  await using bench = await startBench({ models: { model } });
  const variants = [
    { name: "short", system_prompt: "short" },
    { name: "long", system_prompt: "long" },
  ];
  const request = { test_batch: suite(40), scorers, test_name: "desk", variants };
  const run = await bench.create(request);
  expect(run.settings).toMatchObject({ test_name: "desk (short)", experiment: { id: run.id, variant: "short" } });
  const experiment = await finish(bench, request);
  expect(experiment).toMatchObject({ state: "completed", test_name: "desk", scenarios: 40 });
  const shown = await bench.runs.experiment(experiment.experiment_id, null, score);
  expect(shown.variants.map(({ name }) => name)).toEqual(["short", "long"]);
  const [short, long] = shown.variants;
  expect(short!.mean!).toBeGreaterThan(long!.mean! + 0.3);
  expect(shown.ranking).toMatchObject({ comparable: true, score: "exact_match" });
  expect(shown.sentence).toMatch(/^short is closest to the references on exact_match/);
  // The scenarios that tell the variants apart come first.
  expect(shown.rows[0]).toMatchObject({ spread: 1, cells: [{ reply: expect.any(String) }, { attempts: 1 }] });
  expect(shown.rows.map(({ spread }) => spread)).toEqual(
    shown.rows.map(({ spread }) => spread).toSorted((left, right) => right! - left!),
  );
});

test("calls of the variants alternate, and neither is always first", async () => {
  const asked: string[] = [];
  const model = fakeModel(({ messages }) => {
    asked.push(`${prompt(messages)} ${lastQuestion(messages).replace("question ", "")}`);
    return "yes indeed";
  });
  await using bench = await startBench({ models: { model }, concurrency: { global: 2, perRun: 2 } });
  const variants = ["a", "b"].map((name) => ({ name, system_prompt: name }));
  await finish(bench, { test_batch: suite(64), variants });
  const place = (name: string, index: number): number => asked.indexOf(`${name} ${index}`);
  const indexes = Array.from({ length: 64 }, (_, index) => index);
  for (const index of indexes) expect(Math.abs(place("a", index) - place("b", index))).toBeLessThan(48);
  const firstA = indexes.filter((index) => place("a", index) < place("b", index)).length;
  expect(firstA).toBeGreaterThan(12);
  expect(firstA).toBeLessThan(52);
  expect(asked.map((call) => Number(call.split(" ")[1]))).not.toEqual(indexes.flatMap((index) => [index, index]));
});

test("a prompt names values of the scenario, and one that some lack is refused", async () => {
  const seen: string[] = [];
  const model = fakeModel(({ messages }) => {
    seen.push(prompt(messages));
    return "yes";
  });
  await using bench = await startBench({ models: { model } });
  const variants = [{ name: "named", system_prompt: "You sell the {{product}}." }];
  await finish(bench, { test_batch: suite(2), variants });
  expect(seen.toSorted()).toEqual(["You sell the lamp 0.", "You sell the lamp 1."]);
  const holed = suite(2).map(({ metadata, ...rest }, index) => (index === 0 ? { ...rest, metadata } : rest));
  await expect(bench.create({ test_batch: holed, variants })).rejects.toThrow(
    "/variants/0/system_prompt names {{product}}, which the metadata of the scenario s1 does not have",
  );
});

test("a grid makes every combination, and tells the effect of each setting", async () => {
  const replies = (better: number) => byPrompt({ plain: 0.1, careful: better });
  await using bench = await startBench({ models: { model: replies(0.8), other: replies(0.9) } });
  const vary = { system_prompt: ["plain", "careful"], model_id: { old: "model", new: "other" } };
  const whole = await finish(bench, { test_batch: suite(40), scorers, vary });
  expect(whole.variants.map(({ name }) => name)).toEqual(["old, plain", "old, careful", "new, plain", "new, careful"]);
  const { effects } = await bench.runs.experiment(whole.experiment_id, null, score);
  expect(effects).toMatchObject([
    { setting: "model_id", level: "new", against: "old" },
    { setting: "system_prompt", level: "careful", against: "plain", scenarios: 40 },
  ]);
  expect(effects[0]!.ci_lower!).toBeLessThan(0.05);
  expect(effects[1]!.ci_lower!).toBeGreaterThan(0.3);
});

test("a variant that joins later asks only for itself: the replies of the others are used again", async () => {
  const model = byPrompt({ a: 0.9, b: 0.5, c: 0.1 });
  await using bench = await startBench({ models: { model } });
  const named = (...names: string[]) => names.map((name) => ({ name, system_prompt: name }));
  const first = await finish(bench, { test_batch: suite(12), variants: named("a", "b") });
  expect(model.requests).toHaveLength(24);
  const joined = { test_batch: suite(14), variants: named("a", "b", "c"), experiment: first.experiment_id };
  const second = await finish(bench, joined);
  expect(second.experiment_id).toBe(first.experiment_id);
  // Two new scenarios for each of the old variants, and all for the new one.
  expect(model.requests).toHaveLength(24 + 2 + 2 + 14);
  expect(second.variants).toMatchObject([
    { name: "a", replies: 14, reused: 12, oldest_reused: expect.any(String) },
    { name: "b", reused: 12 },
    { name: "c", reused: 0, oldest_reused: null },
  ]);
  const fresh = await finish(bench, { ...joined, fresh: true });
  expect(fresh.variants.map(({ reused }) => reused)).toEqual([0, 0, 0]);
  // Another setting is another content.
  const before = model.requests.length;
  await finish(bench, { ...joined, parameters: { temperature: 0.5 } });
  expect(model.requests.length - before).toBe(42);
});

test("`reuse` takes replies of any earlier run with the same settings", async () => {
  const model = byPrompt({ "": 0.5 });
  await using bench = await startBench({ models: { model } });
  const earlier = await bench.evaluate({ test_batch: suite(6) });
  const again = await bench.evaluate({ test_batch: suite(8), reuse: true });
  expect(model.requests).toHaveLength(8);
  const [turn] = again.results.scenarios.find(({ scenario_id }) => scenario_id === "s0")!.attempts[0]!.interactions;
  expect(turn).toMatchObject({ cost: 0, reused: { run_id: earlier.run_id } });
});

test("of several variants the losers are dropped early, and the budget holds for all together", async () => {
  const model = byPrompt({ best: 0.97, worst: 0.03, bad: 0.2 });
  await using bench = await startBench({ models: { model } });
  const variants = ["bad", "worst", "best"].map((name) => ({ name, system_prompt: name }));
  const attempts = { until: "decided", score: "exact_match", seed: 1 };
  const { variants: found, pairs } = await finish(bench, { test_batch: suite(120), scorers, variants, attempts });
  expect(found.map(({ dropped }) => dropped)).toEqual([true, true, undefined]);
  expect(pairs).toHaveLength(3);
  expect(pairs!.filter(({ verdict }) => verdict !== "undecided").length).toBeGreaterThanOrEqual(2);
  expect(model.requests.length).toBeLessThan(150);
  const capped = await finish(bench, {
    test_batch: suite(120),
    scorers,
    variants,
    attempts,
    budget: { calls: 30 },
    fresh: true,
  });
  expect(capped.variants.reduce((sum, { replies }) => sum + replies, 0)).toBeLessThanOrEqual(30);
});

test("refuses variants that cannot be told apart, and says where a setting is wrong", async () => {
  await using bench = await startBench({ models: { model: byPrompt({}) } });
  const create = (fields: Record<string, unknown>) => bench.create({ test_batch: suite(2), ...fields });
  const two = [{ name: "a" }, { name: "b" }];
  await expect(create({ variants: [{ name: "a" }, { name: "a" }] })).rejects.toThrow("makes two variants of one name");
  await expect(create({ variants: two, budget: { calls: 1 } })).rejects.toThrow("must be at least 2");
  await expect(create({ experiment: "x" })).rejects.toThrow("/experiment needs variants");
  await expect(create({ variants: two, experiment: "x" })).rejects.toThrow("must be the id of an experiment");
  const against = { until: "decided", against: { model_id: "other" } };
  await expect(create({ variants: two, attempts: against })).rejects.toThrow("/attempts/against/model_id cannot be");
  const module = [{ name: "a" }, { name: "b", endpoint: { module: "./agent.js" } }];
  await expect(create({ variants: module })).rejects.toThrow("/variants/1/endpoint/module is accepted only");
  const levels = Array.from({ length: 8 }, (_, index) => `level ${index}`);
  await expect(create({ vary: { system_prompt: levels, model_id: levels } })).rejects.toThrow("more than 50 variants");
});
