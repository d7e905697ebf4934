import { expect, test } from "vitest";
import { makeScenario } from "../../test/page/support/make-results.ts";
import { renderHtml } from "../../test/page/support/render.ts";
import { hasFailure, outcomeInAttempt } from "./failures.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";

/** An attempt with a turn below the threshold and an outcome. */
function scenarioWith(outcome: 0 | 1) {
  const scenario = makeScenario({ id: "refund", attempts: [[{ overall: 0.4 }]] });
  const attempts = scenario.attempts.map((attempt) => ({
    ...attempt,
    average_scores: { ...attempt.average_scores, outcome, "outcome.replies": 1 },
  }));
  return { ...scenario, attempts };
}

test("a turn below the threshold has not failed where the outcome decides that the attempt passes", () => {
  const passed = scenarioWith(1);
  const [attempt] = passed.attempts;
  const [turn] = attempt?.interactions ?? [];
  if (!attempt || !turn) throw new Error("there is no turn");
  expect(outcomeInAttempt(turn, { attempt, threshold: 0.8 })).toBe("unscored");
  expect(hasFailure([passed])).toBe(false);
  const [missed] = scenarioWith(0).attempts;
  expect(outcomeInAttempt(turn, { attempt: missed, threshold: 0.8 })).toBe("failed");
  expect(hasFailure([scenarioWith(0)])).toBe(true);
});

test("a verdict is green or red, and a request without an answer neither", () => {
  expect(renderHtml(<OutcomeBadge outcome="passed" />)).toContain("text-good");
  expect(renderHtml(<OutcomeBadge outcome="failed" />)).toContain("text-bad");
  expect(renderHtml(<OutcomeBadge outcome="errored" />)).toContain("text-infra");
});
