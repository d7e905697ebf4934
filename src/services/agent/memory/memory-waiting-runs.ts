import type { WaitingRun, WaitingRuns } from "../../../contract/agent-approval.ts";
import { ExpiringMap } from "./expiring-map.ts";

/** Runs that wait for approval, for as long as the process lives. */
export function createMemoryWaitingRuns({
  maxRuns = 1000,
  maxCharacters = 32 * 1024 * 1024,
  now = Date.now,
}: { maxRuns?: number; maxCharacters?: number; now?: () => number } = {}): WaitingRuns {
  // Each run brings its own time; the map only bounds how much there is.
  const runs = new ExpiringMap<WaitingRun>({
    ttlMs: Number.POSITIVE_INFINITY,
    maxEntries: maxRuns,
    maxSize: maxCharacters,
    // Plain JSON that is put here once in a while: measuring it costs less than guessing wrong.
    sizeOf: ({ state }) => JSON.stringify(state).length,
    now,
  });

  return {
    async put(id, run) {
      runs.set(id, run);
    },
    async take(id, owner) {
      const run = runs.get(id);
      if (!run || run.owner !== owner) return null;
      runs.delete(id);
      return run.expires_at > now() ? run : null;
    },
  };
}
