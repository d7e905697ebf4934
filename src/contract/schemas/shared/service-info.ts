import { z } from "zod";

/** A limit in effect. `name` is the variable with which an operator changes it. */
export const PageLimit = z
  .object({ name: z.string(), meaning: z.string(), value: z.number() })
  .meta({ id: "PageLimit" });
export type PageLimit = z.infer<typeof PageLimit>;

/** Settings the page needs before it can call the services. */
export const PageConfig = z
  .object({
    evaluation: z.string().describe("Origin of the evaluation service."),
    version: z.string(),
    demo: z.boolean().describe("True when the built-in demo models are enabled."),
    demo_models: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        "Names and UUIDs of the fine-tuned demo models, even when they are disabled, because their runs remain.",
      ),
    hub_models: z.array(z.string()).describe("Hub models known by name, for the model picker."),
    limits: z.array(PageLimit).describe("Limits of the services."),
    keys_required: z.boolean().describe("True when requests need an API key."),
  })
  .meta({ id: "PageConfig" });
export type PageConfig = z.infer<typeof PageConfig>;

export const Health = z
  .object({
    status: z.literal("ok"),
    detail: z
      .string()
      .optional()
      .describe("Describes a part that does not work. Requests that do not need it are served."),
  })
  .meta({ id: "Health" });
export type Health = z.infer<typeof Health>;
