import { expect, test } from "vitest";
import { planLimits } from "../../runs/testing/run-bench.ts";
import { createFileReader } from "./read-scenario-file.ts";

const rules = { limits: planLimits, helpers: {} };
const scenario = JSON.stringify({ id: "a", interactions: [{ id: "1", user_message: "Hi" }] });
const long = Array.from({ length: 50_000 }, (_, index) => `k${index}: v\n`).join("");

test("a file is read in a thread, and what cannot be read has the reason", async () => {
  const read = createFileReader(rules);
  expect(await read({ text: scenario })).toMatchObject({ result: { format: "json", scenarios: [{ id: "a" }] } });
  expect(await read({ text: '{"a": ', format: "json" })).toEqual({
    problem: expect.stringContaining("not valid JSON") as string,
  });
});

test("what no run takes of a file is told with it", async () => {
  const read = createFileReader(rules);
  const checks = [{ type: "regex", pattern: "(" }];
  const text = JSON.stringify({ id: "a", interactions: [{ id: "1", user_message: "Hi", checks }] });
  expect(await read({ text })).toMatchObject({
    result: { notes: [{ kind: "unusable", pointer: "/scenarios/0/interactions/0/checks/0/pattern" }] },
  });
});

test("of a file with many faults the first are told", async () => {
  const read = createFileReader(rules);
  const answer = await read({ text: "{}\n".repeat(3_000), format: "jsonl" });
  expect(answer).toMatchObject({ result: { notes: { length: 1_001 } } });
});

test("a file that takes too long is given up, and the next one is read", async () => {
  const read = createFileReader(rules, { longestMs: 2_000 });
  const [slow, next] = await Promise.all([read({ text: long, format: "yaml" }), read({ text: scenario })]);
  expect(slow).toEqual({
    problem:
      "takes more than 2 seconds to read; JSON and JSON lines are read fastest, and `rehearsal import` has no such limit",
  });
  expect(next).toHaveProperty("result");
});

test("a file that takes too much memory harms nobody else", async () => {
  const read = createFileReader(rules, { mostMegabytes: 16 });
  const answer = await read({ text: JSON.stringify(Array.from({ length: 400_000 }, () => ({ a: [] }))) });
  expect(answer).toEqual({ problem: expect.stringContaining("takes more memory") as string });
});
