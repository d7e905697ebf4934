import { useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** Whether anybody can see the page. A hidden one asks the services for nothing. */
export const useVisible = (): boolean => useSyncExternalStore(subscribe, () => document.visibilityState === "visible");
