import { setTimeout as sleep } from "node:timers/promises";
import type { AgentMemory, AgentRetention } from "../../../contract/agent-memory.ts";

/** Rests between two steps, so that those who write in between do not wait. */
const betweenStepsMs = 20;

/** Drops what the agent remembers for too long, in short steps, until the signal says stop. */
export async function tidyMemory({
  memory,
  retention,
  signal,
  onError,
  everyMs = 60_000,
}: {
  memory: Pick<AgentMemory, "tidy">;
  retention: AgentRetention;
  signal: AbortSignal;
  onError: (error: unknown) => void;
  everyMs?: number;
}): Promise<void> {
  while (!signal.aborted) {
    let more = false;
    try {
      more = await memory.tidy(retention);
    } catch (error) {
      onError(error);
    }
    await sleep(more ? betweenStepsMs : everyMs, undefined, { signal, ref: false }).catch(() => {});
  }
}
