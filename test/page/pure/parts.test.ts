import { expect, test } from "vitest";
import { errorKinds, type ErrorCode } from "../../../src/contract/errors/errors.ts";
import { importScenarios } from "../../../src/formats/import-scenarios.ts";
import { errorFromProblem } from "../../../web/api/api-error.ts";
import { fromSegment, toSegment } from "../../../web/parts/address/paths.ts";
import {
  importMessage,
  pointerLabel,
  fieldProblemText,
  receivedText,
} from "../../../web/parts/forms/field-problems.ts";
import { failedTurns, repliedShare, replyHealth } from "../../../web/parts/runs/run-facts.ts";
import { safeHref } from "../../../web/markdown/parse-markdown.ts";
import {
  effectSign,
  formatAgo,
  formatCost,
  formatDuration,
  formatEffect,
  formatEstimate,
  formatMargin,
  formatMoment,
  formatPercent,
  formatRate,
  formatSample,
  formatScore,
  formatSentence,
} from "../../../web/parts/text/format.ts";
import { timeLeft, titleProgress } from "../../../web/run/run-progress.ts";
import { createThrottle } from "../../../web/run/throttle.ts";
import { makeProblem } from "../support/fake-agent.ts";

test("writes every interval the same way, symmetric or not", () => {
  expect(formatMargin({ mean: 0.5, ci_lower: 0.421, ci_upper: 0.579 })).toEqual({
    mean: "0.500",
    interval: "[0.421, 0.579]",
  });
  expect(formatMargin({ mean: 0.9, ci_lower: 0.7, ci_upper: 1 })).toEqual({
    mean: "0.900",
    interval: "[0.700, 1.000]",
  });
  expect(formatMargin({ mean: 0.9, ci_lower: null, ci_upper: null })).toEqual({ mean: "0.900", interval: null });
});

test("gives the pace in the unit that fits", () => {
  expect([formatRate(500, 10_000), formatRate(32, 10_000), formatRate(2, 10_000), formatRate(1, 600_000)]).toEqual([
    "50 turns/s",
    "3.2 turns/s",
    "12 turns/min",
    "6 turns/h",
  ]);
});

test("writes real minus signs, but leaves ids and ranges alone", () => {
  expect(formatSentence("(95 % interval -0.02 to +0.14) of gpt-4 and run-7, 2026-11-14")).toBe(
    "(95\u00A0% interval −0.02 to +0.14) of gpt-4 and run-7, 2026-11-14",
  );
});

test("calls a run bad only when half of its requests failed, and not for the first failures", () => {
  const health = (failed: number, done: number, state: "running" | "completed") =>
    replyHealth({
      state,
      summary: null,
      progress: {
        attempts_total: 9,
        attempts_done: 0,
        interactions_total: 9,
        interactions_done: done,
        interactions_failed: failed,
      },
    });
  expect([health(0, 4, "completed"), health(1, 4, "completed"), health(2, 4, "completed")]).toEqual([
    "good",
    "fair",
    "bad",
  ]);
  expect([health(2, 2, "running"), health(3, 3, "running")]).toEqual(["fair", "bad"]);
});

test("shows progress in the title while a run is under way", () => {
  const progress = {
    attempts_total: 3,
    attempts_done: 1,
    interactions_total: 3,
    interactions_done: 2,
    interactions_failed: 0,
  };
  expect(titleProgress({ state: "running", progress })).toBe("66 % · ");
  expect(titleProgress({ state: "running", interrupted: true, progress })).toBe("");
  expect(titleProgress({ state: "completed", progress })).toBe("");
});

test("rounds neither up to all nor down to nothing", () => {
  expect([formatScore(0.9996), formatScore(1), formatScore(0.0004), formatScore(0), formatScore(null)]).toEqual([
    "0.9996",
    "1.000",
    "0.0004",
    "0.000",
    "–",
  ]);
  expect([formatPercent(0.999), formatPercent(1), formatPercent(0.001), formatPercent(0)]).toEqual([
    ">99 %",
    "100 %",
    "<1 %",
    "0 %",
  ]);
});

test("groups the digits of large samples", () => {
  expect(formatSample(5000)).toBe("n = 5,000");
});

test("formats durations, estimates and ages", () => {
  expect([412, 1500, 59_960, 72_000, 7_500_000].map(formatDuration)).toEqual([
    "412 ms",
    "1.5 s",
    "1 m 0 s",
    "1 m 12 s",
    "2 h 5 m",
  ]);
  expect([1000, 10_000, 72_000].map(formatEstimate)).toEqual(["about 1 s", "about 10 s", "about 1 m 12 s"]);
  const now = Date.parse("2026-11-14T12:00:00Z");
  expect(formatAgo("2026-11-14T11:59:40Z", now)).toBe("just now");
  expect(formatAgo("2026-11-12T13:00:00Z", now)).toBe("1 day ago");
});

