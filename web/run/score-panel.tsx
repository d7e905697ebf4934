import { useMemo } from "react";
import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import { BreakdownPanel } from "./breakdown-panel.tsx";
import { DriftPanel } from "./drift-panel.tsx";
import { LabelTable } from "./label-table.tsx";
import { ScoreTable } from "./score-table.tsx";
import { scoreValues } from "./score-values.ts";

export default function ScorePanel({ results }: { results: EvaluationResponse }) {
  const values = useMemo(() => scoreValues(results), [results]);
  const stats = results.summary.score_stats;
  if (Object.keys(stats).length === 0) return <p className="panel p-4 text-soft">Nothing has been scored yet.</p>;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <ScoreTable stats={stats} values={values} />
      {results.summary.drift && <DriftPanel drift={results.summary.drift} />}
      {results.summary.breakdown && <BreakdownPanel breakdown={results.summary.breakdown} />}
      <LabelTable metrics={results.summary.label_metrics} />
    </div>
  );
}
