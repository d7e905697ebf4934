import { expect, test } from "vitest";
import { UserScorerSetting } from "../../../contract/scorer-setting.ts";
import { prepareText } from "../../text/prepare-text.ts";
import type { Judgement } from "../scorer.ts";
import { checkElsewhere, type CheckQuestion, type SlowSetting } from "./check-elsewhere.ts";

function inputOf(reply: string) {
  return {
    reply: prepareText(reply),
    references: [],
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set<string>(),
    call: { latency_ms: 1, first_token_ms: null, cost: null },
  };
}

function watched(setting: object, answer: Judgement | null) {
  const asked: CheckQuestion[] = [];
  const check = checkElsewhere(UserScorerSetting.parse(setting) as SlowSetting, async (question) => {
    asked.push(question);
    return answer;
  });
  return { asked, check: (reply: string) => check(inputOf(reply)) };
}

test("a check that took too long once is not tried on the replies behind it", async () => {
  const { asked, check } = watched({ type: "json_schema", schema: {} }, null);
  const judged = await Promise.all(["1", "2", "3"].map(check));
  expect(asked.map(({ reply }) => reply)).toEqual(["1"]);
  expect(judged).toEqual(
    Array.from({ length: 3 }, () => ({ value: null, reason: "takes too long to check", failed: true })),
  );
});

test("a pattern is looked for here, unless it is large and the reply is long", async () => {
  const elsewhere: Judgement = { value: 1, reason: "elsewhere" };
  const small = watched({ type: "regex", pattern: "(a+)+$" }, elsewhere);
  expect(small.check("a".repeat(10_000))).toMatchObject({ value: 1 });
  const large = watched({ type: "regex", pattern: "(?:(?:a?b?c?){9}){90}d" }, elsewhere);
  expect(large.check("ad")).toMatchObject({ value: 1, reason: 'found "ad"' });
  expect(await large.check("a".repeat(10_000))).toEqual(elsewhere);
  expect([small.asked.length, large.asked.length]).toEqual([0, 1]);
});
