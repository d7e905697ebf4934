import { expect, test } from "vitest";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { changedScenarios, fingerprint } from "./watch-scenarios.ts";

const scenario = (id: string, description = ""): FileScenario => ({ id, description, interactions: [] });

test("what changed is what is new or says something else, and all of it where the settings did", () => {
  const before = fingerprint({ models: ["m"] }, [scenario("a"), scenario("b"), scenario("c")]);
  expect(changedScenarios(undefined, before)).toEqual(["a", "b", "c"]);
  const edited = [scenario("a"), scenario("b", "new"), scenario("d")];
  expect(changedScenarios(before, fingerprint({ models: ["m"] }, edited))).toEqual(["b", "d"]);
  expect(changedScenarios(before, fingerprint({ models: ["n"] }, edited))).toEqual(["a", "b", "d"]);
});

test("a file that was written and says the same changes nothing", () => {
  const read = () => fingerprint({ models: ["m"] }, [scenario("a")]);
  expect(changedScenarios(read(), read())).toEqual([]);
});
