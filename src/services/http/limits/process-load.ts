import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { availableMemory } from "../../../runs/process-memory.ts";

/** How busy this process is. */
export interface ProcessLoad {
  /** How late the event loop ran, on average over the last second. */
  readonly lagMs: number;
  readonly rssBytes: number;
  /** Of the size that V8's heap may have, how much was left when it was collected a moment ago; 0 when it was not. */
  readonly heapShare: number;
}

const resolutionMs = 20;
const sampleEveryMs = 1000;
/** Reading the memory asks the system, which takes longer than answering some requests. */
const memoryFreshMs = 250;
/** A heap that is nearly full is collected all the time: what was left longer ago says nothing any more. */
const collectionFreshMs = 2000;

/**
 * Watches this process. One late second is a hiccup: the smaller lag of the last two seconds is told, so that only what
 * lasts counts.
 */
export function watchProcessLoad(): { read: () => ProcessLoad; stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let lags: readonly [number, number] = [0, 0];
  const timer = setInterval(() => {
    // The histogram counts the time between two ticks, which is the resolution when nothing is late.
    const lag = delay.count === 0 ? 0 : Math.max(0, delay.mean / 1e6 - resolutionMs);
    lags = [lag, lags[0]];
    delay.reset();
  }, sampleEveryMs);
  timer.unref();

  let memory = { rssBytes: 0, readAt: Number.NEGATIVE_INFINITY };
  function rssBytes(): number {
    const now = performance.now();
    if (now - memory.readAt > memoryFreshMs) memory = { rssBytes: readRss() ?? memory.rssBytes, readAt: now };
    return memory.rssBytes;
  }

  // Garbage counts as in use until it is collected, so only what a collection leaves says how full the heap is.
  let collected = { share: 0, at: Number.NEGATIVE_INFINITY };
  const collections = new PerformanceObserver((list) => {
    const kinds = list
      .getEntries()
      .map((entry) => (entry as PerformanceEntry & { detail?: { kind?: number } }).detail?.kind);
    if (kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR))
      collected = { share: readHeapShare(), at: performance.now() };
  });
  collections.observe({ entryTypes: ["gc"] });
  const heapShare = (): number => (performance.now() - collected.at < collectionFreshMs ? collected.share : 0);

  return {
    read: () => ({ lagMs: Math.min(...lags), rssBytes: rssBytes(), heapShare: heapShare() }),
    stop() {
      clearInterval(timer);
      delay.disable();
      collections.disconnect();
    },
  };
}

/** Null where the system does not tell: it takes a file descriptor, and connections may hold all there are. */
function readRss(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}

function readHeapShare(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}

/** Memory at which new work is refused: 85 % of what this process may have. */
export function defaultMemoryLimit(): number {
  return Math.floor(availableMemory() * 0.85);
}
