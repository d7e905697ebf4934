import type { NumberVariable } from "./number-variable.ts";
import { count, second, wait } from "./ranges.ts";

export const userCode = {
  timeoutMs: {
    name: "REHEARSAL_CODE_TIMEOUT_MS",
    ...wait,
    default: 10 * second,
    meaning: "Time for one call of a module's function, such as a tool of a world.",
  },
  memoryMb: {
    name: "REHEARSAL_CODE_MEMORY_MB",
    minimum: 64,
    maximum: 1_000_000,
    default: 256,
    meaning: "Megabytes of memory of a process that runs modules, buffers and the process itself included.",
  },
  processes: {
    name: "REHEARSAL_CODE_PROCESSES",
    ...count,
    maximum: 256,
    default: 2,
    meaning: "Processes that run modules at the same time.",
  },
} as const satisfies Record<string, NumberVariable>;
