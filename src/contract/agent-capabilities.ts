import { z } from "zod";

const CapabilityFinding = z
  .object({
    verdict: z.enum(["yes", "no", "unknown"]),
    detail: z.string().describe("One sentence: what was seen."),
  })
  .meta({ id: "CapabilityFinding" });

/** What one model was seen to do. */
export const ModelCapabilities = z
  .object({
    provider: z.string(),
    model_id: z.string(),
    capabilities: z.object({
      streaming: CapabilityFinding,
      streaming_usage: CapabilityFinding,
      tools: CapabilityFinding,
      parallel_tools: CapabilityFinding,
      json_schema: CapabilityFinding,
    }),
    tokens: z.int().describe("What finding out has cost, as far as the model said."),
    probed_at: z.number().describe("Milliseconds since 1970."),
  })
  .meta({ id: "ModelCapabilities" });
export type ModelCapabilities = z.infer<typeof ModelCapabilities>;

/** Body of POST /agent/upstreams/probe. */
export const ProbeRequest = z
  .object({
    model_id: z.string().min(1).describe("As x-model-id takes it."),
    again: z.boolean().optional().describe("Asks the model even if the answers of the last 24 hours are known."),
  })
  .meta({ id: "ProbeRequest" });
export type ProbeRequest = z.infer<typeof ProbeRequest>;
