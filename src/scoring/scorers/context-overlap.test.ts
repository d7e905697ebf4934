import { expect, test } from "vitest";
import { prepareText } from "../text/prepare-text.ts";
import { contextOverlap } from "./context-overlap.ts";

const scoreOf = (reply: string, context: { text: string; source?: string }[]) =>
  contextOverlap.score({
    reply: prepareText(reply),
    references: [],
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
    turn: {
      interaction_id: "1",
      user_message: "When does the museum open?",
      prompt: "When does the museum open?",
      tool_calls: [],
      finish_reason: null,
      context,
    },
  });

test("counts the words of the reply that a passage has, and names the passage with most", () => {
  const passages = [{ text: "Parking is free." }, { text: "Opens daily at nine.", source: "hours.md" }];
  expect(scoreOf("The museum opens daily at nine, except Mondays.", passages)).toEqual([
    { name: "context_overlap", value: 3 / 5, reason: "3 of 5 words are in the passages; most in passage 2 (hours.md)" },
  ]);
});

test("a turn without passages has no score, and a reply without own words no value", () => {
  expect(scoreOf("Yes.", [])).toEqual([]);
  expect(scoreOf("The museum.", [{ text: "museum" }])).toMatchObject([{ value: null }]);
});
