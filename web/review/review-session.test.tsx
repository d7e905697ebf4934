import { expect, test } from "vitest";
import type { ReviewItem } from "../../src/contract/schemas/judging/human-verdict.ts";
import { pairSides } from "./review-session.tsx";

const pair = (scenario_id: string): ReviewItem => ({
  scenario_id,
  attempt: 1,
  turn_index: 0,
  user_message: "Hello",
  conversation_before: [],
  conversation_before_other: [],
  interaction_id: "hello",
  reply: "of this run",
  other_reply: "of the run it is compared with",
  reference_reply: "",
});

test("whichever letter a reply is shown under, calling it better stores its own run", () => {
  const shown = Array.from({ length: 20 }, (_, index) => pairSides(pair(`scenario-${index}`)));
  for (const sides of shown) {
    expect(sides.map(({ letter }) => letter)).toEqual(["A", "B"]);
    expect(Object.fromEntries(sides.map(({ run, reply }) => [run, reply]))).toEqual({
      candidate: "of this run",
      baseline: "of the run it is compared with",
    });
  }
  // Neither letter tells the run.
  expect(new Set(shown.map(([first]) => first?.run))).toEqual(new Set(["candidate", "baseline"]));
});
