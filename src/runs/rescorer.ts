import type { RunRecord } from "../contract/store.ts";
import { rescoreRun, type RescoreOptions } from "./rescore-run.ts";
import type { Runs } from "./runs.ts";

export interface RescorerOptions extends Pick<RescoreOptions, "store" | "createScoring" | "now"> {
  readonly onRescored: (runId: string) => void;
}

/**
 * Scores runs again. What nobody can break off is done once at a time for a run, in this process: whoever asks meanwhile, perhaps
 * again after giving up waiting, gets the same answer.
 */
export function createRescorer({ onRescored, ...parts }: RescorerOptions): Runs["rescore"] {
  const underWay = new Map<string, Promise<RunRecord>>();

  return (id, owner, options = {}) => {
    async function rescore(): Promise<RunRecord> {
      try {
        return await rescoreRun(id, { ...parts, owner, ...options });
      } finally {
        onRescored(id);
      }
    }
    if (options.signal) return rescore();
    const key = JSON.stringify([owner, id, options.askModels ?? false]);
    const rescoring = underWay.get(key) ?? rescore().finally(() => underWay.delete(key));
    underWay.set(key, rescoring);
    return rescoring;
  };
}
