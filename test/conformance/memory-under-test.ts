import type { AgentMemory } from "../../src/contract/ports/agent-memory.ts";

/** One database that holds nothing yet, opened as several processes would open it. */
export interface MemoryUnderTest extends AsyncDisposable {
  /** Another process of this host; without a process id one that lives as long as the test does. */
  open(options?: { pid?: number }): Promise<{ readonly agent: AgentMemory }>;
  /** Moves the wall clock. */
  pass(ms: number): void;
}

export type PrepareMemory = () => Promise<MemoryUnderTest>;

/** No process has this id: what it holds belongs to a dead one. */
export const deadPid = 4_000_000;

/** Nothing is dropped for its age. */
export const forGood = { runMs: null, threadMs: null };
