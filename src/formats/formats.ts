import { createJunit } from "./export/results/junit.ts";
import { createMarkdown } from "./export/results/markdown.ts";
import { createResultCsv, createResultLines } from "./export/results/interactions.ts";
import type { ResultExport } from "./export/results/result-export.ts";
import { createDpoLines, createSftLines } from "./export/results/training-lines.ts";
import { adk } from "./import/adk.ts";
import { bfcl, tauBench } from "./import/agent-benchmarks.ts";
import { csv, tsv } from "./import/csv.ts";
import { deepEval } from "./import/deepeval.ts";
import { dialogues } from "./import/dialogues.ts";
import { inspect, inspectLog } from "./import/inspect.ts";
import { langfuse } from "./import/langfuse.ts";
import { langSmith } from "./import/langsmith.ts";
import { openaiChat } from "./import/openai-chat.ts";
import { openaiEvals } from "./import/openai-evals/openai-evals.ts";
import { promptfoo, promptfooResults } from "./import/promptfoo/promptfoo.ts";
import { json, jsonl, yaml } from "./import/rehearsal.ts";
import { rows } from "./import/rows.ts";
import { shareGpt } from "./import/sharegpt.ts";
import { mlflow } from "./import/traces/mlflow.ts";
import { spans } from "./import/traces/spans.ts";
import type { ScenarioFormat } from "./shared/define-format.ts";

export type { ScenarioFormat } from "./shared/define-format.ts";

/** Every format of scenarios, in the order of the help, the reference and the page. */
export const scenarioFormats: readonly ScenarioFormat[] = [
  json,
  jsonl,
  yaml,
  csv,
  tsv,
  rows,
  openaiChat,
  shareGpt,
  promptfoo,
  promptfooResults,
  openaiEvals,
  inspect,
  inspectLog,
  deepEval,
  adk,
  langSmith,
  langfuse,
  mlflow,
  spans,
  dialogues,
  bfcl,
  tauBench,
];

/** A format that the results of a run can be exported to. */
export interface ResultFormat {
  readonly id: string;
  readonly title: string;
  readonly extension: string;
  readonly contentType: string;
  readonly create: () => ResultExport;
}

export const resultFormats = [
  {
    id: "jsonl",
    title: "One interaction per line",
    extension: "jsonl",
    contentType: "application/x-ndjson",
    create: createResultLines,
  },
  {
    id: "csv",
    title: "One interaction per row",
    extension: "csv",
    contentType: "text/csv; charset=utf-8",
    create: createResultCsv,
  },
  {
    id: "junit",
    title: "JUnit XML, a test case per scenario",
    extension: "xml",
    contentType: "application/xml",
    create: createJunit,
  },
  {
    id: "markdown",
    title: "Markdown summary",
    extension: "md",
    contentType: "text/markdown; charset=utf-8",
    create: createMarkdown,
  },
  {
    id: "sft",
    title: "Fine-tuning lines from good replies",
    extension: "jsonl",
    contentType: "application/x-ndjson",
    create: createSftLines,
  },
  {
    id: "dpo",
    title: "Preference pairs from attempts",
    extension: "jsonl",
    contentType: "application/x-ndjson",
    create: createDpoLines,
  },
] as const satisfies readonly ResultFormat[];
