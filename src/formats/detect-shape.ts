import { isRecord } from "../base/json.ts";
import { isAdkConfig } from "./import/adk.ts";
import { isChatGptExport } from "./import/chatgpt.ts";
import { deepEvalLists } from "./import/deepeval.ts";
import { holdsEval, registeredSamples } from "./import/openai-evals/eval-objects.ts";
import { transcriptMessages } from "./import/transcript.ts";
import { anyField, field, isMessageList, isTextList, listField, recordField, textField } from "./records.ts";
import type { ImportFormat } from "./scenario-file.ts";

/** What a parsed file holds, leaving aside how it is written. `scenarios` is our own format. */
type Shape = Exclude<ImportFormat, "json" | "jsonl" | "yaml" | "csv" | "tsv"> | "scenarios";

interface DetectedShape {
  readonly shape: Shape;
  readonly reason: string;
}

type Rule = readonly [shape: Shape, reason: string, holds: (value: unknown) => boolean];

const has =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.every((name) => Object.hasOwn(value, name));
const hasAny =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.some((name) => Object.hasOwn(value, name));
const hasList =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    listField(value, ...names) !== undefined;

/** Told from the file as a whole. The first rule that holds decides. */
const wholeRules: readonly Rule[] = [
  ["openai-chat", "it is a list of messages", isMessageList],
  ["scenarios", "it has test_batch", has("test_batch")],
  [
    "scenarios",
    "it is an evaluation response",
    (value) => listField(field(value, "results"), "scenarios") !== undefined,
  ],
  ["adk", "it has eval_cases", hasList("eval_cases", "evalCases")],
  ["adk", "it has the criteria of an evaluation", (value) => isAdkConfig(value)],
  [
    "inspect-log",
    "it has eval and samples",
    (value) => recordField(value, "eval") !== undefined && hasAny("samples", "plan", "results")(value),
  ],
  ["promptfoo-results", "it has results with test cases", (value) => isPromptfooResults(value)],
  ["deepeval", "it has goldens or test cases", hasList(...deepEvalLists)],
  [
    "openai-evals",
    "its data are output items of an eval run",
    (value) => field(listField(value, "data")?.[0], "object") === "eval.run.output_item",
  ],
  ["openai-evals", "it is an eval or a run of one", (value) => holdsEval([value])],
  ["openai-evals", "it registers evals", (value) => registeredSamples(value).length > 0],
  ["langsmith", "it has examples with inputs", (value) => has("inputs")(listField(value, "examples")?.[0])],
  [
    "langfuse",
    "its data have input and expectedOutput",
    (value) => hasAny("expectedOutput", "expected_output")(listField(value, "data", "items")?.[0]),
  ],
  [
    "scenarios",
    "it has scenarios with interactions",
    (value) => hasList("interactions")(listField(value, "scenarios")?.[0]),
  ],
  [
    "promptfoo",
    "it has prompts, providers or tests",
    hasAny("prompts", "tests", "scenarios", "defaultTest", "providers", "targets"),
  ],
];

