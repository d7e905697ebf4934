import { anyField, hasAnyField, hasFields, listField, recordField } from "../../documents/records.ts";
import { exportPromptfoo } from "../../export/scenarios/promptfoo.ts";
import { defineFormat } from "../../shared/define-format.ts";
import { importPromptfoo } from "./config.ts";
import { importPromptfooResults } from "./results.ts";
import { promptfooTables } from "./tables.ts";

export const promptfoo = defineFormat({
  id: "promptfoo",
  title: "promptfoo config (also what OpenAI Evals exports)",
  label: "promptfoo config",
  extensions: ["yaml", "json"],
  detect: [
    {
      of: "file",
      rank: 190,
      because: "it has prompts, providers or tests",
      holds: hasAnyField("prompts", "tests", "scenarios", "defaultTest", "providers", "targets", "redteam"),
    },
    { of: "item", rank: 370, because: "its items have vars or assertions", holds: hasAnyField("vars", "assert") },
  ],
  tables: promptfooTables,
  read: importPromptfoo,
  write: exportPromptfoo,
});

export const promptfooResults = defineFormat({
  id: "promptfoo-results",
  title: "promptfoo results",
  label: "promptfoo results",
  extensions: ["json", "jsonl"],
  detect: [
    { of: "file", rank: 110, because: "it has results with test cases", holds: isResults },
    {
      of: "item",
      rank: 120,
      because: "its items have a test case and a prompt",
      holds: hasFields("testCase", "prompt"),
    },
    {
      of: "item",
      rank: 130,
      because: "its items have promptIdx and testIdx",
      holds: hasFields("promptIdx", "testIdx"),
    },
  ],
  read: importPromptfooResults,
});

function isResults(value: unknown): boolean {
  const results = anyField(value, "results");
  const list = Array.isArray(results) ? (results as unknown[]) : listField(results, "results");
  if (list?.length === 0 && hasAnyField("prompts", "tests")(recordField(value, "config"))) return true;
  const [first] = list ?? [];
  return list !== undefined && (hasAnyField("prompt", "vars")(first) || hasFields("version")(results));
}
