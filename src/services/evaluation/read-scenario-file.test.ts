import { expect, test } from "vitest";
import { createFileReader } from "./read-scenario-file.ts";

const scenario = JSON.stringify({ id: "a", interactions: [{ id: "1", user_message: "Hi" }] });
const long = Array.from({ length: 50_000 }, (_, index) => `k${index}: v\n`).join("");

test("a file is read in a thread, and what cannot be read has the reason", async () => {
  const read = createFileReader();
  expect(await read({ text: scenario })).toMatchObject({ result: { format: "json", scenarios: [{ id: "a" }] } });
  expect(await read({ text: '{"a": ', format: "json" })).toEqual({
    problem: expect.stringContaining("not valid JSON") as string,
  });
});

test("a file that takes too long is given up, and the next one is read", async () => {
  const read = createFileReader({ longestMs: 2_000 });
  const [slow, next] = await Promise.all([read({ text: long, format: "yaml" }), read({ text: scenario })]);
  expect(slow).toEqual({
    problem:
      "takes more than 2 seconds to read; JSON and JSON lines are read fastest, and `rehearsal import` has no such limit",
  });
  expect(next).toHaveProperty("result");
});

test("a file that takes too much memory harms nobody else", async () => {
  const read = createFileReader({ mostMegabytes: 16 });
  const answer = await read({ text: JSON.stringify(Array.from({ length: 400_000 }, () => ({ a: [] }))) });
  expect(answer).toEqual({ problem: expect.stringContaining("takes more memory") as string });
});
