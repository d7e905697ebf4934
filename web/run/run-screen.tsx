import { FailedNotice } from "../parts/failed-notice.tsx";
import { fromSegment } from "../parts/paths.ts";
import { lazyView } from "../parts/lazy-view.tsx";
import { isEnded } from "../parts/run-state.ts";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { usePathSegments } from "../parts/use-path-segments.ts";
import { useSearchState } from "../parts/use-search-state.ts";
import { AttemptGrid } from "./attempt-grid.tsx";
import { FailureCauses } from "./failure-causes.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunDetails } from "./run-details.tsx";
import { RunFigures } from "./run-figures.tsx";
import { RunHeading } from "./run-heading.tsx";
import { readTab, RunTabs } from "./run-tabs.tsx";
import { useLiveRun } from "./use-live-run.ts";
import { useResults, useRun } from "./use-run.ts";

const ScorePanel = lazyView(() => import("./score-panel.tsx"));

export default function RunScreen() {
  const id = fromSegment(usePathSegments()[1] ?? "");
  const [params] = useSearchState();
  const run = useRun(id);
  const results = useResults(id);
  useLiveRun(id, run.data !== undefined && !isEnded(run.data.state));

  if (run.isError && !run.data) {
    return (
      <Screen title="Run">
        <FailedNotice error={run.error} onRetry={() => void run.refetch()} />
      </Screen>
    );
  }
  if (!run.data) {
    return (
      <Screen title="Run">
        <Skeleton rows={10} label="Loading the run" />
      </Screen>
    );
  }

  const tab = readTab(params.get("tab"));
  return (
    <Screen title={run.data.test_name} heading={<RunHeading run={run.data} />} actions={<RunActions run={run.data} />}>
      <RunFigures run={run.data} results={results.data} />
      <RunTabs tab={tab} failures={run.data.progress.interactions_failed} />
      {results.isError && <FailedNotice error={results.error} onRetry={() => void results.refetch()} />}
      {results.isPending && <Skeleton rows={8} label="Loading the results" />}
      {results.data && (
        <>
          {tab === "scenarios" && <AttemptGrid results={results.data} live={!isEnded(run.data.state)} />}
          {tab === "scores" && (
            <ScorePanel results={results.data} fallback={<Skeleton rows={6} label="Loading the scores" />} />
          )}
          {tab === "failures" && <FailureCauses results={results.data} />}
          {tab === "details" && <RunDetails run={run.data} results={results.data} />}
        </>
      )}
    </Screen>
  );
}
