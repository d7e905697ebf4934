import type { NumberVariable } from "./number-variable.ts";
import { count } from "./ranges.ts";

export const concurrency = {
  global: {
    name: "REHEARSAL_CONCURRENCY_GLOBAL",
    ...count,
    default: 64,
    meaning:
      "Model calls at once in one process; a quarter more for owners of keys to whom the calls of others leave no place.",
  },
  perOrigin: {
    name: "REHEARSAL_CONCURRENCY_PER_ORIGIN",
    ...count,
    default: 16,
    meaning:
      "Model calls at once to one origin, all processes of a store together. If set, it also limits eval -j; the default does not.",
  },
  perRun: { name: "REHEARSAL_CONCURRENCY_PER_RUN", ...count, default: 8, meaning: "Attempts of one run at once." },
} as const satisfies Record<string, NumberVariable>;
