import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { availableMemory } from "../../../runs/threads/process-memory.ts";

/** The load of this process. */
export interface ProcessLoad {
  /** The average event-loop lag over the last seconds. */
  readonly lagMs: number;
  readonly rssBytes: number;
  /** The share of V8's heap limit in use after the latest major collection; 0 if there was none recently. */
  readonly heapShare: number;
}

const resolutionMs = 20;
const sampleEveryMs = 1000;
/** Reading the memory is a system call, which takes longer than some requests. */
const memoryFreshMs = 250;
/** A nearly full heap is collected all the time, so an older reading means nothing. */
const collectionFreshMs = 2000;

/** Watches this process. Reports the smaller lag of the last two seconds, so that a single late second does not count. */
export function watchProcessLoad(): { read: () => ProcessLoad; stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let lags: readonly [number, number] = [0, 0];
  const timer = setInterval(() => {
    // The histogram records the time between two ticks, which equals the resolution when nothing is late.
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

  // Garbage counts as used until it is collected, so the heap is measured right after a collection.
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

/** Null when it cannot be read: that takes a file descriptor, and connections may hold all of them. */
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

/** The memory above which new requests are refused: 85 % of what is available to this process. */
export function defaultMemoryLimit(): number {
  return Math.floor(availableMemory() * 0.85);
}
