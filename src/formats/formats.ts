import { createJunit } from "./export/results/junit.ts";
import { createMarkdown } from "./export/results/markdown.ts";
import { createResultCsv, createResultLines } from "./export/results/interactions.ts";
import type { ResultExport } from "./export/results/result-export.ts";
import { exportOpenaiChat, exportShareGpt } from "./export/scenarios/chats.ts";
import { exportOpenaiEvals } from "./export/scenarios/openai-evals.ts";
import { exportPromptfoo } from "./export/scenarios/promptfoo.ts";
import {
  exportScenarioCsv,
  exportScenarioJson,
  exportScenarioLines,
  exportScenarioYaml,
} from "./export/scenarios/rehearsal.ts";
import { createDpoLines, createSftLines } from "./export/results/training-lines.ts";
import type { ExportResult, FileScenario, ImportFormat } from "./scenario-file.ts";

/** A format that scenarios can be imported from, exported to, or both. */
export interface ScenarioFormat {
  readonly id: ImportFormat;
  readonly title: string;
  readonly extensions: readonly string[];
  readonly imports: boolean;
  /** Writes the syntax of the first extension, or that of `ending` if it is another of them. */
  readonly export?: (scenarios: readonly FileScenario[], ending?: string) => ExportResult;
}

/** Every scenario format, for the CLI's help, the docs and the page. */
export const scenarioFormats = [
  {
    id: "json",
    title: "Scenario JSON (test_batch, evaluation request, or a list)",
    extensions: ["json"],
    imports: true,
    export: exportScenarioJson,
  },
  {
    id: "jsonl",
    title: "Scenario JSON lines",
    extensions: ["jsonl", "ndjson"],
    imports: true,
    export: exportScenarioLines,
  },
  {
    id: "yaml",
    title: "Scenario YAML (one or many documents)",
    extensions: ["yaml", "yml"],
    imports: true,
    export: exportScenarioYaml,
  },
  {
    id: "csv",
    title: "CSV table (a row per turn, or per question)",
    extensions: ["csv"],
    imports: true,
    export: exportScenarioCsv,
  },
  { id: "tsv", title: "Tab-separated table", extensions: ["tsv", "tab"], imports: true },
  { id: "rows", title: "Flat JSON objects with column mapping", extensions: ["json", "jsonl", "yaml"], imports: true },
  {
    id: "openai-chat",
    title: "OpenAI chat JSON lines (messages)",
    extensions: ["jsonl"],
    imports: true,
    export: exportOpenaiChat,
  },
  {
    id: "sharegpt",
    title: "ShareGPT conversations",
    extensions: ["json", "jsonl"],
    imports: true,
    export: exportShareGpt,
  },
  {
    id: "promptfoo",
    title: "promptfoo config (also what OpenAI Evals exports)",
    extensions: ["yaml", "json"],
    imports: true,
    export: exportPromptfoo,
  },
  { id: "promptfoo-results", title: "promptfoo results", extensions: ["json", "jsonl"], imports: true },
  {
    id: "openai-evals",
    title: "OpenAI Evals: evals with graders, runs, data, output items",
    extensions: ["jsonl", "json"],
    imports: true,
    export: exportOpenaiEvals,
  },
  { id: "inspect", title: "Inspect samples", extensions: ["jsonl", "json"], imports: true },
  { id: "inspect-log", title: "Inspect eval log in JSON", extensions: ["json"], imports: true },
  {
    id: "deepeval",
    title: "DeepEval goldens and test cases",
    extensions: ["json", "jsonl"],
    imports: true,
  },
  { id: "adk", title: "ADK eval sets", extensions: ["json", "evalset.json"], imports: true },
  {
    id: "langsmith",
    title: "LangSmith dataset examples and runs",
    extensions: ["json", "jsonl"],
    imports: true,
  },
  {
    id: "langfuse",
    title: "Langfuse dataset items and traces",
    extensions: ["json", "jsonl"],
    imports: true,
  },
  { id: "mlflow", title: "MLflow traces", extensions: ["json", "jsonl"], imports: true },
  {
    id: "spans",
    title: "OpenTelemetry spans (OTLP JSON, Phoenix; GenAI and OpenInference attributes)",
    extensions: ["json", "jsonl"],
    imports: true,
  },
  {
    id: "dialogues",
    title: "Dialogue datasets (Taskmaster, Schema-Guided Dialogue)",
    extensions: ["json", "jsonl"],
    imports: true,
  },
  { id: "bfcl", title: "Berkeley Function-Calling Leaderboard", extensions: ["json", "jsonl"], imports: true },
  { id: "tau-bench", title: "tau-bench trajectories", extensions: ["json"], imports: true },
] as const satisfies readonly ScenarioFormat[];

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
