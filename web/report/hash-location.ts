import { useSyncExternalStore } from "react";
import { startAtTop } from "../parts/start-at-top.ts";
import { currentAddress } from "./current-address.ts";

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  addEventListener("popstate", listener);
  return () => {
    removeEventListener("hashchange", listener);
    removeEventListener("popstate", listener);
  };
}

/** Stands in for wouter's browser location: the same functions on the address behind the #. Going back, the browser finds the place. */
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