test("shows a small difference with as many digits as needed", () => {
  expect([0.102, -0.005, 0.003, -0.0001, 0].map(formatEffect)).toEqual([
    "+0.102",
    "−0.005",
    "+0.003",
    "−0.0001",
    "0.000",
  ]);
});

test("leaves out of a moment what it shares with now", () => {
  const now = new Date(2026, 10, 14, 12).getTime();
  const moment = (...parts: [number, number, number, number, number]) =>
    formatMoment(new Date(...parts).toISOString(), now);
  expect(moment(2026, 10, 14, 0, 5)).toBe("00:05:00");
  expect(moment(2026, 10, 13, 23, 59)).toBe("Nov 13, 23:59:00");
  expect(moment(2025, 10, 14, 9, 0)).toBe("Nov 14, 2025, 09:00:00");
});

test("gives no hint that names a response header", () => {
  for (const [code, kind] of Object.entries(errorKinds)) {
    const { hint } = errorFromProblem({ ...kind, code: code as ErrorCode }, kind.status);
    expect(`${code}: ${hint}`).not.toContain("Retry-After");
  }
});

test("encodes ids as distinct segments that browsers do not resolve", () => {
  const ids = [".", "..", "~", "~.", "%41", "A", "a/b", "%2F"];
  expect(new Set(ids.map(toSegment)).size).toBe(ids.length);
  for (const id of ids) {
    expect(new URL(`http://x/runs/${toSegment(id)}/1`).pathname).toBe(`/runs/${toSegment(id)}/1`);
    expect(fromSegment(toSegment(id))).toBe(id);
  }
  expect(fromSegment("%")).toBe("%");
});

test("accepts only http, https and mailto links", () => {
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
  const work = createThrottle(
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

test("describes field problems without JSON pointers", () => {
  expect(pointerLabel("/test_batch/2/interactions/0/user_message")).toBe("scenario 3, turn 1, user message");
  expect(pointerLabel("/test_batch/interactions/1/references/0")).toBe("turn 2, reference 1");
  expect(pointerLabel("/test_batch")).toBe("");
  expect(fieldProblemText({ pointer: "/id", code: "too_small", message: "must have at least 1 character" })).toBe(
    "Required",
  );
  expect(fieldProblemText({ pointer: "/attempts", code: "too_big", message: "must be at most 100" })).toBe(
    "must be at most 100",
  );
});

test("quotes a single-line value, but not a whole file", () => {
  const problem = { pointer: "/text", code: "custom", message: "no column holds the user's message" };
  expect(receivedText({ ...problem, received: "12" })).toBe("12");
  expect(receivedText({ ...problem, received: "frage,antwort\nWo?,Hier\n" })).toBeNull();
  expect(receivedText(problem)).toBeNull();
});

test("counts the reply rate by turns, not scenarios", () => {
  expect(repliedShare({ interactions: 40, failed: 3 })).toBeCloseTo(0.925);
  expect(repliedShare({ interactions: 0, failed: 0 })).toBeNull();
});

test("takes failed turns from the summary once there is one", () => {
  // With both histories every turn runs twice, and half of them count in no average.
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

test("ignores differences by rounding alone", () => {
  expect([-1e-16, 1e-16, 0].map(formatEffect)).toEqual(["0.000", "0.000", "0.000"]);
  expect([-0.001, 0.001, -0.2].map(formatEffect)).toEqual(["−0.001", "+0.001", "−0.200"]);
  expect([-1e-16, -0.001, 0.001].map(effectSign)).toEqual([0, -1, 1]);
});

test("shows a lower bound when some replies have no price", () => {
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

test("refers to form fields where an import names a CLI option", () => {
  const unknown = (): unknown => importScenarios({ text: "frage,antwort\nWo?,Hier\n", format: "csv" });
  expect(unknown).toThrow("name it with the mapping");
  const message = "no column holds the user's message; name it with the mapping user=…; the columns are frage, antwort";
  expect(fieldProblemText({ pointer: "/text", code: "custom", message })).toBe(
    "no column holds the user's message; name it above, under Columns; the columns are frage, antwort",
  );
  expect(pointerLabel("/text")).toBe("the file");

  const { notes } = importScenarios({ text: "question,answer,tone\nWo?,Hier,friendly\n", format: "csv" });
  expect(notes.map((note) => note.message)).toEqual([expect.stringContaining("with the mapping labels=…")]);
  expect(notes.map((note) => importMessage(note.message))).toEqual([
    "kept as metadata, not scored: tone (name labels above, under Columns)",
  ]);
});

test("reports a large file without bytes and variable names", () => {
  const error = errorFromProblem(makeProblem("body_too_large", "The body is larger than 8388608 bytes."), 413);
  expect(`${error.message} ${error.detail} ${error.hint}`).toMatch(/^Request too large.*limit in Settings/);
  expect(error.hint).not.toContain("REHEARSAL_");
});
