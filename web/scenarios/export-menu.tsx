import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { exportScenarios } from "../library-api.ts";
import { downloadText } from "../parts/download-text.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { ModalDialog } from "../parts/modal-dialog.tsx";

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
  const [open, setOpen] = useState(false);
  const download = useMutation({
    mutationFn: async (format: (typeof formats)[number]) =>
      downloadText(`scenarios.${format.extension}`, await exportScenarios(format.id)),
    onSuccess: () => setOpen(false),
  });
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <Download aria-hidden size={14} /> Export
      </button>
      {open && (
        <ModalDialog title="Export the whole library" onClose={() => setOpen(false)}>
          {download.error && <FailedNotice error={download.error} />}
          <ul className="grid grid-cols-2 gap-2">
            {formats.map((format) => (
              <li key={format.id} className="grid">
                <button
                  type="button"
                  className="button justify-start"
                  disabled={download.isPending}
                  onClick={() => download.mutate(format)}
                >
                  {format.title} <span className="mono ml-auto text-soft">.{format.extension}</span>
                </button>
              </li>
            ))}
          </ul>
        </ModalDialog>
      )}
    </>
  );
}
