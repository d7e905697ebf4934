import type { LimitOverrides } from "../../src/settings/numbers.ts";

/** The environment of every service under test: free ports, no process around it, and nothing of this machine but its path. */
export const serviceEnvironment = {
  PATH: process.env["PATH"] ?? "",
  REHEARSAL_AGENT_PORT: "0",
  REHEARSAL_EVAL_PORT: "0",
  REHEARSAL_WATCHDOG_MS: "0",
};

/** The limits of every service under test: no refusal because the machine is busy. */
export const serviceLimits: LimitOverrides = { shed_event_loop_lag_ms: 60_000 };