/** Told from the items of the file. */
const itemRules: readonly Rule[] = [
  ["scenarios", "its items have interactions", hasList("interactions")],
  ["scenarios", "its items have interactions", (value) => recordField(value, "interactions") !== undefined],
  ["scenarios", "its items have turns like ours", (value) => has("user_message")(listField(value, "turns")?.[0])],
  [
    "openai-evals",
    "its items are output items of an eval run",
    (value) => field(value, "object") === "eval.run.output_item" || has("datasource_item")(value),
  ],
  ["promptfoo-results", "its items have a test case and a prompt", has("testCase", "prompt")],
  ["promptfoo-results", "its items have promptIdx and testIdx", has("promptIdx", "testIdx")],
  ["openai-chat", "its items have messages", hasList("messages")],
  ["openai-chat", "its items have a preferred output", has("preferred_output")],
  ["openai-chat", "its items are requests with messages", (value) => hasList("messages")(recordField(value, "body"))],
  [
    "openai-chat",
    "its items are requests for responses",
    (value) =>
      textField(value, "url")?.endsWith("/responses") === true &&
      anyField(recordField(value, "body"), "input") !== undefined,
  ],
  ["openai-chat", "its items are conversations that ChatGPT exported", isChatGptExport],
  ["openai-chat", "its items have contents with parts", (value) => has("parts")(listField(value, "contents")?.[0])],
  [
    "openai-chat",
    "its items have a chosen conversation",
    (value) =>
      !has("prompt")(value) &&
      (isMessageList(listField(value, "chosen", "chosen_messages")) ||
        transcriptMessages(field(value, "chosen")) !== undefined),
  ],
  [
    "sharegpt",
    "its items have conversations",
    (value) => hasAny("from", "value", "role", "content")(listField(value, "conversations", "conversation")?.[0]),
  ],
  ["openai-evals", "its items have item", (value) => recordField(value, "item") !== undefined],
  ["openai-evals", "its items have input and ideal", has("input", "ideal")],
  ["langsmith", "its items have inputs", (value) => recordField(value, "inputs") !== undefined],
  [
    "adk",
    "its items have an ADK conversation",
    (value) => hasAny("user_content", "userContent")(listField(value, "conversation")?.[0]),
  ],
  [
    "adk",
    "its items have query and reference or expected tools",
    (value) => has("query")(value) && hasAny("expected_tool_use", "expected_intermediate_agent_responses")(value),
  ],
  ["adk", "its items have data with queries", (value) => has("query")(listField(value, "data")?.[0])],
  ["rows", "its items have turns of text", (value) => isTextList(listField(value, "turns"))],
  ["deepeval", "its items have turns", hasList("turns")],
  [
    "deepeval",
    "its items have a scenario and an expected outcome",
    (value) => has("scenario")(value) && hasAny("expected_outcome", "expectedOutcome")(value),
  ],
  [
    "deepeval",
    "its items have DeepEval fields",
    (value) =>
      has("input")(value) &&
      hasAny(
        "actual_output",
        "actualOutput",
        "retrieval_context",
        "retrievalContext",
        "expected_tools",
        "additional_metadata",
        "source_file",
      )(value),
  ],
  ["langfuse", "its items have input and expectedOutput", has("input", "expectedOutput")],
  [
    "langfuse",
    "its items have the fields of dataset items",
    (value) => has("input")(value) && hasAny("datasetName", "datasetId", "dataset_name", "sourceTraceId")(value),
  ],
  ["inspect", "its items have input and target", has("input", "target")],
  ["deepeval", "its items have input and expected_output", has("input", "expected_output")],
  ["promptfoo", "its items have vars or assertions", hasAny("vars", "assert")],
  [
    "inspect",
    "its items have an input of messages",
    // A sample has its answer under target.
    (value) => hasList("input")(value) && !hasAny("expected", "output")(value),
  ],
  ["rows", "its items are flat objects", (value) => isRecord(value)],
];

/** The shape of a file's values, or undefined when they are nothing we know. */
export function detectShape(values: readonly unknown[]): DetectedShape | undefined {
  const [first] = values;
  const whole = match(wholeRules, first);
  if (whole) return whole;
  const items = Array.isArray(first) ? (first as unknown[]) : values;
  // One odd item should not decide: the first that fits anything but the last resort does.
  const found = items.slice(0, 20).map((item) => match(itemRules, item));
  return (
    found.find((detected) => detected && detected.shape !== "rows") ?? found.find((detected) => detected !== undefined)
  );
}

function match(rules: readonly Rule[], value: unknown): DetectedShape | undefined {
  const rule = rules.find(([, , holds]) => holds(value));
  return rule && { shape: rule[0], reason: rule[1] };
}

function isPromptfooResults(value: unknown): boolean {
  const results = anyField(value, "results");
  const list = Array.isArray(results) ? results : listField(results, "results");
  if (list?.length === 0 && hasAny("prompts", "tests")(recordField(value, "config"))) return true;
  return list !== undefined && (has("prompt")(list[0]) || has("vars")(list[0]) || has("version")(results));
}
