import type { RunDraft } from "./run-draft.ts";

/** Where each field of the form stands in the request. */
export const fieldPointers: Readonly<Record<keyof RunDraft, string>> = {
  name: "/test_name",
  endpoint: "/endpoint",
  protocol: "/protocol",
  model: "/model_id",
  attempts: "/attempts",
  systemPrompt: "/system_prompt",
  scenarios: "/test_batch",
  history: "/history",
  threshold: "/threshold",
  scorers: "/scorers",
  temperature: "/parameters",
  concurrency: "/concurrency",
  money: "/budget",
  judgeEndpoint: "/judge/endpoint",
  judgeModel: "/judge/model_id",
  judgeRubric: "/judge/rubric",
  judgeVotes: "/judge/votes",
};
