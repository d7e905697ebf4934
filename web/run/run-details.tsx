import { Download } from "lucide-react";
import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import type { Run } from "../../src/contract/run.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatDate } from "../parts/format.ts";
import { downloadText } from "../parts/download-text.ts";
import { ExportFormats } from "./export-formats.tsx";

export function RunDetails({ run, results }: { run: Run; results: EvaluationResponse }) {
  const facts: readonly (readonly [string, string])[] = [
    ["Run", run.run_id],
    ["Endpoint", run.endpoint],
    ["Model", run.model_id],
    ["Created", formatDate(run.created_at)],
    ["Started", run.started_at ? formatDate(run.started_at) : "–"],
    ["Ended", run.finished_at ? formatDate(run.finished_at) : "–"],
    ["Scoring version", results.scoring_version],
  ];
  return (
    <section aria-label="Details" className="grid gap-4">
      <dl className="panel grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 p-4 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="mono verbatim">{value}</dd>
          </div>
        ))}
      </dl>
      {results.warnings.length > 0 && (
        <div className="panel grid gap-1 p-4 text-sm">
          <h2 className="font-semibold">Warnings</h2>
          <ul className="grid gap-1">
            {results.warnings.map((warning) => (
              <li key={`${warning.pointer} ${warning.message}`} className="verbatim">
                <span className="mono">{warning.pointer}</span> {warning.message}
                {warning.suggestion && ` Did you mean ${warning.suggestion}?`}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          className="button"
          onClick={() => downloadText(`run-${run.run_id}.json`, JSON.stringify(results, null, 2), "application/json")}
        >
          <Download aria-hidden size={14} /> Download results (JSON)
        </button>
        <ExportFormats run={run} />
        <CopyButton text={run.run_id} label="Copy run id" />
      </div>
    </section>
  );
}
