import { useCallback, useMemo } from "react";
import { navigate, usePathname, useSearch } from "wouter/use-browser-location";
import { currentAddress } from "./current-address.ts";

type SearchChanges = Readonly<Record<string, string | null>>;

/** Changes query parameters; null or "" removes one. The encoded path stays unchanged. */
export function changeSearch(changes: SearchChanges, { replace = true }: { replace?: boolean } = {}): void {
  const { path, search: before } = currentAddress();
  const params = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  const search = params.toString();
  if (search === before.replace(/^\?/, "")) return;
  navigate(path + (search ? `?${search}` : ""), { replace });
}

/** View state in the query of the address, so that a copied link opens the same view. */
export function useSearchState(): [URLSearchParams, typeof changeSearch] {
  const search = useSearch();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  return [params, useCallback(changeSearch, [])];
}

/** The segments of the path, still encoded. */
export const usePathSegments = (): string[] => usePathname().split("/").slice(1);
