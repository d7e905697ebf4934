import { z } from "zod";
import type { ErrorCode } from "./errors.ts";

/** Body of GET /studio/models: name → UUID of each fine-tuned model. */
export const StudioModels = z.record(z.string(), z.string()).meta({ id: "StudioModels" });
export type StudioModels = z.infer<typeof StudioModels>;

/** Why the list cannot be had: always a 502, as a rate limit or timeout of its source is not the caller's. */
export const studioListErrors: readonly ErrorCode[] = [
  "upstream_unreachable",
  "upstream_dns",
  "upstream_tls",
  "upstream_auth",
  "upstream_rejected",
  "upstream_error",
  "upstream_reset",
  "upstream_redirect",
  "upstream_invalid_reply",
  "upstream_reply_too_large",
];
