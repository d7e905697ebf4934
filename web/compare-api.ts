import type { RunComparison } from "../src/contract/schemas/comparison.ts";
import { evaluationUrl, readJson } from "./http.ts";

export interface ComparedRuns {
  readonly baseline: string;
  readonly candidate: string;
}

export const compareRuns = async (compared: ComparedRuns, signal: AbortSignal): Promise<RunComparison> =>
  readJson(await evaluationUrl("/compare", compared), { signal });
