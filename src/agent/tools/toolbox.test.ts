import { expect, test } from "vitest";
import { calculator } from "./calculator.ts";
import { currentTime } from "./current-time.ts";
import { createToolbox, selectTools } from "./toolbox.ts";

const theirs = { name: "calculator", description: "theirs", parameters: { type: "object" } };

test("offers our tools and the client's", () => {
  const toolbox = createToolbox({ tools: [currentTime()], clientTools: [theirs] });
  expect(toolbox.definitions.map((tool) => tool.name)).toEqual(["current_time", "calculator"]);
});

test("hides our tool behind a client's of the same name", () => {
  const toolbox = createToolbox({ tools: [calculator()], clientTools: [theirs] });
  expect(toolbox.definitions).toEqual([theirs]);
  expect(toolbox.own.size).toBe(0);
});

test("refuses two of our tools with one name", () => {
  expect(() => createToolbox({ tools: [calculator(), calculator()], clientTools: [] })).toThrow(
    'Two tools are named "calculator".',
  );
});

const tools = [calculator(), currentTime()];
const names = (allowed: readonly string[] | null) => selectTools(tools, allowed).map((tool) => tool.definition.name);

test("allows every tool without a list, and none with an empty one", () => {
  expect(names(null)).toEqual(["calculator", "current_time"]);
  expect(names([])).toEqual([]);
});

test("allows the named tools, each once", () => {
  expect(names(["current_time", "current_time"])).toEqual(["current_time"]);
});

test("refuses an unknown name and lists the known ones", () => {
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
