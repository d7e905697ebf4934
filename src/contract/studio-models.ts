import { z } from "zod";

/** Body of GET /studio/models: name → UUID of each fine-tuned model. */
export const StudioModels = z.record(z.string(), z.string()).meta({ id: "StudioModels" });
export type StudioModels = z.infer<typeof StudioModels>;
