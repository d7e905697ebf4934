import type { NumberVariable } from "./number-variable.ts";
import { count, second, share, wait } from "./ranges.ts";

export const breaker = {
  windowMs: {
    name: "REHEARSAL_BREAKER_WINDOW_MS",
    ...wait,
    default: 30 * second,
    meaning: "Time over which failures are counted.",
  },
  minimumCalls: {
    name: "REHEARSAL_BREAKER_MIN_CALLS",
    ...count,
    default: 20,
    meaning: "Calls needed before the breaker may open. So many failures in a row open it in any case.",
  },
  failureRatio: {
    name: "REHEARSAL_BREAKER_FAILURE_RATIO",
    ...share,
    default: 0.5,
    meaning: "Share of failures that opens the breaker.",
  },
  openMs: { name: "REHEARSAL_BREAKER_OPEN_MS", ...wait, default: 15 * second, meaning: "How long it stays open." },
} as const satisfies Record<string, NumberVariable>;
