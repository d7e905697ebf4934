import { expect, test } from "vitest";
import type { ChatModel, ReportedToolCall } from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";

const call = (id: string, name: string, more: Partial<ReportedToolCall> = {}): ReportedToolCall => ({
  id,
  name,
  arguments: "{}",
  ...more,
});

/** An agent whose turns report these calls; null: the answer says nothing about calls. */
const reporting = (turns: readonly (readonly ReportedToolCall[] | null)[]): ChatModel => {
  return async ({ messages }) => {
    const turn = messages.filter(({ role }) => role === "user").length - 1;
    const calls = turns[turn] ?? null;
    return { ...sampleReply("done"), ...(calls && { reported_calls: calls }) };
  };
};
const http = { url: "http://test/{{session_id}}", body: { q: "{{messages}}" }, reply: "/text" };
const cancelled = numberedScenario("cancel", 1, {
  reference_reply: undefined,
  reference_tool_calls: [{ name: "get" }],
});
const expecting = {
  ...cancelled,
  expect: { must_call: ["get"], must_not_call: ["cancel"], before: [{ first: "get", later: "cancel" }], max_calls: 3 },
};
const gate = { scores: { outcome: 1, tool_match: 1 }, min_pass_rate: 1 };

test.for([
  ["an HTTP target without a place for calls", { endpoint: http }],
  ["an HTTP target that answers null in the place for calls", { endpoint: { ...http, tool_calls: "/calls" } }],
  ["A2A without data parts", { endpoint: { protocol: "a2a", url: "http://test" } }],
  ["another agent backend without a log", { protocol: "agent" }],
  ["a chat endpoint that is offered no tools", { protocol: "openai-chat" }],
] as const)("%s: rules and scores about calls are undecided, and gates on them do not pass", async ([, asked]) => {
  await using bench = await startBench({ models: { model: reporting([null]) } });
  const { summary, results, warnings, run_id } = await bench.evaluate({ ...asked, test_batch: [expecting], gate });
  const [attempt] = results.scenarios[0]!.attempts;
  expect(attempt!.interactions[0]).toMatchObject({ calls_seen: "none", tool_calls: [] });
  expect(attempt!.average_scores).not.toHaveProperty("tool_match");
  expect(attempt!.outcome).toMatchObject({ value: null });
  expect(attempt!.outcome!.parts.map(({ passed }) => passed)).toEqual([true, null, null, null, null]);
  expect(summary.undecided_scores).toMatchObject({ outcome: 1, tool_match: 1, overall: 1, tool_rules: 1 });
  expect(summary.scenarios).toMatchObject({ passing: 0, unscored: 1 });
  expect(summary.gate?.checks.filter(({ undecided }) => undecided).map(({ name }) => name)).toEqual([
    "outcome",
    "tool_match",
    "pass_rate",
  ]);
  expect(summary).not.toHaveProperty("unscored");
  expect(warnings.filter(({ message }) => message.includes("which tools the agent calls"))).toHaveLength(1);

  const rescored = await bench.runs.rescore(run_id, null);
  expect((await bench.results(rescored as never)).summary.undecided_scores).toEqual(summary.undecided_scores);
});

test("an agent that can report calls and reports none has called nothing", async () => {
  await using bench = await startBench({ models: { model: reporting([[]]) } });
  const { results, summary } = await bench.evaluate({ protocol: "agent", test_batch: [expecting] });
  expect(results.scenarios[0]!.average_scores).toMatchObject({ tool_match: 0, "outcome.must_not_call": 1 });
  expect(summary).not.toHaveProperty("undecided_scores");
});

test("once an agent has reported a call, its other turns of the attempt are seen", async () => {
  await using bench = await startBench({ models: { model: reporting([null, [call("1", "get")], null]) } });
  const batch = {
    ...numberedScenario("three", 3, { reference_tool_calls: [] }),
    expect: { must_not_call: ["cancel"] },
  };
  const { results } = await bench.evaluate({ protocol: "agent", test_batch: [batch] });
  const { interactions, outcome } = results.scenarios[0]!.attempts[0]!;
  expect(interactions.map(({ scores }) => scores["tool_match"])).toEqual([undefined, 0, 1]);
  expect(outcome).toMatchObject({ value: 1 });
});

test("calls of earlier turns that come back with the conversation are left out", async () => {
  const first = call("call_73_0", "get", { result: { sent: false } });
  const second = [call("call_74_0", "get"), call("call_74_1", "cancel")];
  // The third turn numbers its calls from 0, so an id says nothing alone.
  const third = [first, ...second, call("call_74_1", "get")];
  await using bench = await startBench({ models: { model: reporting([[first], [first, ...second], third]) } });
  const endpoint = { ...http, tool_calls: "/calls" };
  const { results } = await bench.evaluate({ endpoint, test_batch: [numberedScenario("three", 3)] });
  const { interactions } = results.scenarios[0]!.attempts[0]!;
  expect(interactions.map(({ tool_calls }) => tool_calls.map(({ name }) => name))).toEqual([
    ["get"],
    ["get", "cancel"],
    ["get"],
  ]);
});

test("arguments that are not known are neither right nor wrong", async () => {
  const unknown = call("1", "get", { arguments: "", arguments_unknown: true });
  await using bench = await startBench({ models: { model: reporting([[unknown]]) } });
  const scenario = (id: string, reference: object, expected: object) => ({
    ...numberedScenario(id, 1, { reference_reply: undefined, reference_tool_calls: [reference] }),
    expect: expected,
  });
  const withArguments = { name: "get", arguments: { id: 7 } };
  const { results, warnings } = await bench.evaluate({
    endpoint: { ...http, tool_calls: "/calls" },
    test_batch: [
      scenario("arguments", withArguments, { must_call: [withArguments] }),
      scenario("forbidden", withArguments, { must_not_call: [withArguments] }),
      scenario("name", { name: "get" }, { must_call: ["get"] }),
      scenario("missing", { name: "cancel", arguments: { id: 7 } }, { must_call: [{ name: "cancel" }] }),
    ],
  });
  const found = results.scenarios.map(({ average_scores: { tool_match, tool_name_f1, outcome } }) => ({
    tool_match,
    tool_name_f1,
    outcome,
  }));
  expect(found).toEqual([
    { tool_name_f1: 1 },
    { tool_name_f1: 1 },
    { tool_match: 1, tool_name_f1: 1, outcome: 1 },
    { tool_match: 0, tool_name_f1: 0, outcome: 0 },
  ]);
  expect(results.scenarios[0]!.attempts[0]!.interactions[0]!.tool_calls).toEqual([
    { id: "1", name: "get", arguments: null, arguments_unknown: true },
  ]);
  expect(warnings).toHaveLength(1);
});
