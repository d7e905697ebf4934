import { expect, test } from "vitest";
import { EvaluationPlan } from "../../contract/schemas/evaluation-request.ts";
import { RunEstimate } from "../../contract/schemas/budget.ts";
import { estimateRun } from "./estimate-run.ts";

function planOf(fields: Record<string, unknown> = {}, turns = 2): EvaluationPlan {
  const interactions = Array.from({ length: turns }, (_, index) => ({
    id: `${index}`,
    user_message: "12345678",
    reference_reply: "1234567890123456",
    interaction_type: "opening",
    reference_metadata: { intent: "greeting" },
  }));
  const scenarios = ["a", "b"].map((id) => ({ id, description: "", tags: [], interactions }));
  return EvaluationPlan.parse({
    scenarios,
    test_name: "t",
    endpoint: "http://x",
    model_id: "m",
    attempts: 3,
    ...fields,
  });
}

const priceOf = ({ usage }: { usage: { total_tokens: number } }) => usage.total_tokens / 1_000;

test("estimates a worked example: each call sends the conversation so far", () => {
  const estimate = estimateRun(planOf(), { concurrency: 4, priceOf });
  expect(RunEstimate.parse(estimate)).toEqual(estimate);
  expect(estimate.calls).toEqual({ low: 12, expected: 12, high: 12 });
  // A turn asks with 2 + 4 tokens and is answered with 4 (+ 4): 6 for the first call, 20 for the second, twice, three times.
  expect(estimate.input_tokens.expected).toBe((6 + 20) * 2 * 3);
  expect(estimate.output_tokens.expected).toBe(4 * 2 * 2 * 3);
  expect(estimate.money?.expected).toBeCloseTo(((26 + 8) * 2 * 3) / 1_000, 12);
  expect(estimate.sentence).toMatch(/^12 calls, about \$0\.20, \d+ s to \d+ s\.$/);
});

test("writes one call in the singular", () => {
  const [scenario] = planOf({}, 1).scenarios;
  const { sentence } = estimateRun(planOf({ scenarios: [scenario], attempts: 1 }), { concurrency: 1 });
  expect(sentence).toMatch(/^1 call, \d+ s to \d+ s\.$/);
});

test("estimates more than a hundred thousand scenarios", () => {
  const [scenario] = planOf({}, 1).scenarios;
  const scenarios = Array.from({ length: 200_000 }, () => scenario as EvaluationPlan["scenarios"][number]);
  const estimate = estimateRun({ ...planOf(), scenarios, attempts: 1 }, { concurrency: 1 });
  expect(estimate.calls.expected).toBe(200_000);
});

test("turns in a world may take several calls, up to their limit", () => {
  const world = { tools: [{ name: "f", parameters: {}, answers: [{}] }], max_steps: 5 };
  expect(estimateRun(planOf({ world }), { concurrency: 4 }).calls).toEqual({ low: 12, expected: 24, high: 72 });
  const [scenario] = planOf({}, 1).scenarios;
  const interactions = scenario?.interactions.map((turn) => ({
    ...turn,
    reference_tool_calls: ["f", "g", "h"].map((name) => ({ name })),
  }));
  const acting = planOf({ scenarios: [{ ...scenario, interactions, world }], attempts: 1 });
  expect(estimateRun(acting, { concurrency: 1 }).calls).toEqual({ low: 1, expected: 4, high: 6 });
  expect(estimateRun({ ...acting, protocol: "agent" }, { concurrency: 1 }).calls.expected).toBe(1);
});

test("both modes double the calls, a judge and a labeller add theirs", () => {
  const judge = { endpoint: "http://j", model_id: "j", votes: 3 };
  const labeller = { endpoint: "http://l", model_id: "l" };
  expect(estimateRun(planOf({ history: "both" }), { concurrency: 4 }).calls.expected).toBe(24);
  const helped = estimateRun(planOf({ judge, labeller }), { concurrency: 4 });
  expect(helped.helper_calls.expected).toBe(12 * 3 + 12);
  const whole = estimateRun(planOf({ judge: { ...judge, scope: "conversation" } }), { concurrency: 4 });
  expect(whole.helper_calls.expected).toBe(2 * 3 * 3);
});

