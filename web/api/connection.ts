import { useSyncExternalStore } from "react";
import { fillAddress } from "../../src/contract/operations/addresses.ts";

/** The origin of a service that does not answer; null while all do. */
let unreachable: string | null = null;
const listeners = new Set<() => void>();

/** Every request reports its outcome here, so that all screens learn of an outage at once. */
export function reportConnection(origin: string, state: "reachable" | "unreachable"): void {
  const next = state === "unreachable" ? origin : unreachable === origin ? null : unreachable;
  if (next === unreachable) return;
  unreachable = next;
  for (const listener of listeners) listener();
}

/** True while a service does not answer: timers and polls then stop. */
export const isDisconnected = (): boolean => unreachable !== null;

const unreachableOrigin = (): string | null => unreachable;

export const useUnreachable = (): string | null =>
  useSyncExternalStore(subscribe, unreachableOrigin, unreachableOrigin);

/** Asks a service for a sign of life, with CORS as all requests: services refuse to be read without it. Any status will do. */
export async function probe(origin: string): Promise<void> {
  try {
    await fetch(new URL(fillAddress("getHealth").path, origin), { cache: "no-store", credentials: "omit" });
    reportConnection(origin, "reachable");
  } catch {
    // Still away.
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
