import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { Run } from "../../src/contract/run.ts";
import { exportRun } from "../api.ts";
import { downloadText } from "../parts/download-text.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";

const formats = [
  { id: "html", title: "Report (one HTML file)", extension: "html" },
  { id: "jsonl", title: "JSON lines", extension: "jsonl" },
  { id: "csv", title: "CSV", extension: "csv" },
  { id: "junit", title: "JUnit", extension: "xml" },
  { id: "markdown", title: "Markdown", extension: "md" },
] as const;

/** The run as a file of another format, made by the service. */
export function ExportFormats({ run }: { run: Run }) {
  const download = useMutation({
    mutationFn: async ({ id, extension }: (typeof formats)[number]) =>
      downloadText(`run-${run.run_id}.${extension}`, await exportRun(run.run_id, id)),
  });
  return (
    <>
      {formats.map((format) => (
        <button
          key={format.id}
          type="button"
          className="button"
          disabled={download.isPending}
          onClick={() => download.mutate(format)}
        >
          <Download aria-hidden size={14} /> {format.title}
        </button>
      ))}
      {download.error && <FailedNotice error={download.error} />}
    </>
  );
}
