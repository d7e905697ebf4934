import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { lazyView } from "../parts/lazy-view.tsx";
import { isEnded } from "../parts/run-state.ts";
import { Skeleton } from "../parts/skeleton.tsx";
import { useSearchState } from "../parts/use-search-state.ts";
import { DigestView } from "./digest-view.tsx";
import { FailureCauses, NoFailures } from "./failure-causes.tsx";
import { PagedGrid } from "./paged-grid.tsx";
import { readRowFilter } from "./row-filter.ts";
import { RunDetails } from "./run-details.tsx";
import type { RunTab } from "./run-tabs.tsx";
import { WholeGrid } from "./whole-grid.tsx";

const ScorePanel = lazyView(() => import("./score-panel.tsx"));

interface RunTabContentProps {
  readonly tab: RunTab;
  readonly run: Run;
  /** Undefined for a large run. */
  readonly results: EvaluationResponse | undefined;
}

export function RunTabContent({ tab, run, results }: RunTabContentProps) {
  const [params] = useSearchState();
  const filter = readRowFilter(params);
  const live = !isEnded(run.state);
  switch (tab) {
    case "scenarios":
      return results ? (
        <WholeGrid results={results} filter={filter} live={live} />
      ) : (
        <PagedGrid runId={run.run_id} filter={filter} live={live} />
      );
    case "scores":
      return <ScorePanel run={run} results={results} fallback={<Skeleton rows={6} label="Loading the scores" />} />;
    case "failures":
      // What nothing has failed of need not be gone through, however many turns it has.
      return !live && run.progress.interactions_failed === 0 ? (
        <NoFailures turns={run.progress.interactions_done} />
      ) : (
        <DigestView run={run} results={results}>
          {(digest) => digest && <FailureCauses runId={run.run_id} digest={digest} />}
        </DigestView>
      );
    case "details":
      return <RunDetails run={run} results={results} />;
  }
}
