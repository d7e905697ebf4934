import { setTimeout as sleep } from "node:timers/promises";
import type { AgentThreads, ThreadKey } from "../../../contract/ports/agent-memory.ts";

const longestPauseMs = 500;

/** Waits until no other process has a turn of the thread under way. Rejects when `signal` aborts first. */
export async function holdThread(threads: AgentThreads, key: ThreadKey, signal: AbortSignal): Promise<void> {
  for (let pause = 25; !(await threads.hold(key)); pause = Math.min(2 * pause, longestPauseMs)) {
    await sleep(pause, undefined, { signal });
  }
}
