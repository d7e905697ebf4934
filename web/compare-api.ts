import type { RunComparison } from "../src/contract/comparison.ts";
import { evaluationUrl, readJson } from "./http.ts";

export interface ComparedRuns {
  readonly baseline: string;
  readonly candidate: string;
}

export async function compareRuns({ baseline, candidate }: ComparedRuns, signal: AbortSignal): Promise<RunComparison> {
  const url = await evaluationUrl("/compare");
  url.searchParams.set("baseline", baseline);
  url.searchParams.set("candidate", candidate);
  return readJson(url, { signal });
}
