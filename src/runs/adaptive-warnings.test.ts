import { expect, test } from "vitest";
import { adaptiveWarnings } from "./adaptive-warnings.ts";

const bounds = (min: number, max: number) => ({ adaptive: { min, max, ci_width: 0.1 } });

test("whoever lets scores decide on the number of attempts is told what that does to the mean", () => {
  expect(adaptiveWarnings(bounds(3, 20))).toMatchObject([
    { pointer: "/attempts", message: expect.stringContaining("too good") },
  ]);
});

test.each([
  ["a fixed number", {}],
  ["bounds that leave no choice", bounds(3, 3)],
  ["many attempts in any case", bounds(10, 50)],
])("of %s there is nothing to say", (_name, settings) => {
  expect(adaptiveWarnings(settings)).toEqual([]);
});
