import { isRecord } from "../base/json.ts";
import { parseExactJson } from "./documents/exact-json.ts";
import { parseDocument, type ParsedDocument, type Syntax } from "./documents/parse-document.ts";
import {
  anyField,
  field,
  isMessageList,
  isTextList,
  listField,
  locationBelow,
  recordField,
  textField,
} from "./documents/records.ts";
import { isAdkConfig } from "./import/adk.ts";
import { isBfclAnswer, isBfclQuestion, isTauBench } from "./import/agent-benchmarks.ts";
import { deepEvalLists } from "./import/deepeval.ts";
import { isDialogue } from "./import/dialogues.ts";
import { isLangfuseTrace } from "./import/langfuse.ts";
import { isChatGptExport, transcriptMessages } from "./import/openai-chat.ts";
import { holdsEval, registeredSamples } from "./import/openai-evals/eval-objects.ts";
import { isMlflowTrace, isSpans } from "./import/traces/spans.ts";
import { FormatError, type ImportFormat } from "./scenario-file.ts";
import { detectDelimiter } from "./tables/read-table.ts";

export type Detected =
  | { readonly format: "csv" | "tsv"; readonly reason: string; readonly document?: undefined }
  | {
      readonly format: Exclude<ImportFormat, "csv" | "tsv">;
      readonly reason: string;
      readonly document: ParsedDocument;
    };

export interface DetectionSource {
  readonly text: string;
  /** Only a hint, except that `.csv` and `.tsv` always mean a table. */
  readonly name?: string | undefined;
}

/** Detects the format of a file from its contents. Throws a `FormatError` if the file cannot be parsed. */
export function detectFormat({ text, name }: DetectionSource): Detected {
  const syntax = detectSyntax({ text, name });
  if (syntax === "csv") {
    refuseBotium(text);
    return detectTable(text);
  }
  const document = withoutWrapper(parseDocument(text, syntax));
  const written = { json: "JSON", jsonl: "JSON lines", yaml: "YAML" }[syntax];
  const values = document.values.map(({ value }) => value);
  refuseAnswers(values);
  refuseAttacks(values);
  refuseAttributes(values);
  refuseTasks(values);
  refuseSessions(values);
  const detected = detectShape(values);
  if (!detected || detected.shape === "scenarios")
    return { format: syntax, reason: `${written}: ${detected?.reason ?? "no other format was recognised"}`, document };
  return { format: detected.shape, reason: `${written}: ${detected.reason}`, document };
}

/** Names under which downloads and APIs list their items. */
const wrappers = ["data", "rows", "items", "records", "examples", "questions", "dataset"];

/** Opens an object that only wraps a list of items, such as the rows of Hugging Face's viewer. */
function withoutWrapper(document: ParsedDocument): ParsedDocument {
  const [only, ...others] = document.values;
  if (!only || others.length > 0 || !isRecord(only.value) || match(wholeRules, only.value)) return document;
  const inside = match(itemRules, only.value)?.shape;
  const name = wrappers.find((each) => listField(only.value, each)?.every(isRecord));
  const list = name === undefined ? [] : (listField(only.value, name) ?? []);
  if (name === undefined || list.length === 0 || (inside !== undefined && inside !== "rows")) return document;
  const left = Object.keys(only.value).filter((each) => each !== name);
  return {
    ...document,
    notes: [
      ...document.notes,
      ...(left.length > 0
        ? [{ kind: "dropped" as const, message: `beside the list of ${name}: ${left.join(", ")}` }]
        : []),
    ],
    values: list.map((value, index) => {
      const row = recordField(value, "row");
      const isRow = row !== undefined && has("row_idx")(value);
      return {
        value: isRow ? row : value,
        place: locationBelow(only.place, name, index, ...(isRow ? ["row"] : [])),
      };
    }),
  };
}

/** True for a file that defines an OpenAI eval or a run. Most files are ruled out without parsing them. */
export function definesEval(file: DetectionSource): boolean {
  if (!/"(?:testing_criteria|data_source)"\s*:/.test(file.text)) return false;
  const detected = detectOrUndefined(file);
  return detected?.format === "openai-evals" && holdsEval(detected.document.values.map(({ value }) => value));
}