test("counts the rubrics of turns for a judge of single replies", () => {
  const judge = { endpoint: "http://j", model_id: "j", votes: 3 };
  const [scenario] = planOf({}, 1).scenarios;
  const checks = [
    { type: "rubric", text: "Kind?" },
    { type: "rubric", text: "Short?" },
    { type: "length", max: 9, unit: "words" },
  ];
  const interactions = scenario?.interactions.map((turn) => ({ ...turn, reference_reply: "", checks }));
  const callsOf = (settings: object) =>
    estimateRun(planOf({ ...settings, attempts: 1, scenarios: [{ ...scenario, interactions }] }), { concurrency: 1 })
      .helper_calls.expected;
  expect(callsOf({ judge })).toBe((interactions?.length ?? 0) * 2 * 3);
  expect(callsOf({ judge: { ...judge, scope: "conversation" } })).toBe(3);
  expect(callsOf({})).toBe(0);
});

test("judge and labeller read the replies of a second pass too; a conversation is judged once", () => {
  const judge = { endpoint: "http://j", model_id: "j", votes: 3 };
  const labeller = { endpoint: "http://l", model_id: "l" };
  const prices = { concurrency: 4, priceOf, judgePriceOf: priceOf, labellerPriceOf: priceOf };
  const once = estimateRun(planOf({ judge, labeller }), prices);
  const twice = estimateRun(planOf({ judge, labeller, history: "both" }), prices);
  expect(twice.helper_calls.expected).toBe(2 * once.helper_calls.expected);
  expect(twice.money?.expected).toBeCloseTo(2 * (once.money?.expected ?? 0), 12);
  expect(estimateRun(planOf({ judge, replay_first_bad_turn: true }), prices).helper_calls).toEqual({
    low: 36,
    expected: 36,
    high: 72,
  });
  const whole = { ...judge, scope: "conversation" };
  expect(estimateRun(planOf({ judge: whole, history: "both" }), prices).helper_calls.expected).toBe(2 * 3 * 3);
});

const inputOf = (settings: object, turns?: number) =>
  estimateRun(planOf({ attempts: 1, ...settings }, turns), { concurrency: 1 }).input_tokens.expected;

test("a judge reads the conversation so far with each reply, and its question with each vote", () => {
  const judge = { endpoint: "http://j", model_id: "j" };
  const helped = (settings: object, turns: number) =>
    inputOf({ judge: { ...judge, ...settings } }, turns) - inputOf({}, turns);
  const long = "1234".repeat(1_000);
  expect(helped({ rubric: long }, 1) - helped({ rubric: "Kind?" }, 1)).toBe(2 * (1_000 - 2));
  expect(helped({ rubric: long, votes: 3 }, 1)).toBe(3 * helped({ rubric: long }, 1));
  // A second turn adds a call, which reads 14 tokens more than the first: a message with its answer.
  expect(helped({ rubric: "Kind?" }, 2) - 2 * helped({ rubric: "Kind?" }, 1)).toBe(2 * 14);
  const whole = { scope: "conversation", rubric: "Kind?" };
  // One call for both turns, with 14 tokens more and the reference of 4.
  expect(helped(whole, 2) - helped(whole, 1)).toBe(2 * (14 + 4));
});

test("a labeller reads the message, the reply and all labels of the key", () => {
  const labeller = { endpoint: "http://l", model_id: "l" };
  const labelled = (labels: number) => {
    const interactions = Array.from({ length: labels }, (_, index) => ({
      id: `${index}`,
      user_message: "12345678",
      interaction_type: "opening",
      reference_metadata: { intent: `label ${index + 100}xx` },
    }));
    const scenarios = [{ id: "a", description: "", tags: [], interactions }];
    return (inputOf({ scenarios, labeller }) - inputOf({ scenarios })) / labels;
  };
  // Three tokens a label.
  expect(labelled(50) - labelled(10)).toBe(3 * 40);
});

