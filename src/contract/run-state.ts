import { z } from "zod";

export const RunState = z
  .enum(["queued", "running", "cancelling", "completed", "failed", "cancelled"])
  .meta({ id: "RunState" });
export type RunState = z.infer<typeof RunState>;

export const finalStates: ReadonlySet<RunState> = new Set(["completed", "failed", "cancelled"]);
