import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { fetchLibrary, type LibraryFilter } from "../api/library.ts";

/** The library, page by page, sorted by id. */
export const useLibrary = (filter: LibraryFilter) =>
  useInfiniteQuery({
    queryKey: ["library", "list", filter],
    queryFn: ({ pageParam, signal }) => fetchLibrary({ ...filter, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
