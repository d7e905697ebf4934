import { expect, test } from "vitest";
import { findGrowth, toFigures, type Sample } from "../../scripts/soak/growth.ts";

/** An hour of samples, each field a function of the hour's share that has passed. */
function hour(fields: Partial<Record<"rss" | "heap" | "files" | "timers", (share: number) => number>>): Sample[] {
  return Array.from({ length: 720 }, (_, index) => {
    const share = index / 720;
    const at = (name: keyof typeof fields, level: number) => fields[name]?.(share) ?? level;
    return {
      hours: share,
      requests: index * 100,
      rss: at("rss", 200),
      heap: at("heap", 50),
      external: 10,
      files: at("files", 40),
      timers: at("timers", 8),
      handles: 25,
    };
  });
}

test("a service that goes up and down holds on to nothing", () => {
  const waves = hour({
    rss: (share) => 200 + 30 * Math.sin(share * 40),
    files: (share) => 40 + 8 * Math.sin(share * 90),
  });
  expect(findGrowth(waves)).toEqual([]);
});

test("warming up is no growth", () => {
  expect(findGrowth(hour({ rss: (share) => (share < 0.2 ? 100 + share * 600 : 220) }))).toEqual([]);
});

test.each(["rss", "heap", "files", "timers"] as const)("%s that only ever grows is found", (name) => {
  expect(findGrowth(hour({ [name]: (share: number) => 40 + share * 400 }))).toHaveLength(1);
});

test("the slope is given per hour", () => {
  expect(toFigures(hour({ heap: (share) => 50 + share * 3 }))).toMatchObject({ "heap slope, MB/h": "3.0" });
});
