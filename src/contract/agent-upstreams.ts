import { z } from "zod";

/** A circuit breaker that is not at rest. */
export const UpstreamBreaker = z
  .object({
    origin: z.string(),
    key: z.string().describe("What shares the origin but fails separately: the model."),
    state: z.string(),
    calls: z.int(),
    failures: z.int(),
    retry_after_ms: z.number(),
  })
  .meta({ id: "UpstreamBreaker" });
export type UpstreamBreaker = Readonly<z.infer<typeof UpstreamBreaker>>;

/** A provider the operator has set up, and how the last calls of this process went there. */
export const UpstreamProvider = z
  .object({
    name: z
      .string()
      .describe("What stands before the slash of x-model-id; `hub`, `fine-tuned` and `demo` for the rest."),
    kind: z.enum(["hub", "fine-tuned", "demo"]),
    origin: z.string().nullable().describe("null for what runs in this process."),
    health: z.enum(["ok", "failing", "unknown"]).describe("By the last call; `unknown` before the first."),
    calls: z.int(),
    failures: z.int(),
    last_call_at: z.number().nullable().describe("Milliseconds since 1970."),
    last_error: z.object({ code: z.string(), detail: z.string(), at: z.number() }).nullable(),
  })
  .meta({ id: "UpstreamProvider" });
export type UpstreamProvider = z.infer<typeof UpstreamProvider>;

/** Body of GET /agent/upstreams. */
export const AgentUpstreams = z
  .object({
    providers: z.array(UpstreamProvider).readonly().optional(),
    breakers: z.array(UpstreamBreaker).readonly(),
    routes: z
      .array(z.object({ model: z.string(), running: z.int(), waiting: z.int() }))
      .readonly()
      .describe("Models with calls under way, where their number is capped."),
    tool_support: z
      .array(
        z.object({
          provider: z.string(),
          model_id: z.string(),
          mode: z.enum(["native", "prompted"]),
          found_at: z.number().describe("Milliseconds since 1970."),
        }),
      )
      .readonly()
      .describe("`prompted`: the endpoint refused tools, so they are described in the prompt."),
  })
  .meta({ id: "AgentUpstreams" });
export type AgentUpstreams = z.infer<typeof AgentUpstreams>;
