import { expect, test } from "vitest";
import { failedInteraction, interactionResult, runResult, scenarioResult } from "../../testing/run-result.ts";
import { digestResults, shownFailures } from "./run-digest.ts";

test("keeps the worst scenarios with their worst turn, and the figures of all", () => {
  const overalls = [0.7, 0.1, 0.9, 0.1, 0.5, 0.6, 0.3, 0.2, 0.4, 0.45, 0.35, 0.25, 0.15];
  const scenarios = overalls.map((overall, index) =>
    scenarioResult(`s${index}`, [[interactionResult({ overall: 1 })], [interactionResult({ overall })]]),
  );
  const { worst, scenarios: kept } = digestResults(runResult(scenarios));
  expect(kept.map(({ scenario_id, verdict }) => [scenario_id, verdict.passed])).toEqual(
    overalls.map((overall, index) => [`s${index}`, overall >= 0.8 ? 2 : 1]),
  );
  expect(worst).toHaveLength(shownFailures);
  expect(worst.map(({ failure }) => failure?.interaction.scores["overall"])).toEqual([
    0.1, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5,
  ]);
  expect(worst.slice(0, 2).map(({ scenario }) => scenario.scenario_id)).toEqual(["s1", "s3"]);
});

test("names lost scores, and counts replies without a token count but not failed turns", () => {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const turns = [
    interactionResult({ usage, failed_scores: ["judge_correctness"] }),
    interactionResult({ usage: null }),
    failedInteraction({ usage: null }),
  ];
  const { lostScores, uncountedReplies } = digestResults(runResult([scenarioResult("one", [turns])]));
  expect([...lostScores]).toEqual(["judge_correctness"]);
  expect(uncountedReplies).toBe(1);
});
