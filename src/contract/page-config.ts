import { z } from "zod";

/** What the page must know about the services before it can talk to them. */
export const PageConfig = z
  .object({
    evaluation: z.string().describe("Origin of the evaluation service."),
    version: z.string(),
    demo: z.boolean().describe("True while the built-in demo models are on."),
    hub_models: z.array(z.string()).describe("Hub models known by name, for the picker."),
  })
  .meta({ id: "PageConfig" });
export type PageConfig = z.infer<typeof PageConfig>;
