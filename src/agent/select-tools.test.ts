import { expect, test } from "vitest";
import { selectTools } from "./select-tools.ts";
import { calculator } from "./tools/calculator.ts";
import { currentTime } from "./tools/current-time.ts";

const tools = [calculator(), currentTime()];
const names = (allowed: readonly string[] | null) => selectTools(tools, allowed).map((tool) => tool.definition.name);

test("no list allows every tool, an empty list none", () => {
  expect(names(null)).toEqual(["calculator", "current_time"]);
  expect(names([])).toEqual([]);
});

test("a list allows what it names, each tool once", () => {
  expect(names(["current_time", "current_time"])).toEqual(["current_time"]);
});

test("an unknown name is refused together with the names that would be right", () => {
  expect(() => names(["calculator", "abacus", "__proto__"])).toThrow(
    expect.objectContaining({
      code: "validation_failed",
      message: 'There is no tool named "abacus", "__proto__". The tools are: calculator, current_time.',
      hint: expect.stringContaining("x-agent-tools"),
    }),
  );
  expect(() => selectTools([], ["a", "b", "c", "d", "e", "f", "g"])).toThrow(
    'There is no tool named "a", "b", "c", "d", "e" and 2 more. This agent has no tools.',
  );
});
