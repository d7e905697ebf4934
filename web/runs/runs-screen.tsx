import { Plus } from "lucide-react";
import { Link } from "wouter";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { NoMatch } from "./no-match.tsx";
import { RunFilterBar } from "./run-filter-bar.tsx";
import { RunTable } from "./run-table.tsx";
import { hasFilters, useRunFilters } from "./use-run-filters.ts";
import { useRunList } from "./use-run-list.ts";

export function RunsScreen() {
  const filters = useRunFilters();
  const list = useRunList(filters);
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  const filtered = hasFilters(filters);
  const nothingYet = list.isSuccess && runs.length === 0 && !filtered;

  return (
    <Screen
      title="Runs"
      actions={
        <Link href="/new" className="button button-primary">
          <Plus aria-hidden size={15} /> New run
        </Link>
      }
    >
      {!nothingYet && <RunFilterBar filters={filters} />}
      {list.isPending && <Skeleton rows={8} label="Loading runs" />}
      {list.isError && <FailedNotice error={list.error} onRetry={() => void list.refetch()} />}
      {nothingYet && <FirstSteps />}
      {list.isSuccess && runs.length === 0 && filtered && <NoMatch />}
      {runs.length > 0 && <RunTable runs={runs} />}
      {list.hasNextPage && (
        <button
          type="button"
          className="button justify-self-center"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {list.isFetchingNextPage ? "Loading …" : "Older runs"}
        </button>
      )}
    </Screen>
  );
}
