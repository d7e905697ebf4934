import { expect, test } from "vitest";
import { createSimulatedUsers } from "./simulated-users.ts";

test("counts a run of which every conversation was spoiled as 0", () => {
  const users = createSimulatedUsers();
  const failure = { kind: "repeated", reason: "again", turn_index: 2, found_by: "rule" } as const;
  const conversation = { scores: {}, score_reasons: {}, judgements: {}, user: { ended: "failed", failure } } as const;
  expect(users.add(0, { interactions: [], conversation })).toBe(true);
  const summary = users.finish([{ row: 0, average_scores: { simulated_user: 0 }, attempts: 0 }]);
  expect(summary).toMatchObject({
    attempts: 1,
    failed: 1,
    share: 1,
    limit: 0.2,
    undecided: true,
    scores_with_failures: { outcome: 0 },
  });
});
