import type { NumberVariable } from "./number-variable.ts";
import { bytes, count, kibibyte, second, wait } from "./ranges.ts";

export const http = {
  headersTimeoutMs: {
    name: "REHEARSAL_HTTP_HEADERS_TIMEOUT_MS",
    ...wait,
    default: 10 * second,
    meaning: "Time a client has to send its headers.",
  },
  requestTimeoutMs: {
    name: "REHEARSAL_HTTP_REQUEST_TIMEOUT_MS",
    ...wait,
    default: 30 * second,
    meaning: "Time a client has to send its whole request.",
  },
  keepAliveMs: {
    name: "REHEARSAL_HTTP_KEEPALIVE_MS",
    ...wait,
    default: 5 * second,
    meaning: "How long an idle connection is kept.",
  },
  headerBytes: {
    name: "REHEARSAL_HTTP_MAX_HEADER_BYTES",
    ...bytes,
    default: 16 * kibibyte,
    meaning: "Request line and headers together.",
  },
  headers: { name: "REHEARSAL_HTTP_MAX_HEADERS", ...count, default: 100, meaning: "Most headers of a request." },
  connections: { name: "REHEARSAL_HTTP_MAX_CONNECTIONS", ...count, default: 2000, meaning: "Open connections." },
  shutdownGraceMs: {
    name: "REHEARSAL_SHUTDOWN_GRACE_MS",
    ...wait,
    minimum: 0,
    default: 30 * second,
    meaning: "How long a stopping service waits for running requests, and for turns that go on without their client.",
  },
} as const satisfies Record<string, NumberVariable>;
