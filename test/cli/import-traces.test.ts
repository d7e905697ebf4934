import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

const attributes = (record: Record<string, string>) =>
  Object.entries(record).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const otlp = (...spans: object[]): string => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const chat = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: "text", content }] }]);

/** The first turn of a conversation, by the GenAI conventions, with a tool call. */
const first = [
  {
    traceId: "t1",
    spanId: "a",
    name: "chat",
    startTimeUnixNano: "1790000000000000000",
    attributes: attributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.conversation.id": "jo@example.com",
      "gen_ai.response.model": "gpt-9",
      "gen_ai.input.messages": chat("user", "Where is order 7? Write to jo@example.com."),
      "gen_ai.output.messages": chat("assistant", "It was sent."),
    }),
  },
  {
    traceId: "t1",
    spanId: "b",
    parentSpanId: "a",
    name: "execute_tool get_order",
    startTimeUnixNano: "1790000001000000000",
    attributes: attributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "get_order",
      "gen_ai.tool.call.arguments": '{"id":"7"}',
      "gen_ai.tool.call.result": '{"to":"jo@example.com"}',
    }),
  },
];
/** Its second turn in another file, by OpenInference. */
const second = {
  traceId: "t2",
  spanId: "a",
  name: "llm",
  startTimeUnixNano: "1790000100000000000",
  attributes: attributes({
    "openinference.span.kind": "LLM",
    "session.id": "jo@example.com",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "And order 8?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "Unknown.",
  }),
};
/** Another conversation with an error, by Langfuse. */
const failing = {
  traceId: "t3",
  spanId: "a",
  name: "generation",
  startTimeUnixNano: "1790100000000000000",
  status: { code: 2 },
  attributes: attributes({
    "langfuse.observation.type": "generation",
    "langfuse.session.id": "other",
    "langfuse.observation.model.name": "claude-9",
    "langfuse.observation.input": JSON.stringify({ messages: [{ role: "user", content: "Refund!" }] }),
  }),
};
const files = { "a.json": otlp(...first), "b.json": otlp(second, failing, ...first) };
const traces = ["import", "traces", "a.json", "b.json"];

test("puts the traces of a session together, from several files and conventions, and redacts them", async () => {
  await using folder = await folderWith({ ...files, "rehearsal.yaml": "redact: [email]" });
  const options = { cwd: folder.path };
  const written = await runCli([...traces, "--conversation", "jo@example.com", "-o", "out.json"], options);
  expect(written.code).toBe(0);
  const text = await readFile(join(folder.path, "out.json"), "utf8");
  expect(text).not.toContain("jo@example.com");
  expect(JSON.parse(text)).toMatchObject({
    id: "[email]",
    interactions: [
      { user_message: "Where is order 7? Write to [email].", agent_reply: "It was sent." },
      { user_message: "And order 8?", agent_reply: "Unknown." },
    ],
    world: { recorded: [{ name: "get_order", arguments: { id: "7" }, result: { to: "[email]" } }] },
  });
  const expected = await runCli([...traces, "--model", "gpt*", "--expect-recorded", "--json"], options);
  expect(JSON.parse(expected.stdout).scenarios[0].interactions[0]).toMatchObject({
    reference_reply: "It was sent.",
    reference_tool_calls: [{ name: "get_order", arguments: { id: "7" } }],
  });
});

test.for([
  [[], ["jo@example.com", "other"]],
  [["--errors", "only"], ["other"]],
  [["--errors", "none"], ["jo@example.com"]],
  [["--model", "CLAUDE*"], ["other"]],
  [["--min-turns", "2"], ["jo@example.com"]],
  [["--max-turns", "1"], ["other"]],
  [["--since", "2026-09-22"], ["other"]],
  [["--until", "2026-09-22T00:00Z"], ["jo@example.com"]],
  [["--since", "2026-09-22", "--errors", "none"], []],
] as const)("%o takes %o", async ([typed, ids]) => {
  await using folder = await folderWith(files);
  const { stdout } = await runCli([...traces, ...typed, "--list", "--json"], { cwd: folder.path });
  expect(JSON.parse(stdout).conversations.map(({ id }: { id: string }) => id)).toEqual(ids);
});

test("stores the recorded replies as a run to review, and the scenarios without them", async () => {
  await using folder = await folderWith(files);
  const options = { cwd: folder.path };
  const typed = [...traces, "--conversation", "jo@example.com", "--review"];
  const stored = await runCli([...typed, "-o", "out.json"], options);
  expect(stored.stderr).toMatch(/Judge them at .*\/review\?run=/);
  expect(JSON.parse(await readFile(join(folder.path, "out.json"), "utf8")).interactions[0]).not.toHaveProperty(
    "tool_calls",
  );
  const shown = await runCli(["runs", "show", "latest", "--json"], options);
  expect(JSON.parse(shown.stdout).results.scenarios[0].attempts[0].interactions).toMatchObject([
    { agent_reply: "It was sent.", tool_calls: [{ name: "get_order", result: { to: "jo@example.com" } }] },
    { agent_reply: "Unknown." },
  ]);
  expect(JSON.parse(shown.stdout).warnings ?? []).toEqual([]);
  await writeFile(join(folder.path, "v.csv"), "scenario_id,attempt,turn,choice\njo@example.com,1,1,fail\n");
  expect((await runCli(["verdicts", "import", "latest", "v.csv", "--rater", "ana"], options)).stdout).toContain(
    "stored 1 verdict",
  );
});

test.for([
  [["traces"], "no files were given"],
  [["traces", "s.yaml"], "s.yaml has no traces (read as yaml"],
  [["traces", "table.csv"], "table.csv is a table: read it with rehearsal import"],
  [["traces", "a.json", "--since", "yesterday"], "Use a date like 2026-11-01"],
  [["a.json", "--agent", "http://127.0.0.1:1"], "--agent reads traces"],
] as const)("refuses %o", async ([typed, message]) => {
  const scenario = "id: s\ninteractions: [{ id: a, user_message: Hi }]";
  await using folder = await folderWith({ ...files, "s.yaml": scenario, "table.csv": "question,answer\na,b\n" });
  const { code, stderr } = await runCli(["import", ...typed], { cwd: folder.path });
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});
