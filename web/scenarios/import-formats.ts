/** What the service reads. `auto` looks at the content. */
export const importFormats = [
  { id: "auto", title: "Find out by itself" },
  { id: "json", title: "Scenario JSON" },
  { id: "jsonl", title: "Scenario JSON lines" },
  { id: "yaml", title: "Scenario YAML" },
  { id: "csv", title: "CSV table" },
  { id: "tsv", title: "Tab-separated table" },
  { id: "rows", title: "Flat JSON objects" },
  { id: "openai-chat", title: "OpenAI chat" },
  { id: "sharegpt", title: "ShareGPT" },
  { id: "promptfoo", title: "promptfoo config" },
  { id: "promptfoo-results", title: "promptfoo results" },
  { id: "openai-evals", title: "OpenAI Evals" },
  { id: "inspect", title: "Inspect samples" },
  { id: "inspect-log", title: "Inspect log" },
  { id: "deepeval", title: "DeepEval" },
  { id: "adk", title: "ADK eval set" },
  { id: "langsmith", title: "LangSmith" },
  { id: "langfuse", title: "Langfuse" },
] as const;

/** Formats whose columns may need a name: what is the question, what the answer? */
export const isTable = (format: string): boolean => ["csv", "tsv", "rows"].includes(format);
