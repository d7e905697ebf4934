import { GitCompareArrows, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Run } from "../../src/contract/run.ts";
import { useBaselines } from "../parts/baselines.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { mainArea } from "../parts/main-area.ts";
import { MoreButton } from "../parts/more-button.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { SortedPartNote } from "../parts/sorted-part-note.tsx";
import { useEvent } from "../parts/use-event.ts";
import { useKeys } from "../parts/use-keys.ts";
import { useModelName } from "../parts/use-model-name.ts";
import { useRowKeys } from "../parts/use-row-keys.ts";
import { compareChoice } from "./compare-choice.ts";
import { DemoNotice } from "./demo-notice.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { NoMatch } from "./no-match.tsx";
import { RunFilterBar } from "./run-filter-bar.tsx";
import { RunTable } from "./run-table.tsx";
import { hasFilters, useRunFilters, useTypedFilters } from "./use-run-filters.ts";
import { useRunList } from "./use-run-list.ts";

export function RunsScreen() {
  const typed = useTypedFilters();
  const filters = useRunFilters(typed);
  const list = useRunList(filters);
  const [, navigate] = useLocation();
  /** Kept whole: a search may leave them out of the list. */
  const [chosen, setChosen] = useState<readonly Run[]>([]);
  const runs = useMemo(() => list.data?.pages.flatMap((page) => page.runs) ?? [], [list.data]);
  const nameOf = useModelName();
  const models = useMemo(() => [...new Set(runs.map((run) => nameOf(run.model_id)))].toSorted(), [runs, nameOf]);
  const filtered = hasFilters(filters);
  const nothingYet = list.isSuccess && runs.length === 0 && !filtered;
  const choice = compareChoice(chosen, useBaselines());
  const chosenIds = useMemo(() => new Set(chosen.map((run) => run.run_id)), [chosen]);
  const toggle = useEvent((id: string) =>
    setChosen([
      ...chosen.filter((run) => run.run_id !== id),
      ...runs.filter((run) => run.run_id === id && !chosenIds.has(id)),
    ]),
  );
  const chooseNone = (): void => {
    setChosen([]);
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
          {chosen.length > 0 && (
            <button type="button" className="button button-quiet" onClick={chooseNone}>
              Choose none
            </button>
          )}
          {runs.length + chosen.length > 1 && (
            <button
              type="button"
              className="button"
              disabled={!choice}
              title="Choose two runs or more, or one whose test has a pinned baseline"
              onClick={() => choice && navigate(choice)}
            >
              <GitCompareArrows aria-hidden size={15} /> Compare{chosen.length > 0 && ` ${chosen.length} selected`}
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
      {runs.length > 0 && <RunTable runs={runs} chosen={chosenIds} onToggle={toggle} />}
      <MoreButton list={list}>Older runs</MoreButton>
    </Screen>
  );
}

/** The row whose link has the focus is chosen or let go. */
function toggleFocused(): void {
  document.activeElement?.closest("tr")?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
}
