import { z } from "zod";

/** Something in the request that was not used as the caller may have meant it. */
export const Warning = z
  .object({ pointer: z.string(), message: z.string(), suggestion: z.string().optional() })
  .meta({ id: "Warning" });
export type Warning = z.infer<typeof Warning>;
