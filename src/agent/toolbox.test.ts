import { expect, test } from "vitest";
import { calculator } from "./tools/calculator.ts";
import { currentTime } from "./tools/current-time.ts";
import { createToolbox } from "./toolbox.ts";

const theirs = { name: "calculator", description: "theirs", parameters: { type: "object" } };

test("the model is offered our tools and the client's", () => {
  const toolbox = createToolbox({ tools: [currentTime()], clientTools: [theirs] });
  expect(toolbox.definitions.map((tool) => tool.name)).toEqual(["current_time", "calculator"]);
});

test("a client's tool hides ours of the same name", () => {
  const toolbox = createToolbox({ tools: [calculator()], clientTools: [theirs] });
  expect(toolbox.definitions).toEqual([theirs]);
  expect(toolbox.own.size).toBe(0);
});

test("two of our tools cannot share a name", () => {
  expect(() => createToolbox({ tools: [calculator(), calculator()], clientTools: [] })).toThrow(
    'Two tools are named "calculator".',
  );
});
