import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

/** Memory of the container in bytes, or of the machine where there is no limit. */
export function availableMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}

/** What the services take of the heap while they have nothing to do. */
const idleHeap = 64 * 1024 * 1024;

/**
 * Memory for requests and their replies, and for runs being carried out, in bytes. V8 ends the process at the limit of its heap, the system
 * at that of the container: whichever is reached first counts. A third is left for garbage and for what nobody counts.
 */
export function memoryBudgets(): { readonly requests: number; readonly runs: number } {
  const most = Math.min(getHeapStatistics().heap_size_limit, availableMemory() * 0.55);
  const free = Math.max(most - idleHeap, most / 4);
  return { requests: Math.floor(free * 0.4), runs: Math.floor(free * 0.25) };
}
