import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { isKeyRefused } from "../api-error.ts";
import { listRuns, type RunFilters } from "../api.ts";
import { isEnded } from "../parts/run-state.ts";
import { settledPage, type RunPages } from "./run-page.ts";

/** Runs, newest first, page by page. What may have changed is asked for every moment while a run is under way and the tab is visible. */
export function useRunList(filters: RunFilters) {
  return useInfiniteQuery({
    queryKey: ["runs", filters],
    queryFn: async ({ pageParam: cursor, signal, client, queryKey }) => {
      const now = Date.now();
      const settled = settledPage(client.getQueryState<RunPages>(queryKey), { cursor, now });
      return settled ?? { ...(await listRuns({ ...filters, cursor }, signal)), readAt: now };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const underWay = state.data?.pages.some((page) => page.runs.some((run) => !isEnded(run.state)));
      return underWay && !isKeyRefused(state.error) ? 1500 : false;
    },
  });
}
