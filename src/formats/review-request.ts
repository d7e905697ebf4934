import type { z } from "zod";
import type { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import type { FileScenario } from "./scenario-file.ts";

/** The tag of conversations that people should look at. */
export const reviewTag = "review";

/** The request for a run of recorded replies, on which people can give verdicts. Nothing is called. */
export function reviewRequest(
  scenarios: readonly FileScenario[],
  models: readonly string[],
): z.input<typeof EvaluationRequest> {
  const [model = "recorded"] = models.length === 1 ? models : [];
  return {
    test_batch: [...scenarios],
    test_name: scenarios.length === 1 ? (scenarios[0]?.id ?? reviewTag) : `${scenarios.length} recorded conversations`,
    endpoint: "recorded:",
    protocol: "recorded",
    model_id: model,
    tags: [reviewTag],
  };
}

/** True when a turn has the reply of a past conversation. */
export const isRecorded = ({ interactions }: FileScenario): boolean =>
  interactions.some(({ agent_reply, tool_calls = [] }) => agent_reply !== "" || tool_calls.length > 0);

/** The scenarios as they are kept, without the recorded tool calls. */
export function withoutRecording(scenarios: readonly FileScenario[]): FileScenario[] {
  return scenarios.map((scenario) => ({
    ...scenario,
    interactions: scenario.interactions.map((recorded) => {
      const { tool_calls: _, ...turn } = recorded;
      return turn;
    }),
  }));
}
