import { expect, test } from "vitest";
import { EvaluationRequest } from "../contract/evaluation-request.ts";
import { planRun } from "./plan-run.ts";
import { numberedScenario, planLimits } from "./testing/run-bench.ts";

function plan(note: string) {
  const [turn] = numberedScenario("s", 1).interactions;
  const test_batch = { id: "s", interactions: [{ ...turn, reference_metadata: { note } }] };
  return planRun(EvaluationRequest.parse({ test_batch, endpoint: "http://x", model_id: "m" }), planLimits);
}

test("labels are measured in bytes, whatever they are written in", () => {
  expect(() => plan("a".repeat(9_000))).not.toThrow();
  expect(() => plan("€".repeat(3_000))).not.toThrow();
  expect(() => plan("€".repeat(4_000))).toThrow("must be at most 10000 bytes of JSON");
});
