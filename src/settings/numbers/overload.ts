import type { NumberVariable } from "./number-variable.ts";
import { count, wait } from "./ranges.ts";

export const overload = {
  requests: {
    name: "REHEARSAL_HTTP_MAX_REQUESTS",
    ...count,
    default: 1000,
    meaning: "Requests one service answers at once; more get 503.",
  },
  requestsPerKey: {
    name: "REHEARSAL_HTTP_MAX_REQUESTS_PER_KEY",
    minimum: 0,
    maximum: 1_000_000,
    default: 500,
    meaning:
      "Requests of one API key that one service answers at once, streams of events included; more get 429. 0 = any number.",
  },
  lagMs: {
    name: "REHEARSAL_SHED_EVENT_LOOP_LAG_MS",
    ...wait,
    default: 250,
    meaning: "Lasting delay of the event loop from which new requests get 503.",
  },
  rssBytes: {
    name: "REHEARSAL_SHED_RSS_BYTES",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    meaning: "Memory of the process from which new requests get 503; 0 = 85 % of what it may have.",
  },
} as const satisfies Record<string, NumberVariable>;
