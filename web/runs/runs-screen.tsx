import { GitCompareArrows, Plus } from "lucide-react";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { useBaselines } from "../parts/baselines.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { mainArea } from "../parts/main-area.ts";
import { MoreButton } from "../parts/more-button.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { SortedPartNote } from "../parts/sorted-part-note.tsx";
import { toggled } from "../parts/toggled.ts";
import { useEvent } from "../parts/use-event.ts";
import { useKeys } from "../parts/use-keys.ts";
import { useModelName } from "../parts/use-model-name.ts";
import { useRowKeys } from "../parts/use-row-keys.ts";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { compareChoice } from "./compare-choice.ts";
import { DemoNotice } from "./demo-notice.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { NoMatch } from "./no-match.tsx";
import { RunFilterBar } from "./run-filter-bar.tsx";
import { RunTable } from "./run-table.tsx";
import { hasFilters, useRunFilters, useTypedFilters } from "./use-run-filters.ts";
import { useRunList } from "./use-run-list.ts";

/** The list of runs; the filters and `?chosen=`, the ids of those to compare, stand in the address. */
export function RunsScreen() {
  const typed = useTypedFilters();
  const filters = useRunFilters(typed);
  const list = useRunList(filters);
  const [, navigate] = useLocation();
  const inAddress = useSearchState()[0].get("chosen");
  const chosen = useMemo(() => new Set(inAddress?.split(",")), [inAddress]);
  const runs = useMemo(() => list.data?.pages.flatMap((page) => page.runs) ?? [], [list.data]);
  const nameOf = useModelName();
  const models = useMemo(() => [...new Set(runs.map((run) => nameOf(run.model_id)))].toSorted(), [runs, nameOf]);
  const filtered = hasFilters(filters);
  const nothingYet = list.isSuccess && runs.length === 0 && !filtered;
  const choice = compareChoice(chosen, { runs, baselines: useBaselines() });
  const toggle = useEvent((id: string) => changeSearch({ chosen: [...toggled(chosen, id)].join(",") }));
  const chooseNone = (): void => {
    changeSearch({ chosen: null });
    // The button goes away.
    mainArea()?.focus();
  };
  useRowKeys();
  useKeys({ c: () => navigate(choice ?? "/compare"), x: toggleFocused });

  return (
    <Screen
      title="Runs"
      actions={
        <>
          {chosen.size > 0 && (
            <button type="button" className="button button-quiet" onClick={chooseNone}>
              Choose none
            </button>
          )}
          {runs.length + chosen.size > 1 && (
            <button
              type="button"
              className="button"
              disabled={!choice}
              title="Choose two runs or more, or one whose test has a pinned baseline"
              onClick={() => choice && navigate(choice)}
            >
              <GitCompareArrows aria-hidden size={15} /> Compare{chosen.size > 0 && ` ${chosen.size} selected`}
            </button>
          )}
          <Link href="/new" className="button button-primary">
            <Plus aria-hidden size={15} /> New run
          </Link>
        </>
      }
    >
      {!nothingYet && <RunFilterBar filters={typed} models={models} />}
      {runs.some((run) => run.demo) && <DemoNotice />}
      {list.isPending && <Skeleton rows={8} label="Loading runs" />}
      {list.isError && <FailedNotice error={list.error} onRetry={() => void list.refetch()} />}
      {nothingYet && <FirstSteps />}
      {list.isSuccess && runs.length === 0 && filtered && <NoMatch />}
      <SortedPartNote shown={runs.length} more={list.hasNextPage} />
      {runs.length > 0 && <RunTable runs={runs} chosen={chosen} onToggle={toggle} />}
      <MoreButton list={list}>Older runs</MoreButton>
    </Screen>
  );
}

/** The row whose link has the focus is chosen or let go. */
function toggleFocused(): void {
  document.activeElement?.closest("tr")?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
}
