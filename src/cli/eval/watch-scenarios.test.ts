import { expect, test } from "vitest";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { changedScenarios, fingerprintScenarios } from "./watch-scenarios.ts";

const scenario = (id: string, description = ""): FileScenario => ({ id, description, interactions: [] });

test("finds new and changed scenarios, and all of them after a change of settings", () => {
  const before = fingerprintScenarios({ models: ["m"] }, [scenario("a"), scenario("b"), scenario("c")]);
  expect(changedScenarios(undefined, before)).toEqual(["a", "b", "c"]);
  const edited = [scenario("a"), scenario("b", "new"), scenario("d")];
  expect(changedScenarios(before, fingerprintScenarios({ models: ["m"] }, edited))).toEqual(["b", "d"]);
  expect(changedScenarios(before, fingerprintScenarios({ models: ["n"] }, edited))).toEqual(["a", "b", "d"]);
});

test("ignores a file that was saved unchanged", () => {
  const read = () => fingerprintScenarios({ models: ["m"] }, [scenario("a")]);
  expect(changedScenarios(read(), read())).toEqual([]);
});
