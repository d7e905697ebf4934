import { z } from "zod";

export const OpenAiModel = z
  .object({
    id: z.string(),
    object: z.literal("model"),
    created: z.int(),
    owned_by: z.string().describe("fine-tuned, hub or alias."),
    name: z.string().optional().describe("What people call a fine-tuned model."),
  })
  .meta({ id: "OpenAiModel" });
export type OpenAiModel = z.infer<typeof OpenAiModel>;

/** Body of GET /v1/models: every model known by name. */
export const OpenAiModelList = z
  .object({ object: z.literal("list"), data: z.array(OpenAiModel) })
  .meta({ id: "OpenAiModelList" });
export type OpenAiModelList = z.infer<typeof OpenAiModelList>;
