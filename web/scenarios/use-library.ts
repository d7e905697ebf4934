import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { listScenarios, type LibraryFilter } from "../library-api.ts";

/** The library, page by page, in order of id. */
export const useLibrary = (filter: LibraryFilter) =>
  useInfiniteQuery({
    queryKey: ["library", "list", filter],
    queryFn: ({ pageParam, signal }) => listScenarios({ ...filter, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
