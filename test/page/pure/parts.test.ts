import { expect, test } from "vitest";
import { errorKinds, type ErrorCode } from "../../../src/contract/errors.ts";
import { importScenarios } from "../../../src/formats/import-scenarios.ts";
import { makeProblem } from "../support/fake-agent.ts";
import { fromProblem } from "../../../web/api-error.ts";
import { repliedShare } from "../../../web/parts/replied-share.ts";
import { importWords, placeWords, problemWords, receivedWords } from "../../../web/parts/problem-words.ts";
import { failedTurns } from "../../../web/parts/failed-turns.ts";
import {
  formatAgo,
  formatCost,
  formatDuration,
  formatGuess,
  formatMoment,
  formatPercent,
  formatSample,
  formatScore,
} from "../../../web/parts/format.ts";
import { effectSign, formatEffect } from "../../../web/parts/format-effect.ts";
import { fromSegment, toSegment } from "../../../web/parts/paths.ts";
import { safeHref } from "../../../web/parts/safe-href.ts";
import { paced } from "../../../web/run/paced.ts";
import { timeLeft } from "../../../web/run/time-left.ts";

test("rounding never turns almost into all or nothing", () => {
  expect([formatScore(0.999), formatScore(1), formatScore(0.001), formatScore(0), formatScore(null)]).toEqual([
    "0.99+",
    "1.00",
    "<0.01",
    "0.00",
    "–",
  ]);
  expect([formatPercent(0.999), formatPercent(1), formatPercent(0.001), formatPercent(0)]).toEqual([
    ">99 %",
    "100 %",
    "<1 %",
    "0 %",
  ]);
});

test("large samples are grouped as other numbers are", () => {
  expect(formatSample(5000)).toBe("n = 5,000");
});

test("times read as people say them", () => {
  expect([412, 1500, 59_960, 72_000, 7_500_000].map(formatDuration)).toEqual([
    "412 ms",
    "1.5 s",
    "1 m 0 s",
    "1 m 12 s",
    "2 h 5 m",
  ]);
  expect([1000, 10_000, 72_000].map(formatGuess)).toEqual(["about 1 s", "about 10 s", "about 1 m 12 s"]);
  const now = Date.parse("2026-11-14T12:00:00Z");
  expect(formatAgo("2026-11-14T11:59:40Z", now)).toBe("just now");
  expect(formatAgo("2026-11-12T13:00:00Z", now)).toBe("1 day ago");
});

test("a small difference is written with as many digits as it takes, and never as none", () => {
  expect([0.102, -0.005, 0.003, -0.0001, 0].map(formatEffect)).toEqual(["+0.10", "−0.01", "+0.003", "−0.0001", "0.00"]);
});

test("a moment is told by what differs from now", () => {
  const now = new Date(2026, 10, 14, 12).getTime();
  const moment = (...parts: [number, number, number, number, number]) =>
    formatMoment(new Date(...parts).toISOString(), now);
  expect(moment(2026, 10, 14, 0, 5)).toBe("00:05:00");
  expect(moment(2026, 10, 13, 23, 59)).toBe("Nov 13, 23:59:00");
  expect(moment(2025, 10, 14, 9, 0)).toBe("Nov 14, 2025, 09:00:00");
});

test("no advice names a header that nobody sees on the page", () => {
  for (const [code, kind] of Object.entries(errorKinds)) {
    const { hint } = fromProblem({ ...kind, code: code as ErrorCode }, kind.status);
    expect(`${code}: ${hint}`).not.toContain("Retry-After");
  }
});

test("segments tell ids apart and survive the browser's path rules", () => {
  const ids = [".", "..", "~", "~.", "%41", "A", "a/b", "%2F"];
  expect(new Set(ids.map(toSegment)).size).toBe(ids.length);
  for (const id of ids) {
    expect(new URL(`http://x/runs/${toSegment(id)}/1`).pathname).toBe(`/runs/${toSegment(id)}/1`);
    expect(fromSegment(toSegment(id))).toBe(id);
  }
  expect(fromSegment("%")).toBe("%");
});

test("links lead to web pages and mailboxes only", () => {
  expect(safeHref("https://example.com/a")).toBe("https://example.com/a");
  expect(safeHref("mailto:a@example.com")).toBe("mailto:a@example.com");
  for (const href of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "/runs",
    "//elsewhere",
    undefined,
  ]) {
    expect(safeHref(href)).toBeUndefined();
  }
});

