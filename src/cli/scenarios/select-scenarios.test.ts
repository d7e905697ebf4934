import { expect, test } from "vitest";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { selectScenarios } from "./select-scenarios.ts";

const scenarios = Array.from({ length: 20 }, (_, index): FileScenario => ({
  id: `s-${index}`,
  description: "",
  interactions: [],
  ...(index % 2 === 0 && { tags: ["even"] }),
}));
const ids = (chosen: readonly FileScenario[]): string[] => chosen.map(({ id }) => id);

test("selects by id, pattern and tag", () => {
  expect(ids(selectScenarios(scenarios, { filters: ["s-3"] }))).toEqual(["s-3"]);
  expect(ids(selectScenarios(scenarios, { filters: ["s-1*"] }))).toHaveLength(11);
  expect(ids(selectScenarios(scenarios, { filters: ["tag:even"] }))).toHaveLength(10);
  expect(ids(selectScenarios(scenarios, { filters: ["s.3", "s-4"] }))).toEqual(["s-4"]);
  expect(ids(selectScenarios(scenarios, { ids: new Set(["s-7"]) }))).toEqual(["s-7"]);
});

test("draws an ordered sample of the given size that depends only on the seed", () => {
  const draw = (seed: number) => ids(selectScenarios(scenarios, { sample: 5, seed }));
  expect(draw(1)).toHaveLength(5);
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  const order = draw(3).map((id) => Number(id.slice(2)));
  expect(order).toEqual(order.toSorted((left, right) => left - right));
  expect(selectScenarios(scenarios, { sample: 500 })).toHaveLength(20);
});

test("refuses an empty selection", () => {
  expect(() => selectScenarios(scenarios, { filters: ["x"] })).toThrow("none of 20 scenarios matches");
  expect(() => selectScenarios([], {})).toThrow("there are no scenarios");
});

test("names the existing ids or tags when a filter matches nothing", () => {
  const choose = (filters: readonly string[], chosen = new Set(ids(scenarios))) =>
    selectScenarios(scenarios.slice(0, 12), { filters, ids: chosen });
  expect(() => choose(["s3"])).toThrow(
    /^nothing to evaluate: none of 12 scenarios matches --filter s3; their ids are s-0, .*, s-9 and 2 more$/,
  );
  expect(() => choose(["tag:evn", "tag:odd"])).toThrow(/matches --filter tag:evn or tag:odd; their tags are even$/);
  expect(() => choose(["s-3"], new Set(["s-4"]))).toThrow(/none of 12 scenarios matches$/);
});
