import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import type { Run } from "../../../src/contract/schemas/run.ts";
import type { RunScenarioList } from "../../../src/contract/schemas/run-scenarios.ts";
import { ApiError } from "../../api/api-error.ts";
import { fetchRunScenarios } from "../../api/runs.ts";
import { FailedNotice } from "../../parts/screen/notices.tsx";
import { Skeleton } from "../../parts/screen/screen.tsx";
import { useResults } from "../use-run.ts";
import { AttemptGrid, WholeGrid } from "./attempt-grid.tsx";
import { fromRunScenario, type RowFilter, type RowSource } from "./scenario-rows.ts";

interface PagedGridProps {
  readonly run: Run;
  readonly filter: RowFilter;
  readonly live: boolean;
}

/** The grid of a large run: loads only the rows on screen. Loads all results if the service has no paged list. */
export function PagedGrid({ run, filter, live }: PagedGridProps) {
  const runId = run.run_id;
  const { source, error, refetch } = usePagedRows(run, filter);
  if (source) {
    return (
      <>
        {error && (
          // Sticky, because the missing rows may be far down.
          <div className="sticky top-2 z-10">
            <FailedNotice error={error} onRetry={refetch} />
          </div>
        )}
        <AttemptGrid runId={runId} source={source} filter={filter} live={live} />
      </>
    );
  }
  if (error instanceof ApiError && error.status === 404)
    return <UnpagedGrid runId={runId} filter={filter} live={live} />;
  if (error) return <FailedNotice error={error} onRetry={refetch} />;
  return <Skeleton rows={8} label="Loading the scenarios" />;
}

const pageSize = 100;

interface PagedRows {
  /** Null until the first page is loaded. */
  readonly source: RowSource | null;
  readonly error: Error | null;
  readonly refetch: () => void;
}

/** The rows on screen, loaded page by page. The first page is always kept: it has the total. */
function usePagedRows({ run_id: runId, summary }: Run, { status, text, sort }: RowFilter): PagedRows {
  const [pages, setPages] = useState<readonly number[]>([]);
  const showRange = useCallback((first: number, last: number) => {
    const wanted = pagesBetween(first, last);
    setPages((known) => (known.join() === wanted.join() ? known : wanted));
  }, []);
  const pageOf = (page: number) => ({
    queryKey: ["rows", runId, status ?? "", text, sort ?? "", page],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      fetchRunScenarios(runId, { status, search: text, sort, offset: page * pageSize, limit: pageSize }, signal),
    staleTime: 10_000,
  });
  const first = useQuery({
    ...pageOf(0),
    // The list stays while a new filter loads, and with it the focused filter field.
    placeholderData: (before: RunScenarioList | undefined, query) =>
      query?.queryKey[1] === runId ? before : undefined,
  });
  const others = useQueries({ queries: pages.map(pageOf) });
  return joinPages([first, ...others], { summary, showRange });
}

/** The pages of a range, except the first page. */
function pagesBetween(first: number, last: number): number[] {
  const start = Math.floor(Math.max(0, first) / pageSize);
  const end = Math.floor(Math.max(0, last) / pageSize);
  const between = Array.from({ length: end - start + 1 }, (_, place) => start + place);
  return between.filter((page) => page > 0);
}

function joinPages(
  queries: readonly UseQueryResult<RunScenarioList>[],
  { summary, showRange }: { summary: Run["summary"]; showRange: NonNullable<RowSource["showRange"]> },
): PagedRows {
  const failed = queries.filter(({ error }) => error !== null);
  const first = queries[0]?.data;
  const rows = new Map(
    queries.flatMap(({ data }) =>
      (data?.scenarios ?? []).map(
        (row, place) => [(data?.offset ?? 0) + place, fromRunScenario(row, summary?.always_failing)] as const,
      ),
    ),
  );
  const noReply = summary?.scenarios?.no_reply;
  return {
    source: first
      ? { total: first.total, counts: first.counts, noReply, rowAt: (index) => rows.get(index), showRange }
      : null,
    error: failed[0]?.error ?? null,
    refetch: () => failed.forEach((query) => void query.refetch()),
  };
}

function UnpagedGrid({ runId, filter, live }: { runId: string; filter: RowFilter; live: boolean }) {
  const results = useResults(runId);
  if (results.data) return <WholeGrid results={results.data} filter={filter} live={live} />;
  if (results.error) return <FailedNotice error={results.error} onRetry={() => void results.refetch()} />;
  return <Skeleton rows={8} label="Loading the results" />;
}
