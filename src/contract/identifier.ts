import { z } from "zod";

/** An id the caller chose: opaque, compared by code point, at most 256 characters, none of them a control character. */
export const Identifier = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^\p{Cc}]*$/u, "must not hold control characters");