test("paced work runs once at a time and once more for all that was asked meanwhile", async () => {
  const finished: (() => void)[] = [];
  let started = 0;
  const second = Promise.withResolvers<void>();
  const work = paced(
    () => {
      started += 1;
      if (started === 2) second.resolve();
      return new Promise<void>((resolve) => finished.push(resolve));
    },
    { rest: 0, minimum: 0 },
  );
  work.trigger();
  work.trigger();
  work.trigger();
  expect(started).toBe(1);
  finished[0]?.();
  await second.promise;
  work.stop();
  finished[1]?.();
  work.trigger();
  expect(started).toBe(2);
});

test("what is wrong with a field is said without pointers", () => {
  expect(placeWords("/test_batch/2/interactions/0/user_message")).toBe("scenario 3, turn 1, user message");
  expect(placeWords("/test_batch/interactions/1/references/0")).toBe("turn 2, reference 1");
  expect(placeWords("/test_batch")).toBe("");
  expect(problemWords({ pointer: "/id", code: "too_small", message: "must have at least 1 character" })).toBe(
    "fill this in",
  );
  expect(problemWords({ pointer: "/attempts", code: "too_big", message: "must be at most 100" })).toBe(
    "must be at most 100",
  );
});

test("a problem quotes a value, and not a whole file", () => {
  const problem = { pointer: "/text", code: "custom", message: "no column holds the user's message" };
  expect(receivedWords({ ...problem, received: "12" })).toBe("12");
  expect(receivedWords({ ...problem, received: "frage,antwort\nWo?,Hier\n" })).toBeNull();
  expect(receivedWords(problem)).toBeNull();
});

test("the share of turns with a reply counts turns, not scenarios", () => {
  expect(repliedShare({ interactions: 40, failed: 3 })).toBeCloseTo(0.925);
  expect(repliedShare({ interactions: 0, failed: 0 })).toBeNull();
});

test("failed turns are those the figures are made of, once there are figures", () => {
  // With both histories every turn is made twice, and half of that is in no average.
  const progress = {
    attempts_total: 2,
    attempts_done: 2,
    interactions_total: 12,
    interactions_done: 12,
    interactions_failed: 4,
  };
  expect(failedTurns({ progress, summary: null })).toEqual({ failed: 4, of: 12 });
  const summary = { interactions: 6, failed: 2 } as NonNullable<Parameters<typeof failedTurns>[0]["summary"]>;
  expect(failedTurns({ progress, summary })).toEqual({ failed: 2, of: 6 });
});

test("a difference by rounding alone is none, any other one is not", () => {
  expect([-1e-16, 1e-16, 0].map(formatEffect)).toEqual(["0.00", "0.00", "0.00"]);
  expect([-0.001, 0.001, -0.2].map(formatEffect)).toEqual(["−0.001", "+0.001", "−0.20"]);
  expect([-1e-16, -0.001, 0.001].map(effectSign)).toEqual([0, -1, 1]);
});

test("a cost without the price of every reply is a lower bound", () => {
  expect(formatCost({ total: 0.5, unpriced: 0 })).toBe("$0.50");
  expect(formatCost({ total: 0.5, unpriced: 3 })).toBe("≥ $0.50");
});

test("a run that goes on has at least a second left", () => {
  const progress = { attempts_total: 10, attempts_done: 9, interactions_total: 1000, interactions_failed: 0 };
  const left = (interactions_done: number) =>
    timeLeft(
      { started_at: "2026-01-01T00:00:00Z", progress: { ...progress, interactions_done } },
      Date.parse("2026-01-01T00:00:10Z"),
    );
  expect([left(0), left(500), left(999), left(1000)]).toEqual([null, 10_000, 1000, null]);
});

test("what an import asks of a command line, the page asks of its fields", () => {
  const unknown = (): unknown => importScenarios({ text: "frage,antwort\nWo?,Hier\n", format: "csv" });
  expect(unknown).toThrow("name it with the mapping");
  const message = "no column holds the user's message; name it with the mapping user=…; the columns are frage, antwort";
  expect(problemWords({ pointer: "/text", code: "custom", message })).toBe(
    "no column holds the user's message; name it above, under Columns; the columns are frage, antwort",
  );
  expect(placeWords("/text")).toBe("the file");

  const { notes } = importScenarios({ text: "question,answer,context\nWo?,Hier,https://x.example\n", format: "csv" });
  expect(notes.map((note) => note.message)).toEqual([expect.stringContaining("with the mapping labels=…")]);
  expect(notes.map((note) => importWords(note.message))).toEqual([
    "column context: it holds texts, not labels; to take it for one, name it above, under Columns",
  ]);
});

test("a file that is too large is told of without bytes and variables", () => {
  const told = fromProblem(makeProblem("body_too_large", "The body is larger than 8388608 bytes."), 413);
  expect(`${told.message} ${told.detail} ${told.hint}`).toMatch(/^This is too much.*Settings shows/);
  expect(told.hint).not.toContain("REHEARSAL_");
});
