import { useCallback, useMemo } from "react";
import { navigate, useSearch } from "wouter/use-browser-location";
import { currentAddress } from "./current-address.ts";

type Changes = Readonly<Record<string, string | null>>;

/** Puts changes into the address: null or "" removes a name. The path is left exactly as it is encoded. */
export function changeSearch(changes: Changes, { replace = true }: { replace?: boolean } = {}): void {
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

/** The query of the address as state, so that a copied link is the view. */
export function useSearchState(): [URLSearchParams, typeof changeSearch] {
  const search = useSearch();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  return [params, useCallback(changeSearch, [])];
}
