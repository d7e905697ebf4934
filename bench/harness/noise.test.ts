import { expect, test } from "vitest";
import { describeNoise, trustOf } from "./noise.ts";

const even = [0.02, 0.02, 0.021, 0.02];

test.each([
  ["the same work always takes the same time", { spins: even, stolen: 0 }, 0.1, "steady"],
  ["it does not", { spins: [0.02, 0.025, 0.02, 0.026], stolen: 0 }, null, "uneven"],
  ["it takes twice as long now and then", { spins: [0.02, 0.04, 0.02, 0.05], stolen: 0 }, null, "busy"],
  ["bare loops differ", { spins: even, stolen: 0 }, 0.5, "busy"],
  ["other machines take some of the time", { spins: even, stolen: 0.05 }, null, "uneven"],
  ["other machines take much of the time", { spins: even, stolen: 0.3 }, null, "busy"],
  ["the load of others is unknown", { spins: even, stolen: null }, null, "steady"],
])("how far figures can be trusted when %s", (_, noise, reference, expected) => {
  expect(trustOf(noise, reference)).toBe(expected);
});

test("the sentence says what it rests on, and nothing that is not known", () => {
  expect(describeNoise({ spins: even, stolen: 0.013 }, 0.08)).toBe(
    "The machine was steady. The same work 4 times took 0.020 s, eight of ten within 3 % (slowest 1.05 × quickest); the bare loops repeated within 8 %; other machines of the host took 1 % of the time.",
  );
  expect(describeNoise({ spins: even, stolen: null }, null)).toMatch(/\(slowest 1\.05 × quickest\)\.$/);
});
