import { z } from "zod";
import { isRecord } from "./json-record.ts";

const removedForm =
  "must be a whole number, such as 5: {min, max, ci_width} is no longer supported, because stopping at a narrow interval makes means too good";

export const AttemptCount = z
  .int({ error: ({ input }) => (isRecord(input) && "ci_width" in input ? removedForm : undefined) })
  .min(1)
  .describe("How often each scenario is run, at most 100 unless the operator allows more.");

/** Bounds of a run of an earlier version, in which a scenario ended once the interval of `overall` was narrow. */
export const AdaptiveAttempts = z
  .object({ min: z.int(), max: z.int(), ci_width: z.number() })
  .meta({ id: "AdaptiveAttempts" });
export type AdaptiveAttempts = z.infer<typeof AdaptiveAttempts>;
