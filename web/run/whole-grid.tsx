import { useMemo } from "react";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { AttemptGrid } from "./attempt-grid.tsx";
import type { RowFilter } from "./row-filter.ts";
import { wholeRows } from "./row-source.ts";

interface WholeGridProps {
  readonly results: EvaluationResponse;
  readonly filter: RowFilter;
  readonly live: boolean;
}

/** The grid of a run whose results are all here. */
export function WholeGrid({ results, filter: { status, text }, live }: WholeGridProps) {
  const source = useMemo(() => wholeRows(results, { status, text }), [results, status, text]);
  return <AttemptGrid runId={results.run_id} source={source} filter={{ status, text }} live={live} />;
}
