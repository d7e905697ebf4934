import { expect, test } from "vitest";
import { traceContext, traceIdOf, turnSpanId, type TracedPass } from "./trace-ids.ts";

const key = { prefix: "00112233445566aa", secret: "ab".repeat(32) };
const first: TracedPass = { scenario_index: 0, attempt: 1, pass: "first" };

test("each pass of an attempt is a trace, and each turn a span, both found again with the secret of the run alone", () => {
  const passes = [
    first,
    { ...first, attempt: 2 },
    { ...first, scenario_index: 1 },
    { ...first, pass: "second" as const },
  ];
  const ids = passes.map((pass) => traceIdOf(key, pass));
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^00112233445566aa[0-9a-f]{16}$/);
  expect(traceIdOf(key, { ...first })).toBe(ids[0]);
  expect(traceIdOf({ ...key, secret: "cd".repeat(32) }, first)).not.toBe(ids[0]);

  const spans = [0, 1].flatMap((turn) => [1, 2].map((tries) => turnSpanId(key, first, { turn, tries })));
  expect(new Set(spans).size).toBe(4);
  for (const span of spans) expect(span).toMatch(/^[0-9a-f]{16}$/);
});

test("the names of a turn are baggage that any header can carry", () => {
  const names = { run: "r", scenario: "Größe, 50%;=\n\ud800", attempt: 1, turn: 2 };
  const { traceparent, baggage } = traceContext({ traceId: "a".repeat(32), spanId: "b".repeat(16) }, names);
  expect(traceparent).toBe(`00-${"a".repeat(32)}-${"b".repeat(16)}-01`);
  const members = Object.fromEntries(baggage.split(",").map((member) => member.split("=") as [string, string]));
  expect(decodeURIComponent(members["rehearsal.scenario"] ?? "")).toBe("Größe, 50%;=\n\ufffd");
  expect(members).toMatchObject({ "rehearsal.run": "r", "rehearsal.attempt": "1", "rehearsal.turn": "2" });
  const long = traceContext({ traceId: "", spanId: "" }, { ...names, scenario: "€".repeat(10_000) });
  expect(long.baggage.length).toBeLessThan(4_096);
});
