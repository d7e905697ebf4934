import type { RunRanking } from "../src/contract/schemas/comparison.ts";
import { evaluationUrl, readJson } from "./http.ts";

/** `runs`: ids, comma separated. Without a `score` the service chooses. */
export const rankRuns = async (asked: { runs: string; score: string }, signal: AbortSignal): Promise<RunRanking> =>
  readJson(await evaluationUrl("/rank", asked), { signal });
