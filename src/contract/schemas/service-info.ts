import { z } from "zod";

/** A limit as it stands, and the variable an operator moves it with. */
export const PageLimit = z
  .object({ name: z.string(), meaning: z.string(), value: z.number() })
  .meta({ id: "PageLimit" });
export type PageLimit = z.infer<typeof PageLimit>;

/** What the page must know about the services before it can talk to them. */
export const PageConfig = z
  .object({
    evaluation: z.string().describe("Origin of the evaluation service."),
    version: z.string(),
    demo: z.boolean().describe("True while the built-in demo models are on."),
    demo_models: z
      .record(z.string(), z.string())
      .optional()
      .describe("Names of the fine-tuned demo models and the UUID of each, also while they are off: their runs stay."),
    hub_models: z.array(z.string()).describe("Hub models known by name, for the picker."),
    limits: z.array(PageLimit).describe("What the services refuse beyond."),
    keys_required: z.boolean().describe("True when requests need an API key."),
  })
  .meta({ id: "PageConfig" });
export type PageConfig = z.infer<typeof PageConfig>;

export const Health = z
  .object({
    status: z.literal("ok"),
    detail: z.string().optional().describe("What does not work, while requests that do not need it are answered."),
  })
  .meta({ id: "Health" });
export type Health = z.infer<typeof Health>;
