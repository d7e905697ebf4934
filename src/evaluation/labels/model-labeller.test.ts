import { expect, test } from "vitest";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { labelCandidates } from "./label-candidates.ts";
import { createModelLabeller } from "./model-labeller.ts";

const expected = { priority: "2", intent: "Order-Status", urgent: true, count: 3 };
const scenarios = ["1", "2", "3"].map((priority) => ({
  id: priority,
  description: "",
  tags: [],
  interactions: [
    {
      id: "1",
      user_message: "",
      agent_reply: "",
      reference_reply: "",
      generated_metadata: {},
      interaction_type: "opening",
      reference_metadata: { ...expected, priority },
    },
  ],
}));

async function labelsOf(answer: string) {
  const model = async () => sampleReply(answer);
  const label = createModelLabeller({ model, name: "m", candidates: labelCandidates(scenarios) });
  const { labels } = await label({ user_message: "u", reply: "r", expected }, new AbortController().signal);
  return labels && Object.fromEntries(labels);
}

test.each([
  ['{"priority": "2", "intent": "order_status"}', { priority: "2", intent: "Order-Status" }],
  ['<think>Hm.</think>```json\n{"intent": "ORDER STATUS", "other": 1}\n```', { intent: "Order-Status" }],
  [
    '{"priority": 2, "intent": "unknown", "urgent": false, "count": 4}',
    { priority: "2", intent: "unknown", urgent: false, count: 4 },
  ],
  ['{"priority": 4, "intent": ["order_status"], "urgent": "yes", "count": null}', null],
  ["The intent is order_status.", null],
])("the labels of the answer %j", async (answer, labels) => {
  expect(await labelsOf(answer)).toEqual(labels);
});
