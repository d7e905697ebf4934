import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Durations, Rescored, Run } from "../../src/contract/schemas/run.ts";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { formatDate, formatDuration } from "../parts/text/format.ts";
import { runName } from "../parts/runs/run-facts.ts";
import { ResultsFile } from "./results-file.tsx";
import { RequestSettings } from "./run-settings.tsx";

const histories = {
  generated: "the model's own replies",
  reference: "the reference replies",
  both: "both: own replies and reference replies",
} as const;

/** The details tab: ids, times, settings. */
export function RunDetails({ run, results }: { run: Run; results: EvaluationResponse | undefined }) {
  const { latency_ms, first_token_ms, rescored } = run.summary ?? results?.summary ?? {};
  const facts: readonly (readonly [string, string])[] = [
    ["Test", runName(run)],
    ["Run", run.run_id],
    ["Endpoint", run.endpoint],
    ["Model", run.model_id],
    ["Created", formatDate(run.created_at)],
    ["Started", run.started_at ? formatDate(run.started_at) : "–"],
    ["Ended", run.finished_at ? formatDate(run.finished_at) : "–"],
    ...(rescored ? [["Scored again", rescoredText(rescored)] as const] : []),
    ...(latency_ms ? [["Latency", latencyText(latency_ms)] as const] : []),
    ...(first_token_ms ? [["Time to first token", latencyText(first_token_ms)] as const] : []),
    ...(results?.history ? [["History", histories[results.history]] as const] : []),
    ...(results ? [["Scoring version", results.scoring_version] as const] : []),
  ];
  return (
    <section aria-label="Details" className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <dl className="panel grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 p-4 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="mono verbatim">{value}</dd>
          </div>
        ))}
      </dl>
      <RequestSettings run={run} />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={run.run_id} label="Copy run id" />
        <ResultsFile />
      </div>
    </section>
  );
}

function rescoredText({ at, replaced, asked_models, partial }: Rescored): string {
  return [
    formatDate(at),
    ...(replaced.length > 0 ? [`replaced: ${replaced.join(", ")}`] : []),
    ...(asked_models ? ["judge, labeller and embedder ran again"] : []),
    ...(partial ? ["interrupted: some turns keep their old scores"] : []),
  ].join("; ");
}

const latencyText = ({ p50, p95, max }: Durations): string =>
  `p50 ${formatDuration(p50)} · p95 ${formatDuration(p95)} · max ${formatDuration(max)}`;
