import type { NumberVariable } from "./number-variable.ts";
import { bytes, mebibyte, second, share, wait } from "./ranges.ts";

export const upstream = {
  connectTimeoutMs: {
    name: "REHEARSAL_UPSTREAM_CONNECT_TIMEOUT_MS",
    ...wait,
    default: 5 * second,
    meaning: "Time to connect to a model endpoint.",
  },
  firstByteTimeoutMs: {
    name: "REHEARSAL_UPSTREAM_FIRST_BYTE_TIMEOUT_MS",
    ...wait,
    default: 120 * second,
    meaning: "Time until a model endpoint sends its first byte.",
  },
  idleTimeoutMs: {
    name: "REHEARSAL_UPSTREAM_IDLE_TIMEOUT_MS",
    ...wait,
    default: 60 * second,
    meaning: "Longest silence inside an answer.",
  },
  totalTimeoutMs: {
    name: "REHEARSAL_UPSTREAM_TOTAL_TIMEOUT_MS",
    ...wait,
    default: 300 * second,
    meaning: "Time for one whole model call.",
  },
  maxReplyBytes: {
    name: "REHEARSAL_UPSTREAM_MAX_REPLY_BYTES",
    ...bytes,
    default: 8 * mebibyte,
    meaning: "Largest answer, decoded.",
  },
  maxEventBytes: {
    name: "REHEARSAL_UPSTREAM_MAX_SSE_LINE_BYTES",
    ...bytes,
    default: 1 * mebibyte,
    meaning: "Longest line of a streamed answer.",
  },
  retries: {
    name: "REHEARSAL_UPSTREAM_MAX_RETRIES",
    minimum: 0,
    maximum: 20,
    default: 3,
    meaning:
      "Further tries after the first. In runs, the rate limit of an endpoint that serves other calls is waited for beyond them.",
  },
  retryBaseMs: {
    name: "REHEARSAL_UPSTREAM_RETRY_BASE_MS",
    ...wait,
    default: 500,
    meaning: "First back-off, doubled each time, with full jitter.",
  },
  retryCapMs: {
    name: "REHEARSAL_UPSTREAM_RETRY_CAP_MS",
    ...wait,
    default: 20 * second,
    meaning: "Longest back-off.",
  },
  retryAfterMaxMs: {
    name: "REHEARSAL_UPSTREAM_RETRY_AFTER_MAX_MS",
    ...wait,
    default: 60 * second,
    meaning: "Longest Retry-After that is waited for.",
  },
  retryBudget: {
    name: "REHEARSAL_UPSTREAM_RETRY_BUDGET",
    ...share,
    default: 0.2,
    meaning: "Retries as a share of the calls to one origin.",
  },
} as const satisfies Record<string, NumberVariable>;
