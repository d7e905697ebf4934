import { Download } from "lucide-react";
import { downloadText } from "../parts/download-text.ts";
import { reportData } from "./report-data.ts";

/** All that is in the file, as JSON. */
export function ResultsFile() {
  const { run, results } = reportData();
  return (
    <button
      type="button"
      className="button"
      onClick={() => downloadText(`run-${run.run_id}.json`, JSON.stringify(results, null, 2), "application/json")}
    >
      <Download aria-hidden size={14} /> All results (JSON)
    </button>
  );
}