test("skips judging without a reference, and labelling without labels", () => {
  const interactions = [{ id: "1", user_message: "Hi", interaction_type: "opening" }];
  const scenarios = [{ id: "a", description: "", tags: [], interactions }];
  const helpers = { judge: { model_id: "j" }, labeller: { model_id: "l" } };
  expect(estimateRun(planOf({ scenarios, ...helpers }), { concurrency: 4 }).helper_calls.expected).toBe(0);
  const rubric = { judge: { model_id: "j", rubric: "Is it kind?" } };
  expect(estimateRun(planOf({ scenarios, ...rubric }), { concurrency: 4 }).helper_calls.expected).toBe(3);
});

test("estimates depending on replies are ranges", () => {
  expect(estimateRun(planOf({ replay_first_bad_turn: true }), { concurrency: 4 }).calls).toEqual({
    low: 12,
    expected: 12,
    high: 24,
  });
});

test("estimates no money without a price, and checks the budget", () => {
  expect(estimateRun(planOf(), { concurrency: 4 }).money).toBeNull();
  expect(estimateRun(planOf({ budget: { calls: 12 } }), { concurrency: 4 }).within_budget).toBe(true);
  expect(estimateRun(planOf({ budget: { calls: 11 } }), { concurrency: 4 }).within_budget).toBe(false);
  expect(estimateRun(planOf(), { concurrency: 4 }).within_budget).toBeNull();
});

test("earlier runs replace the default assumptions", () => {
  const earlier = { runs: 2, output_tokens: 100, latency_ms: 1_000 };
  const estimate = estimateRun(planOf(), { concurrency: 1, earlier });
  expect(estimate.output_tokens.expected).toBe(1_200);
  expect(estimate.seconds.expected).toBe(12);
  expect(estimate.based_on).toBe("2 earlier runs of this model");
});

test("concurrency is limited by the number of attempts", () => {
  const earlier = { runs: 1, output_tokens: 100, latency_ms: 1_000 };
  const judge = { endpoint: "http://j", model_id: "j", votes: 3 };
  // Six attempts share twelve calls of the model and three times as many of the judge.
  expect(estimateRun(planOf({ judge }), { concurrency: 100, earlier }).seconds.expected).toBe(8);
});

test("turns run concurrently with reference history, and two at a time with both", () => {
  const earlier = { runs: 1, output_tokens: 100, latency_ms: 1_000 };
  const secondsOf = (fields: object, { turns = 10, ...limits }: { turns?: number; mostCalls?: number } = {}) =>
    estimateRun(planOf({ attempts: 1, ...fields }, turns), { concurrency: 8, earlier, ...limits }).seconds.expected;
  expect(secondsOf({})).toBe(10);
  expect(secondsOf({ history: "both" })).toBe(10);
  expect(secondsOf({ history: "reference" })).toBe(1);
  // An attempt has at most sixteen calls under way, or as many as the run may have attempts at once.
  expect(secondsOf({ history: "reference" }, { turns: 40 })).toBe(3);
  expect(secondsOf({ history: "reference", concurrency: 1 })).toBe(20);
});

test("respects the limit on concurrent calls", () => {
  const earlier = { runs: 1, output_tokens: 100, latency_ms: 1_000 };
  const plan = planOf({ attempts: 50, concurrency: 100 });
  expect(estimateRun(plan, { concurrency: 8, earlier, mostCalls: 16 }).seconds.expected).toBe(200 / 16);
  expect(estimateRun(plan, { concurrency: 8, earlier }).seconds.expected).toBe(2);
});

test("calls and tokens are whole numbers", () => {
  const [scenario] = planOf({}, 1).scenarios;
  const judge = { endpoint: "http://j", model_id: "j" };
  const earlier = { runs: 3, output_tokens: 10 / 3, latency_ms: 100 };
  const plan = planOf({ scenarios: [scenario], attempts: 5, judge });
  const { calls, model_calls, helper_calls, input_tokens, output_tokens } = estimateRun(plan, {
    concurrency: 1,
    earlier,
  });
  expect(model_calls).toEqual({ low: 5, expected: 5, high: 5 });
  expect(calls.expected).toBe(model_calls.expected + helper_calls.expected);
  const figures = [calls, helper_calls, input_tokens, output_tokens].flatMap((range) => Object.values(range));
  expect(figures.filter((figure) => !Number.isInteger(figure))).toEqual([]);
});
