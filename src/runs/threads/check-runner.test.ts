import { expect, test } from "vitest";
import { UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { World } from "../../contract/schemas/acting/world.ts";
import { recordedReply } from "../../evaluation/conversation/stored-reply.ts";
import { evaluateOutcome } from "../../evaluation/outcomes/outcome.ts";
import { createProbes } from "../../evaluation/tools/probes.ts";
import { scoreCalls } from "../../evaluation/tools/score-calls.ts";
import { prepareWorld } from "../../evaluation/world/world.ts";
import { createCheckRunner } from "./check-runner.ts";

const setting = (value: object): UserScorerSetting => UserScorerSetting.parse(value);
const schema = (value: object): UserScorerSetting => setting({ type: "json_schema", schema: value });

/** The wall-clock limit is out of reach: CPU time alone decides, on a busy machine too. */
const limits = { longestMs: 300, patience: 200 };

/** Each level asks for the next one twice: a value that fits none of them is checked 2^40 times. */
const endless = schema({
  $ref: "#/$defs/0",
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/${level + 1}` };
      return [level, level === 39 ? { type: "string" } : { anyOf: [next, next] }];
    }),
  ),
});

test("applies patterns and schemas to replies, and reports why a check failed", async () => {
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

test("finds problems of the checks of a request within its time limit", async () => {
  const checks = createCheckRunner(limits);
  expect(await checks.problemsOf(["exact_match", schema({ type: "number" })])).toEqual([]);
  expect(await checks.problemsOf([schema({ type: "nonsense" })])).toMatchObject([
    { index: 0, field: "schema", code: "schema_invalid" },
  ]);
  // Every part is joined with all before it.
  const joined = Array.from({ length: 2_500 }, (_, index) => ({ properties: { [`p${index}`]: {} } }));
  expect(await checks.problemsOf([schema({ unevaluatedProperties: false, allOf: joined })])).toBeNull();
  await checks.close();
});

test("gives up a schema that would take years without blocking, and answers the next question", async () => {
  const checks = createCheckRunner(limits);
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 10);
  const [given, next] = await Promise.all([
    checks.run({ setting: endless, reply: "1", references: [] }),
    checks.run({ setting: schema({ type: "number" }), reply: "1", references: [] }),
  ]);
  clearInterval(counting);
  expect([given, next]).toEqual([null, { value: 1, reason: "fits the schema" }]);
  expect(turns).toBeGreaterThan(0);
  await checks.close();
});

test("separates askers whose checks timed out from others", async () => {
  const checks = createCheckRunner(limits);
  const [slow, other] = [{ asker: "slow" }, { asker: "other" }];
  const ended: string[] = [];
  const ask = async (name: string, checked: UserScorerSetting, asking: { asker: string }) => {
    await checks.run({ setting: checked, reply: "1", references: [] }, asking);
    ended.push(name);
  };
  await ask("first", endless, slow);
  // The thread of the others has started before the race, so only the endless check takes time in it.
  await ask("second", schema({ type: "number" }), other);
  await Promise.all([ask("endless", endless, slow), ask("quick", schema({ type: "number" }), other)]);
  expect(ended).toEqual(["first", "second", "quick", "endless"]);
  await checks.close();
});

test("ends only the thread when a check runs out of memory", async () => {
  const checks = createCheckRunner({ mostMegabytes: 40, longestMs: 60_000 });
  // Made by a program of JavaScript, which can be ended: V8's own compiler, out of memory, would end the process.
  const large = setting({ type: "regex", pattern: "(?:a?b?){500}".repeat(120) });
  expect(await checks.run({ setting: large, reply: "ab", references: [] })).toBeNull();
  expect(await checks.run({ setting: schema({ type: "number" }), reply: "1", references: [] })).toMatchObject({
    value: 1,
  });
  await checks.close();
});

test("comparisons that take long are made on the thread, and given up after its time limit", async () => {
  const checks = createCheckRunner(limits);
  const { signal } = new AbortController();
  const kinds: string[] = [];
  const probes = createProbes(
    (check) => checks.run(check),
    (task) => {
      kinds.push(task.kind);
      return checks.compare(task);
    },
  );
  const ofLength = (length: number) => Array.from({ length }, (_, index) => index);
  /** Each matcher is tried with each number. */
  const each = (length: number) => ({ $contains: ofLength(length).map((value) => ({ $number: { value } })) });
  const evaluate = (length: number) => {
    const expected = { state: { "/list": each(length) }, said: ["yes"] };
    return evaluateOutcome({ expect: expected, replies: [sample], state: { list: ofLength(length) }, probes, signal });
  };
  const sample = recordedReply({ agent_reply: "Yes." });
  expect((await evaluate(100)).outcome.value).toBe(1);
  expect(kinds).toEqual([]);
  expect((await evaluate(1_000)).outcome.value).toBe(1);
  expect(kinds).toEqual(["outcome"]);
  const { outcome } = await evaluate(100_000);
  expect(outcome).toMatchObject({
    value: null,
    parts: [
      { name: "replies", passed: true },
      { name: "state", passed: null, reason: "undecided: takes too long to check" },
      { name: "said", passed: null },
    ],
  });

  const calls = [{ id: "1", name: "find", arguments: { list: ofLength(100_000) } }];
  const references = [{ name: "find", arguments: { list: each(100_000) } }];
  const scores = await scoreCalls({ references, calls, probes, signal });
  expect(scores.map(({ value, reason }) => [value, reason])).toEqual(
    Array(4).fill([null, "unscored: takes too long to compare"]),
  );
  const when = { list: each(100_000) };
  const tools = [{ name: "find", parameters: { type: "object" }, answers: [{ when }] }];
  const session = prepareWorld(World.parse({ tools }), { probes }).open();
  expect(await session.answer(calls[0]!, signal)).toEqual({
    error: "The answer could not be chosen: comparing the arguments takes too long.",
  });
  // A second comparison with the same expectation is not tried again.
  const made = kinds.length;
  await session.answer(calls[0]!, signal);
  expect(kinds).toHaveLength(made);
  await checks.close();
});
