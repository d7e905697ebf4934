import { z } from "zod";

/**
 * An id the caller chose: opaque, compared by code point, at most 256 characters, none of them a control character. Those are
 * spelled out and not `\p{Cc}`: the pattern is in the OpenAPI document, and Python's, for one, knows no `\p`.
 */
export const Identifier = z
  .string()
  .min(1)
  .max(256)
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, "must not hold control characters");
