import { z } from "zod";
import { upstreamFailures, type ErrorCode } from "../../errors/errors.ts";
import { ModelProtocol } from "../evaluation-request.ts";

/** A circuit breaker that has counted failures or is open. */
export const UpstreamBreaker = z
  .object({
    origin: z.string(),
    key: z.string().describe("The model, which fails independently of others at the same origin."),
    state: z.string(),
    calls: z.int(),
    failures: z.int(),
    retry_after_ms: z.number(),
  })
  .meta({ id: "UpstreamBreaker" });
export type UpstreamBreaker = Readonly<z.infer<typeof UpstreamBreaker>>;

/** A configured provider and the results of this process's calls to it. */
export const UpstreamProvider = z
  .object({
    name: z.string().describe("The provider part of x-model-id, or `hub`, `fine-tuned` or `demo`."),
    kind: z.enum(["hub", "fine-tuned", "demo"]),
    origin: z.string().nullable().describe("null for models that run in this process."),
    health: z.enum(["ok", "failing", "unknown"]).describe("Result of the last call; `unknown` before the first."),
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
      .describe("Models with a concurrency limit and calls in progress."),
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
      .describe("`prompted`: the endpoint does not support tools, so they are described in the prompt."),
  })
  .meta({ id: "AgentUpstreams" });
export type AgentUpstreams = z.infer<typeof AgentUpstreams>;

/** Body of GET /agent/local-servers. */
export const LocalServers = z
  .object({
    servers: z
      .array(
        z.object({
          kind: z.enum(["ollama", "lm-studio", "llama.cpp", "vllm"]),
          base_url: z.string().describe("Use it as `endpoint` of an evaluation or as HUB_BASE_URL."),
          models: z.array(z.string()),
          needs_key: z.boolean().describe("True when the server requires a key to list its models."),
        }),
      )
      .readonly(),
  })
  .meta({ id: "LocalServers" });
export type LocalServers = z.infer<typeof LocalServers>;

/** Body of GET /studio/models: name → UUID of each fine-tuned model. */
export const StudioModels = z.record(z.string(), z.string()).meta({ id: "StudioModels" });
export type StudioModels = z.infer<typeof StudioModels>;

/** Failures of GET /studio/models: always a 502, because a rate limit or timeout of the source is not the caller's. */
export const studioListErrors: readonly ErrorCode[] = upstreamFailures;

export const OpenAiModel = z
  .object({
    id: z.string(),
    object: z.literal("model"),
    created: z.int(),
    owned_by: z.string().describe("`fine-tuned`, `hub` or `alias`."),
    name: z.string().optional().describe("Name of a fine-tuned model."),
  })
  .meta({ id: "OpenAiModel" });
export type OpenAiModel = z.infer<typeof OpenAiModel>;

/** Body of GET /v1/models: every model known by name. */
export const OpenAiModelList = z
  .object({ object: z.literal("list"), data: z.array(OpenAiModel) })
  .meta({ id: "OpenAiModelList" });
export type OpenAiModelList = z.infer<typeof OpenAiModelList>;

/** A provider of models that can be connected, or is. */
export const ModelProvider = z
  .object({
    id: z.string().describe("The part of x-model-id before the slash, once the provider is connected."),
    name: z.string(),
    base_url: z.string().nullable().describe("null when every account or installation has its own."),
    protocol: ModelProtocol,
    key_variable: z.string().nullable().describe("The variable that holds its key; null when it needs none."),
    key_set: z.boolean().describe("True when that variable is set."),
    connected: z.boolean().describe("True when the agent serves its models as `<id>/<model>`."),
  })
  .meta({ id: "ModelProvider" });
export type ModelProvider = z.infer<typeof ModelProvider>;

/** Body of GET /agent/providers. */
export const ModelProviderList = z
  .object({
    providers: z.array(ModelProvider),
    hub: z.boolean().describe("True when HUB_BASE_URL is set: it serves all other `<provider>/<model>`."),
    hub_providers_set: z.boolean().describe("True when HUB_PROVIDERS is set: a further provider is added to it."),
  })
  .meta({ id: "ModelProviderList" });
export type ModelProviderList = z.infer<typeof ModelProviderList>;

/** The providers with an address that is known without a configuration. Operators may add others. */
export const knownProviderIds = ["openai", "anthropic", "openrouter", "ollama", "lm-studio", "vllm"] as const;

/** Body of POST /agent/providers/test. Keys are not part of it: they come from the environment. */
export const ConnectionTestRequest = z
  .strictObject({
    provider: z
      .string()
      .min(1)
      .max(64)
      .meta({ enum: knownProviderIds })
      .optional()
      .describe("The `id` of a provider with a known address, or the name of one in HUB_PROVIDERS."),
    base_url: z.string().min(1).max(2048).optional().describe("Any other address, such as `http://127.0.0.1:8000/v1`."),
    protocol: ModelProtocol.optional().describe("Only with `base_url`. Default: openai-chat."),
    model: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe("Sends one short question to this model. Without it, only the list of models is read."),
  })
  .refine(({ provider, base_url }) => (provider === undefined) !== (base_url === undefined), {
    error: "needs either `provider` or `base_url`",
    path: ["provider"],
  })
  .meta({ id: "ConnectionTestRequest", oneOf: [{ required: ["provider"] }, { required: ["base_url"] }] });
export type ConnectionTestRequest = z.infer<typeof ConnectionTestRequest>;

/** Result of a connection test. A provider that does not answer is a result, too. */
export const ConnectionTest = z
  .object({
    ok: z.boolean(),
    base_url: z.string(),
    duration_ms: z.number(),
    models: z.array(z.string()).describe("The provider's own names, at most 2,000; empty with `model`."),
    reply: z.string().nullable().describe("The model's answer, with `model`."),
    error: z.object({ code: z.string(), detail: z.string(), hint: z.string() }).nullable(),
  })
  .meta({ id: "ConnectionTest" });
export type ConnectionTest = z.infer<typeof ConnectionTest>;
