import { exportScenarios } from "../library-api.ts";
import { DownloadMenu } from "../parts/download-menu.tsx";

const formats = [
  { id: "json", title: "Scenario JSON", extension: "json" },
  { id: "jsonl", title: "JSON lines", extension: "jsonl" },
  { id: "yaml", title: "YAML", extension: "yaml" },
  { id: "csv", title: "CSV table", extension: "csv" },
  { id: "openai-chat", title: "OpenAI chat", extension: "jsonl" },
  { id: "sharegpt", title: "ShareGPT", extension: "json" },
  { id: "promptfoo", title: "promptfoo", extension: "yaml" },
  { id: "openai-evals", title: "OpenAI Evals", extension: "jsonl" },
  { id: "inspect", title: "Inspect", extension: "jsonl" },
  { id: "deepeval", title: "DeepEval", extension: "json" },
  { id: "adk", title: "ADK", extension: "json" },
  { id: "langsmith", title: "LangSmith", extension: "json" },
  { id: "langfuse", title: "Langfuse", extension: "json" },
];

/** The whole library as a file, in the format chosen. */
export function ExportMenu() {
  return <DownloadMenu name="scenarios" formats={formats} read={exportScenarios} />;
}
