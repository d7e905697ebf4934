import { FailedNotice } from "../parts/failed-notice.tsx";
import { failedTurns } from "../parts/failed-turns.ts";
import { fromSegment } from "../parts/paths.ts";
import { runTitle } from "../parts/run-title.ts";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useModelName } from "../parts/use-model-name.ts";
import { usePathSegments } from "../parts/use-path-segments.ts";
import { useSearchState } from "../parts/use-search-state.ts";
import { WarningList } from "../parts/warning-list.tsx";
import { isGone } from "./is-gone.ts";
import { isUnderWay } from "./is-under-way.ts";
import { RunActions } from "./run-actions.tsx";
import { RunFigures } from "./run-figures.tsx";
import { RunHeading } from "./run-heading.tsx";
import { readTab, RunTabs } from "./run-tabs.tsx";
import { RunTabContent } from "./run-tab-content.tsx";
import { useLiveRun } from "./use-live-run.ts";
import { isLarge, useResults, useRun } from "./use-run.ts";

/** One run. A large one is read page by page, any other whole. */
export default function RunScreen() {
  const id = fromSegment(usePathSegments()[1] ?? "");
  const [params] = useSearchState();
  const run = useRun(id);
  const nameOf = useModelName();
  const gone = isGone(run.error);
  const whole = run.data !== undefined && !isLarge(run.data);
  const results = useResults(id, { enabled: whole && !gone });
  useLiveRun(id, isUnderWay(run));

  if (!run.data || gone) {
    return (
      <Screen title="Run">
        {run.isError ? (
          <FailedNotice error={run.error} onRetry={() => void run.refetch()} />
        ) : (
          <Skeleton rows={10} label="Loading the run" />
        )}
      </Screen>
    );
  }

  const tab = readTab(params.get("tab"));
  // A service that cannot be reached fails both: that is said once.
  const trouble = run.isError ? run : results;
  return (
    <Screen
      title={runTitle(run.data, nameOf(run.data.model_id))}
      heading={<RunHeading run={run.data} />}
      actions={<RunActions run={run.data} />}
    >
      {trouble.isError && <FailedNotice error={trouble.error} onRetry={() => void trouble.refetch()} />}
      <RunFigures run={run.data} results={results.data} />
      <WarningList warnings={run.data.warnings} />
      <RunTabs tab={tab} failures={failedTurns(run.data).failed} />
      {whole && results.isPending ? (
        <Skeleton rows={8} label="Loading the results" />
      ) : (
        (results.data || !whole) && <RunTabContent tab={tab} run={run.data} results={results.data} />
      )}
    </Screen>
  );
}
