import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../../src/contract/schemas/run.ts";
import { isEnded } from "../../parts/runs/run-facts.ts";
import { useSearchState } from "../../parts/address/search-state.ts";
import { WholeGrid } from "./attempt-grid.tsx";
import { PagedGrid } from "./paged-grid.tsx";
import { readRowFilter } from "./scenario-rows.ts";

interface ScenarioGridProps {
  readonly run: Run;
  /** Undefined for a large run, which is read page by page. */
  readonly results: EvaluationResponse | undefined;
}

/** The scenarios of a run, as the filter in the address selects them. */
export function ScenarioGrid({ run, results }: ScenarioGridProps) {
  const [params] = useSearchState();
  const filter = readRowFilter(params);
  const live = !isEnded(run.state);
  if (results) return <WholeGrid results={results} filter={filter} live={live} />;
  return <PagedGrid run={run} filter={filter} live={live} />;
}
