import { expect, test } from "vitest";
import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import { respondFlakily } from "./flaky.ts";
import { supportScript } from "./support-script.ts";

const request: ChatRequest = { messages: [{ role: "user", content: "When will I see the money?" }] };
const line = supportScript.find(({ id }) => id === "refund-time");

function answers(seed: string, count: number, asked = request) {
  const respond = respondFlakily(seed);
  return Array.from({ length: count }, () => respond(asked));
}

test("attempts differ: plain, reworded, wrong and failed answers all occur", () => {
  const all = answers("seed", 400);
  const texts = new Set(all.map((answer) => ("text" in answer ? answer.text : null)));
  expect(texts).toEqual(new Set([line?.reply, line?.reworded, line?.wrong, null]));
  const codes = new Set(all.map((answer) => ("failure" in answer ? answer.failure : null)));
  expect(codes).toEqual(new Set([null, "upstream_error", "upstream_rejected"]));
});

test("most answers are still usable", () => {
  const all = answers("seed", 400);
  const good = all.filter((answer) => "text" in answer && answer.text !== line?.wrong);
  expect(good.length).toBeGreaterThan(240);
  expect(good.length).toBeLessThan(340);
});

test("a seed repeats the same attempts, another seed gives others", () => {
  expect(answers("seed", 30)).toEqual(answers("seed", 30));
  expect(answers("seed", 30)).not.toEqual(answers("other", 30));
});

test("a request with a seed of its own gets one answer for good", () => {
  const seeded = { ...request, parameters: { seed: 3 } };
  expect(new Set(answers("seed", 10, seeded).map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test("a tool call is sometimes broken JSON, for the agent to repair", () => {
  const asked: ChatRequest = {
    messages: [{ role: "user", content: "What is 6 * 7?" }],
    tools: [{ name: "calculator", description: "", parameters: {} }],
  };
  const written = answers("seed", 100, asked).flatMap((answer) => ("text" in answer ? (answer.tool_calls ?? []) : []));
  expect(new Set(written.map((call) => call.arguments))).toEqual(
    new Set(['{"expression":"6 * 7"}', '{"expression":"6 * 7"']),
  );
});
