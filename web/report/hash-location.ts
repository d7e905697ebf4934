import { useSyncExternalStore } from "react";
import { startAtTop } from "../parts/browser/focus.ts";

/*
 * Replaces wouter's browser location and parts/address/current-address.ts: a report keeps its address behind the #, so that it
 * also works when opened from disk.
 */

export function currentAddress(): { path: string; search: string } {
  const [path = "", ...search] = location.hash.slice(1).split("?");
  return { path: path === "" ? "/" : path, search: search.length === 0 ? "" : `?${search.join("?")}` };
}

/** Scrolls to the top of a new screen. When going back, the browser restores the scroll position itself. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const { path } = currentAddress();
  if (replace) history.replaceState(null, "", `#${to}`);
  else history.pushState(null, "", `#${to}`);
  if (!replace && currentAddress().path !== path) startAtTop();
  dispatchEvent(new Event("popstate"));
}

export const usePathname = (): string => useSyncExternalStore(subscribe, () => currentAddress().path);

export const useSearch = (): string => useSyncExternalStore(subscribe, () => currentAddress().search);

export const useHashLocation = (): [string, typeof navigate] => [usePathname(), navigate];

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  addEventListener("popstate", listener);
  return () => {
    removeEventListener("hashchange", listener);
    removeEventListener("popstate", listener);
  };
}
