import type { Logger } from "pino";

/** One line a second says how many requests were refused: a line for each would cost more than refusing it. */
export function createRefusalLog(log: Logger): () => void {
  let refused = 0;

  function report(): void {
    log.warn({ refused }, "requests refused: the service is at its limit");
    refused = 0;
  }

  return () => {
    if (refused === 0) setTimeout(report, 1_000).unref();
    refused += 1;
  };
}