/** True for a file of rows that an eval may run on. Their fields are not known in advance. */
export function mayBeEvalData(file: DetectionSource): boolean {
  const detected = detectOrUndefined(file);
  return detected !== undefined && !neverEvalData.has(detected.format);
}

/** Decides by the first characters; the file name decides between YAML and CSV. */
export function detectSyntax({ text, name }: DetectionSource): Syntax | "csv" {
  const extension = /\.(\w+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? "";
  if (["csv", "tsv", "tab"].includes(extension)) return "csv";
  if (["jsonl", "ndjson"].includes(extension)) return isOneValue(text) ? "json" : "jsonl";
  if (/^\s*[[{]/.test(text)) return ["yaml", "yml"].includes(extension) ? "yaml" : jsonOrLines(text);
  if (["yaml", "yml"].includes(extension)) return "yaml";
  if (extension === "json" || text.trim() === "") return "json";
  return /^\s*(---|%YAML|#|- |\? |["'\w$.-]+\s*:(\s|$))/.test(text) ? "yaml" : "csv";
}

function detectTable(text: string): Detected {
  const delimiter = detectDelimiter(text);
  const names = { ",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars" } as Record<string, string>;
  return { format: delimiter === "\t" ? "tsv" : "csv", reason: `a table with ${names[delimiter]} between the columns` };
}

/** True for one JSON value over several lines, for example in a file named `.jsonl`. */
function isOneValue(text: string): boolean {
  return /[\r\n]/.test(text.trim()) && jsonOrLines(text) === "json" && isJson(text);
}

/** JSON lines have a first line that is a complete value, and more lines. */
function jsonOrLines(text: string): "json" | "jsonl" {
  const [first = "", ...rest] = text.trim().split(/\r\n|\n|\r/, 3);
  return rest.length > 0 && isJson(first) ? "jsonl" : "json";
}

function isJson(text: string): boolean {
  try {
    parseExactJson(text);
    return true;
  } catch {
    return false;
  }
}

/** OpenAI's batch answers have a status, Anthropic's a result type. */
const isBatchAnswer = (value: unknown): boolean =>
  textField(value, "custom_id") !== undefined &&
  (anyField(field(value, "response"), "status_code") ?? anyField(field(value, "result"), "type")) !== undefined;

/** Answers of a batch and of MT-Bench come without questions, so they cannot become scenarios. */
function refuseAnswers(values: readonly unknown[]): void {
  const [first] = values.flat();
  if (isBatchAnswer(first))
    throw new FormatError(
      "this file has the answers of a batch, without the questions; import the file of its requests, whose lines have a body",
    );
  if (field(first, "question_id") !== undefined && isTextList(listField(listField(first, "choices")?.[0], "turns")))
    throw new FormatError(
      "this file has answers to MT-Bench's questions, without the questions; import question.jsonl",
    );
}

/** Attributes alone do not say which spans belong together, and their texts are requests in JSON. */
function refuseAttributes(values: readonly unknown[]): void {
  const [first] = values.flat();
  if (!isSpans(first) && hasAny("gen_ai.operation.name", "openinference.span.kind")(first))
    throw new FormatError(
      "these are attributes of spans without their spans; export the spans whole, each with its trace id, span id and attributes",
    );
}

/** Tasks of tau2-bench need its own domains, whose tools and databases are Python code. */
function refuseTasks(values: readonly unknown[]): void {
  const [first] = values.flat();
  if (recordField(first, "user_scenario") !== undefined && hasAny("evaluation_criteria", "initial_state")(first))
    throw new FormatError(
      "these are tasks of tau2-bench, which run only with its domains; import the results of a run instead, which have its conversations (tau2 run writes them to data/simulations)",
    );
}

/** Sessions of coding agents: their replies are edits of files, which no scenario can repeat. */
function refuseSessions(values: readonly unknown[]): void {
  const start = values.flat().slice(0, 50);
  const agent = start.some((line) => has("sessionId", "uuid", "message")(line) && hasAny("parentUuid")(line))
    ? "Claude Code"
    : start.some((line) => has("payload")(line) && textField(line, "type") === "session_meta")
      ? "Codex"
      : undefined;
  if (agent !== undefined)
    throw new FormatError(
      `this is a session of ${agent}, which works on files that are not in it; write the messages that matter as {"messages": [{"role": "user", "content": "…"}]}, a conversation per line`,
    );
}

/** garak reports attacks and the detectors' verdicts. */
function refuseAttacks(values: readonly unknown[]): void {
  const [first] = values.flat();
  if (
    textField(first, "entry_type") !== undefined &&
    hasAny("garak_version", "probe_classname", "_config.version", "garak")(first)
  )
    throw new FormatError("red teaming is not supported: this is a report of garak");
}

/** Botium scripts are plain text with a heading per speaker. */
function refuseBotium(text: string): void {
  const start = text.slice(0, 10_000);
  if (/^#me\b/m.test(start) && /^#bot\b/m.test(start))
    throw new FormatError(
      "Botium scripts are not supported; write the lines of #me and #bot into a table with the columns conversation_id, role and content",
    );
}

/** The format of a parsed file, whatever its syntax. `scenarios` is Rehearsal's own. */
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

/** Rules for the file as a whole; the first match decides. */
const wholeRules: readonly Rule[] = [
  ["openai-chat", "it is a list of messages", isMessageList],
  ["scenarios", "it has test_batch", has("test_batch")],
  [
    "scenarios",
    "it is an evaluation response",
    (value) => listField(field(value, "results"), "scenarios") !== undefined,
  ],
  ["tau-bench", "it has simulations of tasks", isTauBench],
  ["spans", "it has OpenTelemetry spans", (value) => !Array.isArray(value) && isSpans(value)],
  [
    "mlflow",
    "it is a trace of MLflow",
    (value) => isMlflowTrace(value) || isMlflowTrace(listField(value, "traces")?.[0]),
  ],
  [
    "langfuse",
    "it has traces with observations",
    (value) => isLangfuseTrace(value) || isLangfuseTrace(listField(value, "data", "traces")?.[0]),
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
    hasAny("prompts", "tests", "scenarios", "defaultTest", "providers", "targets", "redteam"),
  ],
];

/** Rules for the file's items; the first match decides. */
const itemRules: readonly Rule[] = [
  ["bfcl", "its items have a list of messages for each turn", isBfclQuestion],
  ["bfcl", "its items have the expected calls of questions", isBfclAnswer],
  ["tau-bench", "its items have trajectories with tasks", isTauBench],
  ["spans", "its items are OpenTelemetry spans", isSpans],
  ["mlflow", "its items are traces of MLflow", isMlflowTrace],
  ["langfuse", "its items are traces or observations", isLangfuseTrace],
  ["scenarios", "its items have interactions", hasList("interactions")],
  ["scenarios", "its items have interactions", (value) => recordField(value, "interactions") !== undefined],
  ["scenarios", "its items have a simulated user", (value) => has("goal")(recordField(value, "user"))],
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
  ["dialogues", "its items have utterances with speakers", isDialogue],
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
    // An Inspect sample has its answer under `target`.
    (value) => hasList("input")(value) && !hasAny("expected", "output")(value),
  ],
  ["rows", "its items are flat objects", (value) => isRecord(value)],
];

/** Undefined if no rule matches. */
function detectShape(values: readonly unknown[]): DetectedShape | undefined {
  const [first] = values;
  const whole = match(wholeRules, first);
  if (whole) return whole;
  const items = Array.isArray(first) ? (first as unknown[]) : values;
  // The first item that matches a specific format decides, so that one odd item does not.
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

/** Formats that are never the data of an eval: our own scenarios, and configurations or results of other tools. */
const neverEvalData: ReadonlySet<ImportFormat> = new Set([
  "json",
  "jsonl",
  "yaml",
  "promptfoo",
  "promptfoo-results",
  "inspect-log",
  "adk",
  "spans",
  "mlflow",
  "tau-bench",
  "bfcl",
]);

/** True for the questions of BFCL, or for their expected calls. Most files are ruled out without parsing them. */
export function bfclPart(file: DetectionSource): "questions" | "answers" | undefined {
  const start = file.text.slice(0, 2_000);
  if (/"question"\s*:\s*\[\s*\[/.test(start)) return "questions";
  if (!/"ground_truth"\s*:\s*\[/.test(start) || /"question"\s*:/.test(start)) return undefined;
  return detectOrUndefined(file)?.format === "bfcl" ? "answers" : undefined;
}

function detectOrUndefined(file: DetectionSource): Detected | undefined {
  try {
    return detectFormat(file);
  } catch (error) {
    // The import reports the error.
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
