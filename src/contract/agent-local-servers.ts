import { z } from "zod";

/** Body of GET /agent/local-servers. */
export const LocalServers = z
  .object({
    servers: z
      .array(
        z.object({
          kind: z.enum(["ollama", "lm-studio", "llama.cpp", "vllm"]),
          base_url: z.string().describe("For `endpoint` of an evaluation, or HUB_BASE_URL."),
          models: z.array(z.string()),
          needs_key: z.boolean().describe("True when it wants a key before it lists its models."),
        }),
      )
      .readonly(),
  })
  .meta({ id: "LocalServers" });
export type LocalServers = z.infer<typeof LocalServers>;
