import { useMutation } from "@tanstack/react-query";
import { ChevronDown, Download } from "lucide-react";
import { exportScenarios } from "../library-api.ts";
import { downloadText } from "../parts/download-text.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Menu, MenuItem } from "../parts/menu.tsx";

const formats = [
  { id: "json", title: "Scenario JSON", extension: "json" },
  { id: "jsonl", title: "JSON lines", extension: "jsonl" },
  { id: "yaml", title: "YAML", extension: "yaml" },
  { id: "csv", title: "CSV table", extension: "csv" },
  { id: "openai-chat", title: "OpenAI chat", extension: "jsonl" },
  { id: "sharegpt", title: "ShareGPT", extension: "json" },
  { id: "promptfoo", title: "promptfoo", extension: "yaml" },
  { id: "inspect", title: "Inspect", extension: "jsonl" },
  { id: "langsmith", title: "LangSmith", extension: "jsonl" },
  { id: "langfuse", title: "Langfuse", extension: "jsonl" },
] as const;

/** The whole library as a file, in the format chosen. */
export function ExportMenu() {
  const download = useMutation({
    mutationFn: async (format: (typeof formats)[number]) =>
      downloadText(`scenarios.${format.extension}`, await exportScenarios(format.id)),
  });
  return (
    <>
      {download.error && <FailedNotice error={download.error} />}
      <Menu
        trigger={
          <>
            <Download aria-hidden size={14} /> Export <ChevronDown aria-hidden size={14} />
          </>
        }
      >
        {formats.map((format) => (
          <MenuItem key={format.id} note={`.${format.extension}`} onSelect={() => download.mutate(format)}>
            {format.title}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
