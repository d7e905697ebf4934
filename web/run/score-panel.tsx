import { useMemo } from "react";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { isEnded } from "../parts/run-state.ts";
import { attemptAverages } from "./attempt-averages.ts";
import { BreakdownPanel } from "./breakdown-panel.tsx";
import { DigestView } from "./digest-view.tsx";
import { DriftPanel } from "./drift-panel.tsx";
import { LabelTable } from "./label-table.tsx";
import { onlyCounted } from "./only-counted.ts";
import { ScoreTable } from "./score-table.tsx";
import { UnscoredCauses } from "./unscored-causes.tsx";

/** How good the replies were: every score, where it is low, and how labels were mixed up. */
export default function ScorePanel({ run, results }: { run: Run; results: EvaluationResponse | undefined }) {
  const averages = useMemo(() => attemptAverages(results), [results]);
  const summary = run.summary ?? results?.summary;
  if (!summary || Object.keys(summary.score_stats).length === 0) {
    return <p className="panel p-4 text-soft">{emptyWords(run)}</p>;
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <DigestView run={run} results={results}>
        {(digest) => (
          <>
            {digest && <UnscoredCauses runId={run.run_id} digest={digest} />}
            <ScoreTable stats={summary.score_stats} bins={digest?.bins ?? null} averages={averages} />
          </>
        )}
      </DigestView>
      {summary.drift && <DriftPanel drift={summary.drift} />}
      {summary.breakdown && <BreakdownPanel breakdown={summary.breakdown} />}
      <LabelTable metrics={summary.label_metrics} />
    </div>
  );
}

function emptyWords(run: Run): string {
  if (onlyCounted(run)) return "The scores of a run of this size are shown when it has ended.";
  return isEnded(run.state) ? "Nothing could be scored." : "Nothing has been scored yet.";
}
