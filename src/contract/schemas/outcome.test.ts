import { expect, test } from "vitest";
import {
  notJudgedText,
  outcomeOfAttempt,
  passRateText,
  passThreshold,
  storedOutcome,
  toStoredAverages,
} from "./outcome.ts";
import type { Scores } from "./scores/score.ts";

type Stated = Readonly<Record<string, boolean | null>>;

const turn = (stated: Stated | undefined, scores: Scores = {}) => ({
  scores: { success: 1, overall: 0.3, ...scores },
  ...(stated && { stated: { ...stated } }),
});

/** The outcome from the turns, after checking that the stored averages give the same. */
function outcomeOf(turns: readonly ReturnType<typeof turn>[], conversation: Scores = {}, threshold?: number) {
  const average_scores = { success: 1, overall: 0.3, ...conversation };
  const attempt = { average_scores, interactions: turns };
  const outcome = outcomeOfAttempt(attempt, threshold);
  expect(storedOutcome(toStoredAverages(average_scores, attempt), threshold)).toBe(outcome);
  return outcome;
}

test.each([
  ["nothing is stated", [{}], "unscored"],
  ["everything holds", [{ contains: true }, {}, { tool_match: true }], "passed"],
  ["one statement does not hold", [{ contains: true, equals: false }, { tool_match: true }], "failed"],
  ["one statement is undecided", [{ contains: true }, { judge_correctness: null }], "unscored"],
  ["one does not hold and one is undecided", [{ contains: false }, { judge_correctness: null }], "failed"],
])("an attempt where %s", (_, stated, expected) => {
  expect(outcomeOf(stated.map((each) => turn(each as Stated)))).toBe(expected);
});

test("the expected outcome is one statement among the others", () => {
  const met = { "outcome.replies": 1, outcome: 1 };
  expect(outcomeOf([turn({})], met)).toBe("passed");
  expect(outcomeOf([turn({ contains: false })], met)).toBe("failed");
  expect(outcomeOf([turn({ contains: true })], { "outcome.replies": 1, outcome: 0 })).toBe("failed");
  expect(outcomeOf([turn({ contains: true })], { "outcome.replies": 1 })).toBe("unscored");
});

test("a judge of the conversation decides, and its missing verdict leaves it undecided", () => {
  expect(outcomeOf([turn({})], { conversation_quality: 0.8 })).toBe("passed");
  expect(outcomeOf([turn({ contains: true })], { conversation_quality: 0.5 })).toBe("failed");
  const conversation = { scores: {}, score_reasons: { conversation_quality: "no readable vote" } };
  const attempt = { average_scores: { success: 1 }, interactions: [turn({ contains: true })], conversation };
  expect(outcomeOfAttempt(attempt, undefined)).toBe("unscored");
});

test("with a threshold of the user's own, overall decides, or the expected outcome", () => {
  expect(outcomeOf([turn({})], {}, 0.3)).toBe("passed");
  expect(outcomeOf([turn({ contains: true })], {}, 0.4)).toBe("failed");
  expect(outcomeOf([turn({})], { "outcome.replies": 1, outcome: 1 }, 0.4)).toBe("passed");
});

test("weights set the default threshold, unless they only weigh similarities", () => {
  expect(passThreshold({})).toBeUndefined();
  expect(passThreshold({ threshold: 0.5, weights: { contains: 1 } })).toBe(0.5);
  expect(passThreshold({ weights: { token_f1: 3, metadata_match: 1 } })).toBe(0.8);
  expect(passThreshold({ weights: { token_f1: 3, success: 1, metadata_match: 0 } })).toBeUndefined();
});

test("results of earlier releases are read by the names of their scores", () => {
  expect(outcomeOf([turn(undefined, { chrf: 0.9, token_f1: 1 })])).toBe("unscored");
  expect(outcomeOf([turn(undefined, { metadata_match: 1, contains: 1 })])).toBe("passed");
  expect(outcomeOf([turn(undefined, { contains: 0, metadata_match: 1 })])).toBe("failed");
  expect(outcomeOf([turn(undefined, { group: 1, "group.contains": 0 })])).toBe("passed");
  expect(outcomeOf([turn(undefined, { judge_correctness: 0.8 })])).toBe("passed");
  expect(storedOutcome({ success: 1, overall: 0.9, chrf: 0.9 }, undefined)).toBe("unscored");
  expect(storedOutcome({ success: 1, tool_match: 0.5 }, undefined)).toBe("failed");
});

test("a run that nothing judges shows how similar its replies are", () => {
  const counts = { total: 10, passing: 0, flaky: 0, failing: 0, no_reply: 0, unscored: 10, waiting: 0 };
  const average_scores = { success: 1, chrf: 0.31, overall: 0.351 };
  expect(passRateText({ scenarios: counts, average_scores })).toBe("0 scenarios judged (10 similar 0.351, not judged)");
  const some = { ...counts, passing: 6, unscored: 4 };
  expect(passRateText({ scenarios: some, average_scores })).toBe("6 of 6 scenarios pass (4 not judged)");
  // `overall` is more than similarity where labels are part of it.
  expect(notJudgedText({ overall: 0.7, metadata_match: 1, chrf: 0.4 })).toBe("similar 0.400, not judged");
  expect(notJudgedText({ success: 1 })).toBe("not judged");
});
