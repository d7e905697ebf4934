import { useMutation } from "@tanstack/react-query";
import { ChevronDown, Download } from "lucide-react";
import type { Run } from "../../src/contract/run.ts";
import { exportRun } from "../api.ts";
import { downloadText } from "../parts/download-text.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Menu, MenuItem } from "../parts/menu.tsx";

const formats = [
  { id: "html", title: "Report, opens anywhere", extension: "html" },
  { id: "json", title: "All results", extension: "json" },
  { id: "jsonl", title: "JSON lines", extension: "jsonl" },
  { id: "csv", title: "Table", extension: "csv" },
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
      {download.error && <FailedNotice error={download.error} />}
      <Menu
        trigger={
          <>
            <Download aria-hidden size={14} /> {download.isPending ? "Exporting …" : "Export"}
            <ChevronDown aria-hidden size={14} className="max-sm:hidden" />
          </>
        }
      >
        {formats.map((format) => (
          <MenuItem
            key={format.id}
            note={`.${format.extension}`}
            disabled={download.isPending}
            onSelect={() => download.mutate(format)}
          >
            {format.title}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
