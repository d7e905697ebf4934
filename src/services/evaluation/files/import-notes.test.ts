import { expect, test } from "vitest";
import { ScenarioInput } from "../../../contract/schemas/scenario.ts";
import { planLimits } from "../../../../test/support/run-bench.ts";
import { capNotes, unusableNotes } from "./import-notes.ts";

const notes = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    kind: "dropped" as const,
    line: index + 1,
    message: "is no scenario",
  }));

test("lists a thousand notes and the number left out", () => {
  expect(capNotes(notes(1_000))).toEqual(notes(1_000));
  const listed = capNotes(notes(2_500));
  expect(listed.slice(0, -1)).toEqual(notes(1_000));
  expect(listed.at(-1)).toEqual({ kind: "changed", message: "and 1500 more notes that are not listed" });
});

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

test("reports each problem at its pointer", () => {
  expect(notesOf(scenario("a", good), scenario("b", good, bad))).toEqual([
    {
      kind: "unusable",
      pointer: "/scenarios/1/interactions/1/checks/0/pattern",
      message: expect.stringMatching(/^cannot be run safely: .*; until this is fixed, runs refuse scenario "b"$/s),
    },
  ]);
});

test("reports the first problems of a scenario and the number left out", () => {
  const notes = notesOf(scenario("a", ...Array.from({ length: 7 }, (_, at) => ({ ...bad, pattern: `(${at}` }))));
  expect(notes).toHaveLength(5);
  expect(notes[4]?.message).toContain(" (and 2 more); until this is fixed");
  expect(notes[3]?.message).not.toContain("more)");
});
