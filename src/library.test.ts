import { expect, test } from "vitest";
import { sampleReply } from "./contract/testing/sample-reply.ts";
import { runAttempt, Scenario, type ChatModel, type StoredReply } from "./index.ts";
import { createScoring, judgePair, labelCandidates, scoreInteraction, scoreReply, type Judge } from "./scorers.ts";
import { compareRuns, createRunTally, pairwiseFigures, summarizeScenario } from "./statistics.ts";

/** A model that answers by rule. */
const model =
  (answer: (question: string) => string): ChatModel =>
  async ({ messages }) =>
    sampleReply(answer(messages.at(-1)?.content ?? ""));

const scenarios = ["a", "b"].map((id) =>
  Scenario.parse({
    id,
    description: "",
    tags: [],
    interactions: [{ id: "1", user_message: "Delivery?", reference_reply: "5 days", interaction_type: "opening" }],
  }),
);

/** Runs and scores every scenario twice, with nothing but the library. */
async function evaluate(answer: (question: string) => string) {
  const scoring = createScoring({ candidates: labelCandidates(scenarios) });
  const tally = createRunTally();
  const figures = [];
  for (const scenario of scenarios) {
    const attempts = [];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const interactions = [];
      const replies = new Map<number, StoredReply>();
      const onReply = async (turn: number, reply: StoredReply) => void replies.set(turn, reply);
      const { signal } = new AbortController();
      await runAttempt({ scenario, model: model(answer), onFailure: "continue", onReply, signal });
      for (const [turn_index, reply] of replies) {
        const interaction = scenario.interactions[turn_index]!;
        const scores = await scoreInteraction({ interaction, reply, scoring });
        tally.add({ scenario_id: scenario.id, interaction, ...scores });
        interactions.push({ ...interaction, ...reply, ...scores, turn_index });
      }
      attempts.push({ interactions });
    }
    figures.push(summarizeScenario(attempts));
  }
  return { tally, figures };
}

test("a suite is run, scored, summed up and compared with the library alone", async () => {
  const baseline = await evaluate(() => "5 days");
  const candidate = await evaluate(() => "no idea");
  // Similarity to a reference decides nothing without a threshold.
  expect(baseline.figures[0]).toMatchObject({ average_scores: { overall: 1 }, reliability: null });
  expect(compareRuns({ baseline: baseline.tally, candidate: candidate.tally })).toMatchObject({
    comparable: true,
    scores: expect.arrayContaining([expect.objectContaining({ name: "token_f1", effect: -1 })]),
  });
});

test("two replies are judged in both orders with a judge of one's own", async () => {
  const judge: Judge = {
    model: model(() => JSON.stringify({ reason: "always the first", verdict: "first" })),
    votes: 1,
    audited: false,
  };
  const pair = { user_message: "Delivery?", left: "5 days", right: "no idea" };
  const judgement = await judgePair(judge, { pair, signal: new AbortController().signal });
  expect(judgement).toMatchObject({ winner: "tie", flipped: true });
  expect(pairwiseFigures([{ scenario: "a", judgement }], false)).toMatchObject({ ties: 1 });
});

test("a reply is scored as in a run where there is no reference, and where saying nothing is right", () => {
  const valuesOf = (reference: string | readonly string[], reply: string) =>
    scoreReply({ reply, reference, scorers: ["exact_match", "token_f1"] }).map(({ value }) => value);
  expect(valuesOf("", "Hello")).toEqual([null, null]);
  expect(valuesOf(" ", "Hello")).toEqual([null, null]);
  expect(valuesOf([""], "Hello")).toEqual([0, 0]);
  expect(valuesOf(["Hello", ""], "")).toEqual([1, 1]);
  const [label] = scoreReply({ reply: "Hello", reference_metadata: { constructor: "x" }, scorers: ["metadata_match"] });
  expect(label).toMatchObject({ name: "metadata.constructor", value: null });
});
