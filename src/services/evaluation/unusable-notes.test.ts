import { expect, test } from "vitest";
import { ScenarioInput } from "../../contract/schemas/scenario.ts";
import { planLimits } from "../../runs/testing/run-bench.ts";
import { unusableNotes } from "./unusable-notes.ts";

const scenario = (id: string, ...checks: object[]) =>
  ScenarioInput.parse({
    id,
    interactions: checks.map((check, at) => ({ id: `${at}`, user_message: "Hi", checks: [check] })),
  });
const notesOf = (...scenarios: ReturnType<typeof scenario>[]) =>
  unusableNotes(scenarios, { limits: planLimits, helpers: {} });

const [good, bad] = [
  { type: "contains", text: "a" },
  { type: "regex", pattern: "(" },
];

test("each thing that no run would take is told at its place", () => {
  expect(notesOf(scenario("a", good), scenario("b", good, bad))).toEqual([
    {
      kind: "unusable",
      pointer: "/scenarios/1/interactions/1/checks/0/pattern",
      message: expect.stringMatching(/^cannot be run safely: .*; until then no run takes scenario "b"$/s),
    },
  ]);
});

test("of many in one scenario the first are told, and how many there are", () => {
  const notes = notesOf(scenario("a", ...Array.from({ length: 7 }, (_, at) => ({ ...bad, pattern: `(${at}` }))));
  expect(notes).toHaveLength(5);
  expect(notes[4]?.message).toContain(" (and 2 more); until then");
  expect(notes[3]?.message).not.toContain("more)");
});
