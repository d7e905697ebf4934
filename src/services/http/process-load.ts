import { totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** How busy this process is. */
export interface ProcessLoad {
  /** How late the event loop ran, on average over the last second. */
  readonly lagMs: number;
  readonly rssBytes: number;
}

const resolutionMs = 20;
const sampleEveryMs = 1000;
/** Reading the memory asks the system, which takes longer than answering some requests. */
const memoryFreshMs = 250;

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
    if (now - memory.readAt > memoryFreshMs) memory = { rssBytes: readMemory() ?? memory.rssBytes, readAt: now };
    return memory.rssBytes;
  }

  return {
    read: () => ({ lagMs: Math.min(...lags), rssBytes: rssBytes() }),
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

/** Null where the system does not tell: it takes a file descriptor, and connections may hold all there are. */
function readMemory(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}

/** Memory at which new work is refused: 85 % of what this process may have. */
export function defaultMemoryLimit(): number {
  const constrained = process.constrainedMemory();
  const available = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.floor(available * 0.85);
}
