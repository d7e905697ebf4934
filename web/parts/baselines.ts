import { useSyncExternalStore } from "react";
import { onStored, tellStored } from "./stored-changes.ts";

/** The run others of the same test are measured against. Its score is kept, so that the run need not be listed. */
interface Baseline {
  readonly runId: string;
  readonly overall: number | null;
}

type Baselines = Readonly<Record<string, Baseline>>;

const key = "rehearsal.baselines";
let cache: { text: string | null; value: Baselines } = { text: null, value: parse(null) };

/** The same object for the same text, as React wants it. */
function read(): Baselines {
  const text = localStorage.getItem(key);
  if (text !== cache.text) cache = { text, value: parse(text) };
  return cache.value;
}

/** Holds nothing but what is pinned: a test may be called "constructor". */
function parse(text: string | null): Baselines {
  const pinned = Object.create(null) as Baselines;
  try {
    return Object.assign(pinned, JSON.parse(text ?? "{}"));
  } catch {
    return pinned;
  }
}

/** Pins a run for its test name, or takes the pin away. */
export function pinBaseline(testName: string, baseline: Baseline | null): void {
  const { [testName]: _before, ...others } = read();
  write(baseline ? { ...others, [testName]: baseline } : others);
}

/** Takes the pins off runs that are gone: nothing can be compared with them. */
export function unpinRuns(runIds: readonly string[]): void {
  const kept = Object.entries(read()).filter(([, { runId }]) => !runIds.includes(runId));
  write(Object.fromEntries(kept));
}

function write(baselines: Baselines): void {
  localStorage.setItem(key, JSON.stringify(baselines));
  tellStored();
}

/** The pinned runs by test name, kept in this browser. */
export const useBaselines = (): Baselines => useSyncExternalStore(onStored, read);
