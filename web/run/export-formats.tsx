import type { Run } from "../../src/contract/schemas/run.ts";
import { exportRun } from "../api.ts";
import { DownloadMenu } from "../parts/download-menu.tsx";

const formats = [
  { id: "html", title: "Report, opens anywhere", extension: "html" },
  { id: "json", title: "All results", extension: "json" },
  { id: "jsonl", title: "JSON lines", extension: "jsonl" },
  { id: "csv", title: "Table", extension: "csv" },
  { id: "junit", title: "JUnit", extension: "xml" },
  { id: "markdown", title: "Markdown", extension: "md" },
  { id: "sft", title: "Fine-tuning (SFT)", extension: "jsonl" },
  { id: "dpo", title: "Preferences (DPO)", extension: "jsonl" },
];

/** The run as a file of another format. */
export function ExportFormats({ run: { run_id } }: { run: Run }) {
  return <DownloadMenu name={`run-${run_id}`} formats={formats} read={(format) => exportRun(run_id, format)} />;
}
