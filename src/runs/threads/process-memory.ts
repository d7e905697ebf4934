import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

/** The memory limit of the container in bytes, or the memory of the machine where there is none. */
export function availableMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}

/** The heap of the services while idle. */
const idleHeap = 64 * 1024 * 1024;

/**
 * Memory in bytes for requests with their replies, and for runs in progress. V8 ends the process at its heap limit and the system at that
 * of the container, so the smaller one counts. A third is left for garbage and for what is not counted.
 */
export function memoryBudgets(): { readonly requests: number; readonly runs: number } {
  const limit = Math.min(getHeapStatistics().heap_size_limit, availableMemory() * 0.55);
  const free = Math.max(limit - idleHeap, limit / 4);
  return { requests: Math.floor(free * 0.4), runs: Math.floor(free * 0.25) };
}
