import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { listRuns, type RunFilters } from "../api.ts";
import { isEnded } from "../parts/run-state.ts";

/** Runs, newest first, page by page. Asked again every moment while one is under way and the tab is visible. */
export function useRunList(filters: RunFilters) {
  return useInfiniteQuery({
    queryKey: ["runs", filters],
    queryFn: ({ pageParam, signal }) => listRuns({ ...filters, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const underWay = state.data?.pages.some((page) => page.runs.some((run) => !isEnded(run.state)));
      return underWay ? 1500 : false;
    },
  });
}
