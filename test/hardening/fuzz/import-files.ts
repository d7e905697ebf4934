import fc, { type Arbitrary } from "fast-check";
import { scenarioFormats } from "../../../src/formats/formats.ts";
import { arbitraryScenarios } from "../../../src/formats/testing/arbitrary-scenarios.ts";
import type { JsonValue } from "./schema-values.ts";

const writers = scenarioFormats.map(({ write }) => write).filter((write) => write !== undefined);

/** A file of one of the formats that we write ourselves. */
const wellFormed = fc
  .tuple(arbitraryScenarios, fc.constantFrom(...writers))
  .map(([scenarios, write]) => write(scenarios).text);

/** Skeletons of the formats we only read, with anything in them. */
const ofPeers = fc
  .tuple(
    fc.constantFrom<(value: JsonValue) => JsonValue>(
      (value) => ({ results: { results: [{ vars: value, response: { output: value }, success: true }] } }),
      (value) => ({ version: 3, results: { outputs: [value] } }),
      (value) => ({ item: value, sample: { input: [{ role: "user", content: value }] } }),
      (value) => ({ version: 2, eval: { task: value }, samples: [{ input: value, target: value, messages: value }] }),
      (value) => ({ eval_set_id: "s", eval_cases: [{ eval_id: value, conversation: [{ user_content: value }] }] }),
      (value) => [{ input: value, expected_output: value, context: value }],
      (value) => ({ prompts: value, tests: [{ vars: value, assert: [{ type: value, value }] }] }),
      (value) => ({ conversations: [{ from: value, value }] }),
      (value) => ({ messages: value }),
      (value) => ({
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", tool_calls: value },
        ],
        tools: value,
      }),
      (value) => ({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: "t", name: "x", attributes: value }] }] }] }),
      (value) => [
        { trace_id: "t", span_id: "s", attributes: { "gen_ai.input.messages": value, "input.value": value } },
      ],
      (value) => ({ info: { trace_id: "t" }, data: { spans: [{ attributes: { "mlflow.spanInputs": value } }] } }),
      (value) => ({
        trace: { id: "t", input: value, metadata: value },
        observations: [{ type: "TOOL", input: value }],
      }),
      (value) => [{ id: "r", run_type: "llm", inputs: value, outputs: value, child_runs: [value] }],
      (value) => [
        {
          utterances: [
            { speaker: "USER", text: "x", apis: value },
            { speaker: value, text: value },
          ],
        },
      ],
      (value) => [
        { id: "q", question: [[{ role: "user", content: "x" }], value], function: value, ground_truth: value },
      ],
      (value) => [{ task_id: value, reward: value, traj: [{ role: "user", content: value }], info: { task: value } }],
    ),
    fc.jsonValue({ maxDepth: 2 }) as Arbitrary<JsonValue>,
  )
  .map(([frame, value]) => JSON.stringify(frame(value)));

/** The same with something cut off, doubled or put in. */
const damaged = fc
  .tuple(
    fc.oneof(wellFormed, ofPeers),
    fc.nat(),
    fc.constantFrom("", "\0", '"', ",", "\n", "{", "&a", "*a", "\t", "---\n"),
  )
  .map(([text, place, insert]) => {
    const at = place % (text.length + 1);
    return insert === "" ? text.slice(0, at) : text.slice(0, at) + insert + text.slice(at);
  });

/** YAML that grows when it is read, tables that are none, archives. */
const hostile = fc.constantFrom(
  `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from(
    { length: 9 },
    (_, index) =>
      `a${index}: &a${index} [${Array(9)
        .fill(index === 0 ? "*a" : `*a${index - 1}`)
        .join(",")}]`,
  ).join("\n")}`,
  "!!js/function 'function(){}'",
  "? !!python/object/apply:os.system ['id']",
  "PK\u0003\u0004archive",
  "a\0b\0",
  `"${"x".repeat(20_000)}`,
  "id,user_message\n".repeat(500),
  `${"[".repeat(30)}${"]".repeat(30)}`,
  '{"__proto__":{"polluted":true},"messages":[{"role":"user","content":"x"}]}\n',
  "user_message,reference_reply\n=cmd|' /C calc'!A0,@SUM(1)\n",
);

/** Bodies of POST /scenarios/import. Most only look: a library that grows without end would be another test. */
export const importBodies: Arbitrary<JsonValue> = fc.record(
  {
    text: fc.oneof(wellFormed, ofPeers, damaged, hostile),
    format: fc.constantFrom("auto", "auto", ...scenarioFormats.map(({ id }) => id)),
    name: fc.constantFrom("a.json", "b.jsonl", "c.yaml", "d.csv", "promptfooconfig.yaml", "x.evalset.json", "../../e"),
    mapping: fc.constantFrom("user=question,reference=answer", "user=", "=", "labels=intent+tone", "user=a,user=b"),
    dry_run: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
  },
  { requiredKeys: ["text", "dry_run"] },
);
