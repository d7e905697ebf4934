import type { RunState } from "../../src/contract/schemas/run.ts";

export const runStates: readonly RunState[] = ["queued", "running", "cancelling", "completed", "failed", "cancelled"];

export const isEnded = (state: RunState): boolean =>
  state === "completed" || state === "failed" || state === "cancelled";
