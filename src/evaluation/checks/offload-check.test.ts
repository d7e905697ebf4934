import { expect, test } from "vitest";
import { UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { prepareText } from "../../scoring/text/prepare-text.ts";
import type { ScorerResult } from "../../scoring/scorers/scorer.ts";
import { createChecks } from "./create-checks.ts";
import { offloadCheck, type OffloadedCheck } from "./offload-check.ts";

function inputOf(reply: string, references: readonly string[] = []) {
  return {
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set<string>(),
    call: { latency_ms: 1, first_token_ms: null, cost: null },
  };
}

const never = new AbortController().signal;

function watched(setting: object, answer: ScorerResult | null) {
  const asked: OffloadedCheck[] = [];
  const check = offloadCheck(UserScorerSetting.parse(setting), async (question) => {
    asked.push(question);
    return answer;
  });
  return { asked, check: (reply: string, references?: readonly string[]) => check(inputOf(reply, references), never) };
}

test("gives a check up after one timeout", async () => {
  const { asked, check } = watched({ type: "json_schema", schema: {} }, null);
  const judged = await Promise.all(["1", "2", "3"].map((reply) => check(reply)));
  expect(asked.map(({ reply }) => reply)).toEqual(["1"]);
  expect(judged).toEqual(
    Array.from({ length: 3 }, () => ({ value: null, reason: "takes too long to check", failed: true })),
  );
});

test("searches a pattern in place unless it is large and the reply is long", async () => {
  const elsewhere: ScorerResult = { value: 1, reason: "elsewhere" };
  const small = watched({ type: "regex", pattern: "(a+)+$" }, elsewhere);
  expect(small.check("a".repeat(10_000))).toMatchObject({ value: 1 });
  const large = watched({ type: "regex", pattern: "(?:(?:a?b?c?){9}){90}d" }, elsewhere);
  expect(large.check("ad")).toMatchObject({ value: 1, reason: 'found "ad"' });
  expect(await large.check("a".repeat(10_000))).toEqual(elsewhere);
  expect([small.asked.length, large.asked.length]).toEqual([0, 1]);
});

test("offloads a pattern whose list compiles slowly, without compiling it in place", async () => {
  const asked: OffloadedCheck[] = [];
  const pattern = UserScorerSetting.parse({ type: "regex", pattern: "(" });
  const [named] = createChecks([pattern, UserScorerSetting.parse({ type: "json_schema", schema: {} })], {
    run: async (question) => {
      asked.push(question);
      return null;
    },
  });
  await named?.check(inputOf("a"), never);
  expect(asked).toMatchObject([{ setting: { type: "regex" }, reply: "a" }]);
});

test.each([
  ["texts", { type: "contains", text: "refund" }],
  ["a number", { type: "numeric", expected: 12 }],
  ["a length", { type: "length", max: 3, unit: "words" }],
])("%s: checks a short reply in place, offloads a long one", async (_, setting) => {
  const elsewhere: ScorerResult = { value: 1, reason: "elsewhere" };
  const { asked, check } = watched(setting, elsewhere);
  expect(check("refund of 12")).toMatchObject({ value: 1 });
  expect(asked).toEqual([]);
  const long = "1 ".repeat(5_000);
  expect(await check(long)).toEqual(elsewhere);
  expect(asked).toMatchObject([{ reply: long, references: [] }]);
});

test("offloads texts that take long to find in a short reply", async () => {
  const text = Array.from({ length: 20 }, () => `${"a".repeat(100)}b${"a".repeat(100)}`);
  const { asked, check } = watched({ type: "contains", text }, null);
  expect(check("a".repeat(1_000))).toMatchObject({ value: 0 });
  expect(await check("a".repeat(5_000))).toMatchObject({ value: null });
  expect(asked.length).toBe(1);
});

test("passes the references to an offloaded numeric check, even if only the reference is long", async () => {
  const elsewhere: ScorerResult = { value: 1, reason: "elsewhere" };
  const { asked, check } = watched({ type: "numeric" }, elsewhere);
  const reference = `12 ${"words ".repeat(2_000)}`;
  expect(await check("12", [reference])).toEqual(elsewhere);
  expect(asked).toMatchObject([{ reply: "12", references: [reference] }]);
});
