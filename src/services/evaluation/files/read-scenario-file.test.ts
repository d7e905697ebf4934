import { expect, test } from "vitest";
import { planLimits } from "../../../../test/support/run-bench.ts";
import { createScenarioFileReader } from "./read-scenario-file.ts";

const rules = { limits: planLimits, helpers: {} };
const scenario = JSON.stringify({ id: "a", interactions: [{ id: "1", user_message: "Hi" }] });
const long = Array.from({ length: 50_000 }, (_, index) => `k${index}: v\n`).join("");

const read = createScenarioFileReader(rules);

test("reads a file in a thread, or reports the problem", async () => {
  expect(await read({ text: scenario })).toMatchObject({ result: { format: "json", scenarios: [{ id: "a" }] } });
  expect(await read({ text: '{"a": ', format: "json" })).toEqual({
    problem: expect.stringContaining("not valid JSON") as string,
  });
});

test("adds notes on scenarios that cannot be run", async () => {
  const checks = [{ type: "regex", pattern: "(" }];
  const text = JSON.stringify({ id: "a", interactions: [{ id: "1", user_message: "Hi", checks }] });
  expect(await read({ text })).toMatchObject({
    result: { notes: [{ kind: "unusable", pointer: "/scenarios/0/interactions/0/checks/0/pattern" }] },
  });
});

test("caps the notes of a file with many problems", async () => {
  const answer = await read({ text: "{}\n".repeat(3_000), format: "jsonl" });
  expect(answer).toMatchObject({ result: { notes: { length: 1_001 } } });
});

test("gives up a file that takes too long, and reads the next", async () => {
  const limited = createScenarioFileReader(rules, { longestMs: 500, patience: 200 });
  const [slow, next] = await Promise.all([limited({ text: long, format: "yaml" }), limited({ text: scenario })]);
  expect(slow).toEqual({
    problem:
      "takes more than 0.5 seconds to read; JSON and JSON lines are read fastest, and `rehearsal import` has no such limit",
  });
  expect(next).toHaveProperty("result");
});

test("gives up a file that takes too much memory, without harm to others", async () => {
  const limited = createScenarioFileReader(rules, { mostMegabytes: 16 });
  const answer = await limited({ text: JSON.stringify(Array.from({ length: 400_000 }, () => ({ a: [] }))) });
  expect(answer).toEqual({ problem: expect.stringContaining("needs too much memory") as string });
});
