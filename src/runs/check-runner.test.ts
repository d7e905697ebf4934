import { expect, test } from "vitest";
import type { TextSetting } from "../evaluation/scorers/checks/offload-check.ts";
import { UserScorerSetting } from "../contract/schemas/scorer-setting.ts";
import { createCheckRunner } from "./check-runner.ts";

const setting = (value: object): TextSetting => UserScorerSetting.parse(value) as TextSetting;
const schema = (value: object): TextSetting => setting({ type: "json_schema", schema: value });

/** Each level asks for the next one twice: what fits none of them is looked at 2^40 times. */
const endless = schema({
  $ref: "#/$defs/0",
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/${level + 1}` };
      return [level, level === 39 ? { type: "string" } : { anyOf: [next, next] }];
    }),
  ),
});

test("replies are held against patterns and schemas, and a check that breaks says why", async () => {
  const checks = createCheckRunner();
  const { run } = checks;
  expect(await run({ setting: schema({ type: "number" }), reply: "1", references: [] })).toMatchObject({ value: 1 });
  expect(await run({ setting: schema({ type: "number" }), reply: '"1"', references: [] })).toMatchObject({ value: 0 });
  expect(
    await run({ setting: setting({ type: "regex", pattern: "b+" }), reply: "abbc", references: [] }),
  ).toMatchObject({
    value: 1,
    reason: 'found "bb"',
  });
  expect(
    await run({ setting: setting({ type: "numeric" }), reply: "It is 12.", references: ["none", "12"] }),
  ).toMatchObject({ value: 1, reason: "found 12" });
  await expect(run({ setting: schema({ type: "nonsense" }), reply: "1", references: [] })).rejects.toThrow(/type/);
  await checks.close();
  expect(await run({ setting: schema({ type: "number" }), reply: "2", references: [] })).toMatchObject({ value: 1 });
  await checks.close();
});

test("what is wrong with the checks of a request is found out here, unless that takes too long", async () => {
  const checks = createCheckRunner({ longestMs: 300 });
  expect(await checks.problemsOf(["exact_match", schema({ type: "number" })])).toEqual([]);
  expect(await checks.problemsOf([schema({ type: "nonsense" })])).toMatchObject([
    { index: 0, field: "schema", code: "schema_invalid" },
  ]);
  // Every part is joined with all before it.
  const joined = Array.from({ length: 2_500 }, (_, index) => ({ properties: { [`p${index}`]: {} } }));
  expect(await checks.problemsOf([schema({ unevaluatedProperties: false, allOf: joined })])).toBeNull();
  await checks.close();
});

test("a schema that would take years is given up, the event loop goes on meanwhile, and the next one is answered", async () => {
  const checks = createCheckRunner({ longestMs: 300 });
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 10);
  const [given, next] = await Promise.all([
    checks.run({ setting: endless, reply: "1", references: [] }),
    checks.run({ setting: schema({ type: "number" }), reply: "1", references: [] }),
  ]);
  clearInterval(counting);
  expect([given, next]).toEqual([null, { value: 1, reason: "fits the schema" }]);
  expect(turns).toBeGreaterThan(5);
  await checks.close();
});

test("whoever asked what took too long keeps nobody else waiting any more", async () => {
  const checks = createCheckRunner({ longestMs: 300 });
  const [slow, other] = [{ asker: "slow" }, { asker: "other" }];
  const ended: string[] = [];
  const ask = async (name: string, checked: TextSetting, asking: { asker: string }) => {
    await checks.run({ setting: checked, reply: "1", references: [] }, asking);
    ended.push(name);
  };
  await ask("first", endless, slow);
  await Promise.all([ask("second", endless, slow), ask("quick", schema({ type: "number" }), other)]);
  expect(ended).toEqual(["first", "quick", "second"]);
  await checks.close();
});

test("what takes more memory than there is ends the thread alone", async () => {
  const checks = createCheckRunner({ mostMegabytes: 40, longestMs: 60_000 });
  // Made by a program of JavaScript, which can be ended: V8's own compiler, out of memory, would end the process.
  const large = setting({ type: "regex", pattern: "(?:a?b?){500}".repeat(120) });
  expect(await checks.run({ setting: large, reply: "ab", references: [] })).toBeNull();
  expect(await checks.run({ setting: schema({ type: "number" }), reply: "1", references: [] })).toMatchObject({
    value: 1,
  });
  await checks.close();
});
