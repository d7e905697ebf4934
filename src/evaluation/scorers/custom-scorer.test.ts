import { expect, test } from "vitest";
import { runCustomScorer, type CustomScore } from "./custom-scorer.ts";

const input = {
  user_message: "q",
  reply: "a",
  references: [],
  reference_metadata: {},
  generated_metadata: {},
  interaction_id: "1",
};
const mine = { name: "mine", input, signal: new AbortController().signal };

test.each([
  [1.0000000000000002, 1],
  [-1e-17, 0],
  [0.5, 0.5],
  [1.01, null],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
])("accepts %d as %d", async (given, value) => {
  expect(await runCustomScorer({ ...mine, scorer: () => given })).toMatchObject({ name: "mine", value });
});

test.each([
  [null, "x".repeat(100_000), "x".repeat(500)],
  [0.5, "x".repeat(100_000), "x".repeat(500)],
  [null, 7, "7"],
  [null, { why: "no number" }, "[object Object]"],
  [1, null, undefined],
  [null, null, "the scorer gave no value"],
])("the reason of a value of %s is a text of bounded length", async (value, reason, text) => {
  const scorer = () => ({ value, reason }) as CustomScore;
  expect(await runCustomScorer({ ...mine, scorer })).toEqual({ name: "mine", value, reason: text });
});

const never = (): Promise<number> => new Promise(() => {});

test("a scorer that never answers times out without a value", async () => {
  const score = await runCustomScorer({ ...mine, scorer: never, limitMs: 1 });
  expect(score).toEqual({
    name: "mine",
    value: null,
    reason: "the scorer failed: no answer within 0.001 s",
    failed: true,
  });
});

test("a scorer that never answers ends with its run", async () => {
  const run = new AbortController();
  const scoring = runCustomScorer({ ...mine, scorer: never, signal: run.signal });
  run.abort(new Error("cancelled"));
  await expect(scoring).rejects.toThrow("cancelled");
});

test("skips a scorer after three timeouts in a row; an answer in between resets the count", async () => {
  const timeoutCount = { timeouts: 0 };
  const asked: string[] = [];
  const ask = (reply: string) => {
    const scorer = () => (asked.push(reply), reply === "late" ? never() : 1);
    return runCustomScorer({ ...mine, scorer, timeoutCount, limitMs: 1 });
  };
  for (const reply of ["late", "late", "soon", "late", "late", "late"]) await ask(reply);
  expect(await ask("soon")).toEqual({
    name: "mine",
    value: null,
    reason: "skipped: it did not answer 3 times in a row",
    failed: true,
  });
  expect(asked).toEqual(["late", "late", "soon", "late", "late", "late"]);
});
