import { expect, test } from "vitest";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";
import { compareResponses } from "../gates/compare-results.ts";
import { comparisonMarkdown, comparisonText } from "./comparison-text.ts";

const batch = Array.from({ length: 3 }, (_, index) => numberedScenario(`s${index}`, 1));
const right = fakeModel((request) => lastUserMessage(request).replace("q", "a"));
const wrong = fakeModel(() => "no");
const judge = fakeModel(() => JSON.stringify({ reason: "r", verdict: "partial" }));

test.each<[string, Record<string, unknown>, boolean]>([
  ["the same measures", { model_id: "wrong" }, true],
  ["another judge", { judge: { endpoint: "http://j", model_id: "judge" } }, false],
])("with %s, lists worse scenarios only by a compared overall", async (_title, differing, listed) => {
  await using bench = await startBench({ models: { model: right, wrong, judge } });
  const baseline = await bench.evaluate({ test_batch: batch });
  const candidate = await bench.evaluate({ test_batch: batch, ...differing });
  const text = comparisonText({ baseline, candidate, comparison: compareResponses(baseline, candidate) });
  expect(text.includes("Largest drops")).toBe(listed);
});

test("leaves out a scenario with another question", async () => {
  await using bench = await startBench({ models: { model: right, wrong } });
  const asked = (question: string) => ({
    id: "changed",
    interactions: [{ id: "1", user_message: question, reference_reply: "a" }],
  });
  const baseline = await bench.evaluate({ test_batch: [...batch, asked("q")] });
  const candidate = await bench.evaluate({ test_batch: [...batch, asked("something else")] });
  const compared = { baseline, candidate, comparison: compareResponses(baseline, candidate) };
  const text = comparisonText(compared);
  for (const form of [text, comparisonMarkdown(compared)])
    expect(form).toContain("1 turn with a different question or reference");
  expect(text).not.toContain("Largest drops");
});

test("shows no sign for no change, and more digits for a small one", async () => {
  await using bench = await startBench({ models: { model: right } });
  const run = await bench.evaluate({ test_batch: batch });
  const compared = compareResponses(run, run);
  if (!compared.comparable) throw new Error(compared.reason);
  const textOf = (effect: number) => {
    const scores = compared.scores.map((score) => ({ ...score, effect }));
    return comparisonMarkdown({ baseline: run, candidate: run, comparison: { ...compared, scores } });
  };
  expect(textOf(-1e-13)).toContain("| 0.000 |");
  expect(textOf(-1e-13)).not.toContain("-0.000");
  expect(textOf(-0.0001)).toContain("| -0.0001 |");
});

test("shows the effect, interval and p of a score", async () => {
  await using bench = await startBench({ models: { model: right } });
  const run = await bench.evaluate({ test_batch: batch });
  const compared = compareResponses(run, run);
  if (!compared.comparable) throw new Error(compared.reason);
  const row = (figures: object): string => {
    const scores = compared.scores.slice(0, 1).map((score) => ({ ...score, effect: -0.25, ...figures }));
    return comparisonMarkdown({ baseline: run, candidate: run, comparison: { ...compared, scores } });
  };
  const adjusted = { ci_lower: -0.3, ci_upper: 0, ci_lower_adjusted: -0.4, ci_upper_adjusted: 0.1 };
  expect(row({ ...adjusted, p: 0.0004, p_adjusted: 0.004 })).toContain("| -0.250 | -0.400 … +0.100 | <0.001 | 0.004 |");
  const none = { ci_lower_adjusted: null, ci_upper_adjusted: null, p: null, p_adjusted: null };
  expect(row(none)).toContain("| -0.250 | – | – | – |");
});

test("lists changed settings, long prompts from the first difference", async () => {
  await using bench = await startBench({ models: { model: right } });
  const rule = "Answer every question in one short sentence, politely, and without any promise. ";
  const asked = { test_batch: batch, system_prompt: `${rule}Use *no* names.`, parameters: { temperature: 0 } };
  const baseline = await bench.evaluate(asked);
  const candidate = await bench.evaluate({
    ...asked,
    system_prompt: `${rule}Use | names.`,
    parameters: {},
    attempts: 2,
  });
  const lines = (from: typeof baseline, to: typeof candidate) => {
    const compared = { baseline: from, candidate: to, comparison: compareResponses(from, to) };
    return [comparisonText(compared), comparisonMarkdown(compared)].map((text) =>
      text.split("\n").filter((line) => line.startsWith("- ")),
    );
  };
  const [text, markdown] = lines(baseline, candidate);
  expect(text).toEqual([
    '- system_prompt: …ut any promise. Use *no* names." → …ut any promise. Use | names."',
    "- parameters.temperature: 0 → not set",
    "- attempts: 1 → 2",
  ]);
  expect(markdown?.[0]).toBe('- `system_prompt: …ut any promise. Use *no* names." → …ut any promise. Use | names."`');
  expect(lines(baseline, baseline)).toEqual([[], []]);
  const { protocol: _, parameters: __, attempts: ___, ...older } = baseline;
  expect(lines(older, candidate)[0]).toHaveLength(1);
});

test("escapes a bar in the name of a score", async () => {
  await using bench = await startBench({ models: { model: right } });
  const run = await bench.evaluate({ test_batch: batch });
  const compared = compareResponses(run, run);
  if (!compared.comparable) throw new Error(compared.reason);
  const scores = compared.scores.slice(0, 1).map((score) => ({ ...score, name: "metadata.a|b" }));
  const text = comparisonMarkdown({ baseline: run, candidate: run, comparison: { ...compared, scores } });
  expect(text).toContain("| metadata.a\\|b | 1.000 |");
});

test("escapes the name of a hostile label in text and Markdown", async () => {
  await using bench = await startBench({ models: { model: right } });
  const run = await bench.evaluate({ test_batch: batch });
  const compared = compareResponses(run, run);
  if (!compared.comparable) throw new Error(compared.reason);
  const name = "metadata.![x](https://elsewhere.example)<img>\n::error::\u001B[31mx";
  const scores = compared.scores.slice(0, 1).map((score) => ({ ...score, name }));
  const hostile = { ...compared, scores, sentence: `${name} is the same.`, notes: [`${name} left out.`] };
  const runs = { baseline: run, candidate: run, comparison: hostile };
  const markdown = comparisonMarkdown(runs);
  expect(markdown).toContain("| metadata.\\!\\[x\\](https://elsewhere.example)&lt;img\\> ::error::\\[31mx | 1.000 |");
  for (const text of [markdown, comparisonText(runs)]) expect(text).not.toMatch(/^::error|\p{Cc}\[/mu);
  expect(markdown).not.toMatch(/!\[|<img/);
});
