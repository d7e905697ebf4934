import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { listRunScenarios } from "../api.ts";
import type { RowFilter } from "./row-filter.ts";
import type { RowSource } from "./row-source.ts";
import type { RunScenarioList } from "./run-scenario-list.ts";
import { fromRunScenario } from "./scenario-rows.ts";

const pageSize = 100;

interface PagedRows {
  /** Null until the first page is there. */
  readonly source: Omit<RowSource, "show"> | null;
  readonly error: Error | null;
  readonly refetch: () => void;
}

/** The rows on screen, read from the service page by page. The first page is always kept: it tells how many there are. */
export function usePagedRows(runId: string, { status, text }: RowFilter): PagedRows & Pick<RowSource, "show"> {
  const [pages, setPages] = useState<readonly number[]>([]);
  const show = useCallback((first: number, last: number) => {
    const wanted = pagesBetween(first, last);
    setPages((known) => (known.join() === wanted.join() ? known : wanted));
  }, []);
  const pageOf = (page: number) => ({
    queryKey: ["rows", runId, status ?? "", text, page],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      listRunScenarios(runId, { status, search: text, offset: page * pageSize, limit: pageSize }, signal),
    staleTime: 10_000,
  });
  const first = useQuery({
    ...pageOf(0),
    // What is listed stays while another filter is read, and with it the field that is being typed in.
    placeholderData: (before: RunScenarioList | undefined, query) =>
      query?.queryKey[1] === runId ? before : undefined,
  });
  const others = useQueries({ queries: pages.map(pageOf) });
  return { ...joinPages([first, ...others]), show };
}

/** The pages beside the first. */
function pagesBetween(first: number, last: number): number[] {
  const start = Math.floor(Math.max(0, first) / pageSize);
  const end = Math.floor(Math.max(0, last) / pageSize);
  const between = Array.from({ length: end - start + 1 }, (_, place) => start + place);
  return between.filter((page) => page > 0);
}

function joinPages(queries: readonly UseQueryResult<RunScenarioList>[]): PagedRows {
  const failed = queries.filter(({ error }) => error !== null);
  const first = queries[0]?.data;
  const rows = new Map(
    queries.flatMap(({ data }) =>
      (data?.scenarios ?? []).map((row, place) => [(data?.offset ?? 0) + place, fromRunScenario(row)] as const),
    ),
  );
  return {
    source: first ? { total: first.total, counts: first.counts, rowAt: (index) => rows.get(index) } : null,
    error: failed[0]?.error ?? null,
    refetch: () => failed.forEach((query) => void query.refetch()),
  };
}
