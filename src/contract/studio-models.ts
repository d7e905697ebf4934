import { z } from "zod";
import { brokenCalls, type ErrorCode } from "./errors.ts";

/** Body of GET /studio/models: name → UUID of each fine-tuned model. */
export const StudioModels = z.record(z.string(), z.string()).meta({ id: "StudioModels" });
export type StudioModels = z.infer<typeof StudioModels>;

/** Why the list cannot be had: always a 502, as a rate limit or timeout of its source is not the caller's. */
export const studioListErrors: readonly ErrorCode[] = brokenCalls;
