import { expect, test } from "vitest";
import { createBreakdown } from "./breakdown.ts";
import { scoredTurn as turn } from "./testing/scored-turn.ts";

test("limits the number of slices", () => {
  const breakdown = createBreakdown();
  for (let index = 0; index < 1_000; index++) {
    breakdown.add({ ...turn({ overall: 1 }), interaction_type: `type ${index}` }, [`tag ${index}`]);
  }
  const { interaction_type, tag } = breakdown.finish();
  expect([Object.keys(interaction_type).length, Object.keys(tag).length]).toEqual([200, 200]);
});

test("counts many turns with very many tags quickly", () => {
  const breakdown = createBreakdown();
  const many = [...Array.from({ length: 200_000 }, (_, index) => `tag ${index}`), "last"];
  breakdown.add(turn({ overall: 0 }), ["last", "last"]);
  for (let index = 0; index < 2_000; index++) breakdown.add(turn({ overall: 1 }), many);
  const { tag } = breakdown.finish();
  expect(Object.keys(tag)).toHaveLength(200);
  expect([tag["last"]?.n, tag["tag 0"]?.n]).toEqual([2_001, 2_000]);
});
