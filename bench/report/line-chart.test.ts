import { expect, test } from "vitest";
import { niceCeiling, toLineChart } from "./line-chart.ts";

test("an axis ends at a round number not below the largest value", () => {
  expect([0.61, 2, 43, 812, 0].map(niceCeiling)).toEqual([0.8, 2, 50, 1000, 1]);
});

test("equal steps of a logarithmic axis are equally far apart, and names are escaped", () => {
  const points = [1, 10, 100].map((x): [number, number] => [x, 1]);
  const svg = toLineChart({
    name: "a",
    title: "a < b",
    x: "x",
    y: "y",
    logarithmicX: true,
    series: [{ name: "s", points }],
  });
  const xs = [...svg.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
  expect(xs[1]! - xs[0]!).toBeCloseTo(xs[2]! - xs[1]!);
  expect(svg).toContain("<title>a &lt; b</title>");
});
