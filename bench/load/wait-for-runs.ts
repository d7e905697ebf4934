import { setTimeout as sleep } from "node:timers/promises";
import { getJson, type RunView } from "./post-evaluation.ts";

const finalStates = new Set(["completed", "failed", "cancelled"]);

/** Resolves when every run has ended. A look costs the service little, and four a second cost it nothing to speak of. */
export async function waitForRuns(service: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    for (;;) {
      const { state } = await getJson<RunView>(`${service}/runs/${id}`);
      if (finalStates.has(state)) break;
      await sleep(ids.length > 1 ? 50 : 250);
    }
  }
}
