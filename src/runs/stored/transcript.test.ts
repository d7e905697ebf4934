import { expect, test } from "vitest";
import { sampleReply } from "../../../test/conformance/sample-runs.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { createTranscript } from "./transcript.ts";
import { unscored } from "../execute/execute-attempt.ts";

const scenario: Scenario = {
  id: "three turns",
  description: "",
  tags: [],
  interactions: [1, 2, 3].map((number) => ({
    id: `t${number}`,
    user_message: `u${number}`,
    agent_reply: "",
    reference_reply: `r${number}`,
    reference_metadata: {},
    generated_metadata: {},
    interaction_type: "opening",
  })),
};

const said = (agent_reply: string): StoredReply => sampleReply({ agent_reply });

/** The turns of an attempt that came to these scores. */
function hold(
  overall: readonly (number | null)[],
  settings: Parameters<typeof createTranscript>[1] = { threshold: 0.8 },
) {
  const held = createTranscript(scenario, settings);
  for (const [index, value] of overall.entries()) {
    const reply = said(`a${index + 1}`);
    held.replies.set(index, reply);
    held.scored.set(index, { ...unscored(reply, null), scores: value === null ? {} : { overall: value } });
  }
  return held;
}

test("gives a turn of the second pass the same interaction, with references as history", () => {
  const held = hold([1, 1]);
  expect(held.interactionAt(4).user_message).toBe("u2");
  expect(held.before(2)).toEqual([
    { user_message: "u1", reply: "a1" },
    { user_message: "u2", reply: "a2" },
  ]);
  expect(held.before(4)).toEqual([{ user_message: "u1", reply: "r1" }]);
});

test("continues each pass from its own replies", () => {
  const held = hold([1, 1, 1, 1]);
  expect([...held.passFrom(0).keys()]).toEqual([0, 1, 2]);
  expect([...held.passFrom(3)].map(([turn, { agent_reply }]) => [turn, agent_reply])).toEqual([[0, "a4"]]);
});

test("replays from the first turn known to be bad", () => {
  expect(hold([1, 0.1, 1]).toReplay()).toEqual([1, 2]);
  expect(hold([1, null, 0.1]).toReplay()).toEqual([2]);
  expect(hold([1, 1, 1]).toReplay()).toEqual([]);
  expect(hold([0.6, 0.6, 0.6], { threshold: 0.7 }).toReplay()).toEqual([0, 1, 2]);
});

test("averages independently of the order of replies", () => {
  const inOrder = hold([0.1, 0.2, 0.3]);
  const reversed = createTranscript(scenario, {});
  for (const [index, scores] of [...inOrder.scored].toReversed()) reversed.scored.set(index, scores);
  expect(reversed.averages()).toEqual(inOrder.averages());
});

test("averages only the first pass", () => {
  expect(hold([1, 0.5, 0, 0, 0, 0]).averages()).toMatchObject({ overall: 0.5 });
});

test("lists turns in order, however they arrived", () => {
  const held = createTranscript(scenario, {});
  held.replies.set(2, said("late")).set(0, said("early"));
  expect(held.stored("attempt").map(({ turn_index, scores }) => [turn_index, scores])).toEqual([
    [0, null],
    [2, null],
  ]);
});
