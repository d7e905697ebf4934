import type { RunRecord } from "../contract/ports/store.ts";
import { rescoreRun, type RescoreOptions } from "./rescore-run.ts";
import type { Runs } from "./runs.ts";

interface RescorerOptions extends Pick<
  RescoreOptions,
  "store" | "createScoring" | "now" | "tryChecks" | "checkEndpoint" | "onRefused" | "onStored"
> {
  readonly onRescored: (runId: string) => void;
}

interface Rescoring {
  /** What was asked for; null when somebody may break it off. */
  readonly asked: string | null;
  readonly run: Promise<RunRecord>;
}

/**
 * Scores runs again, a run once at a time in this process, as in all of them. Whoever asks for the same meanwhile, perhaps again
 * after giving up waiting, gets the same answer.
 */
export function createRescorer({ onRescored, ...parts }: RescorerOptions): Runs["rescore"] {
  const underWay = new Map<string, Rescoring>();

  return (id, owner, options = {}) => {
    const { signal, askModels = false, replace } = options;
    const key = JSON.stringify([owner, id]);
    const last = underWay.get(key);
    const asked = signal ? null : JSON.stringify([askModels, replace?.request ?? {}]);
    if (last && last.asked !== null && last.asked === asked) return last.run;

    async function rescore(): Promise<RunRecord> {
      await last?.run.catch(() => {});
      signal?.throwIfAborted();
      try {
        return await rescoreRun(id, { ...parts, owner, ...options });
      } finally {
        onRescored(id);
        if (underWay.get(key) === rescoring) underWay.delete(key);
      }
    }
    const rescoring: Rescoring = { asked, run: rescore() };
    underWay.set(key, rescoring);
    return rescoring.run;
  };
}
