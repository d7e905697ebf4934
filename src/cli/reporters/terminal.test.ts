import { expect, test } from "vitest";
import { createProgressTally } from "../eval/follow-run.ts";
import { widthOf } from "../terminal/table.ts";
import type { ProgressFigures } from "./reporter.ts";
import { barText, createProgressLines } from "./terminal.ts";

const figures: ProgressFigures = {
  turns: 100,
  done: 50,
  failed: 2,
  overall: 0.8416,
  spent: 0.21,
  elapsedMs: 1000,
  remainingMs: 41_000,
};

test("fits the progress bar into the terminal", () => {
  const wide = barText(figures, 120);
  expect(wide).toContain("50/100 turns  2 failed  overall 0.842  $0.21  ETA 0:41");
  expect(wide.match(/█/g)).toHaveLength(15);
  for (const columns of [20, 40, 60, 80]) expect(widthOf(barText(figures, columns))).toBeLessThan(columns);
});

test("prints a line for each tenth of a run, and after ten seconds without one", () => {
  const lines: string[] = [];
  const write = createProgressLines((line) => lines.push(line));
  for (let done = 1; done <= 100; done++) write({ ...figures, done, elapsedMs: done });
  expect(lines).toHaveLength(10);
  write({ ...figures, done: 100, elapsedMs: 10_200 });
  expect(lines).toHaveLength(11);
});

test("does not count replayed turns beyond the end of the bar", () => {
  const tally = createProgressTally({ turns: 1, now: () => 0 });
  const turn = { scenario_id: "s", attempt: 1, turn_index: 0, interaction_id: "1", agent_reply: "", latency_ms: 1 };
  for (const pass of [1, 2]) tally.add({ ...turn, pass, error: null, scores: {}, cost: null });
  expect(barText(tally.figures(), 80)).toBe(`${"█".repeat(30)}  1/1 turns`);
});
