import { wellKnownKeys } from "./credentials.ts";
import { numberVariables } from "./number-variables.ts";

/** One line of the settings reference. */
export interface Variable {
  readonly name: string;
  /** As the reference shows it; "" when there is none. */
  readonly default: string;
  readonly meaning: string;
  /** A secret may also be given as `<name>_FILE`. */
  readonly secret?: true;
}

const textVariables: readonly Variable[] = [
  { name: "REHEARSAL_HOST", default: "127.0.0.1", meaning: "Address both services listen on." },
  { name: "REHEARSAL_AGENT_PORT", default: "8000", meaning: "Port of the agent backend; 0 = any free port." },
  { name: "REHEARSAL_EVAL_PORT", default: "8001", meaning: "Port of the evaluation service; 0 = any free port." },
  {
    name: "REHEARSAL_ALLOWED_HOSTS",
    default: "",
    meaning:
      "Host names answered beside the loopback ones, comma separated; *.example.com stands for every name below example.com, * for any name (only behind a proxy that checks names).",
  },
  { name: "REHEARSAL_CORS_ORIGINS", default: "", meaning: "Web origins that may call the services, comma separated." },
  {
    name: "REHEARSAL_EVAL_PUBLIC_URL",
    default: "",
    meaning:
      "Where browsers reach the evaluation service behind a proxy, such as https://eval.example.com (docs/scale.md says what else the page needs there).",
  },
  {
    name: "REHEARSAL_API_KEYS",
    default: "",
    meaning: "Keys callers need: name:sha256hex:scope+scope, comma separated.",
    secret: true,
  },
  { name: "REHEARSAL_ALLOW_UNAUTHENTICATED", default: "", meaning: "yes-i-understand serves others without keys." },
  { name: "REHEARSAL_DATA_DIR", default: "./.rehearsal", meaning: "Where runs are kept." },
  {
    name: "REHEARSAL_BACKUP_DIR",
    default: "",
    meaning: "Folder for backups of the embedded store, made while it is in use; none are made when empty.",
  },
  {
    name: "REHEARSAL_DEMO",
    default: "on until a hub or studio is set",
    meaning: "on or off: the built-in scripted models.",
  },
  {
    name: "DATABASE_URL",
    default: "",
    meaning: "postgres://… for several workers; else a file in the data directory.",
    secret: true,
  },
  {
    name: "LOG_LEVEL",
    default: "warn on a terminal, else info",
    meaning: "trace, debug, info, warn, error, fatal or silent.",
  },
  {
    name: "HUB_BASE_URL",
    default: "",
    meaning: "OpenAI-compatible base URL of the inference models; it is sent <provider>/<model_name> as it is.",
  },
  { name: "HUB_API_KEY", default: "", meaning: "Key for the hub.", secret: true },
  {
    name: "HUB_PROVIDERS",
    default: "",
    meaning:
      "Providers by name, each sent what follows the slash: JSON, or a file with it: name to base_url, key_env and protocol.",
  },
  { name: "STUDIO_BASE_URL", default: "", meaning: "OpenAI-compatible base URL of the fine-tuned models." },
  { name: "STUDIO_API_KEY", default: "", meaning: "Key for the studio.", secret: true },
  {
    name: "STUDIO_MODELS_FILE",
    default: "",
    meaning: "File that lists fine-tuned models by name (docs/agent.md shows one).",
  },
  {
    name: "AGENT_MODEL_ALIASES",
    default: "",
    meaning: "Short names for models: alias=model, comma separated; a model is a UUID or <provider>/<model_name>.",
  },
  {
    name: "EVAL_ENDPOINT_ORIGIN",
    default: "",
    meaning:
      "The origin, or a base URL there, that EVAL_ENDPOINT_API_KEY is sent to (docs/start.md says with which calls).",
  },
  { name: "EVAL_ENDPOINT_API_KEY", default: "", meaning: "Key for the endpoint under test.", secret: true },
  {
    name: "EVAL_CREDENTIALS",
    default: "",
    meaning:
      "More keys: address=ENVNAME[:header[:scheme]], comma separated; an address is an origin or a base URL (docs/start.md shows both).",
  },
  {
    name: "EVAL_ENDPOINT_POLICY",
    default: "local; allowlist if others can reach the services by REHEARSAL_HOST, a name or a public URL",
    meaning:
      "Which endpoints may be called: local (any, this machine and its network included), allowlist (the origins of EVAL_ENDPOINT_ALLOW and those with a key) or public (public addresses only). The agent that a command starts for itself may always be. A run keeps the policy it was accepted under (docs/scale.md).",
  },
  { name: "EVAL_ENDPOINT_ALLOW", default: "", meaning: "Origins the allowlist policy admits, comma separated." },
  {
    name: "REHEARSAL_SCORERS_MODULE",
    default: "",
    meaning: "JavaScript module whose exported functions are scorers of the operator's own, by name.",
  },
  {
    name: "REHEARSAL_CODE_ENV",
    default: "",
    meaning: "Names of the environment variables that modules of users may read, comma separated. They see no others.",
  },
  { name: "REHEARSAL_WEBHOOK_URLS", default: "", meaning: "Addresses that are told when a run ends, comma separated." },
  {
    name: "REHEARSAL_WEBHOOK_SECRET",
    default: "",
    meaning: "What webhooks are signed with: whsec_ and base64 (Standard Webhooks).",
    secret: true,
  },
  {
    name: "REHEARSAL_PRICES_FILE",
    default: "",
    meaning: "File with prices that outrank the built-in table (docs/agent.md shows one).",
  },
  { name: "AGENT_MCP_CONFIG", default: "", meaning: "File that lists the MCP servers the agent may use." },
  {
    name: "AGENT_HTTP_TOOLS",
    default: "",
    meaning: "File that declares HTTP APIs as tools, by hand or from OpenAPI (docs/agent.md shows one).",
  },
  {
    name: "AGENT_RUNNER",
    default: "",
    meaning: "JavaScript module whose default export answers turns instead of the built-in loop.",
  },
  { name: "AGENT_KNOWLEDGE_DIR", default: "", meaning: "Folder the search_knowledge tool reads." },
  {
    name: "AGENT_TOOLS",
    default: "",
    meaning:
      "Tools the agent may use, comma separated; when empty all built-in ones, web_fetch only without AGENT_KNOWLEDGE_DIR.",
  },
  {
    name: "REHEARSAL_SERVER",
    default: "",
    meaning: "Evaluation service the commands use instead of this machine's runs.",
  },
  {
    name: "REHEARSAL_AGENT",
    default: "",
    meaning: "Agent backend that chat and models use instead of one of their own.",
  },
  { name: "REHEARSAL_API_KEY", default: "", meaning: "Key the commands show to those services.", secret: true },
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    default: "",
    meaning: "Collector that is sent the agent's turns, and runs with `rehearsal eval --reporter otlp`.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    default: "",
    meaning: "Headers for the collector: name=value, comma separated.",
    secret: true,
  },
  {
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    default: "",
    meaning: "Full address for spans alone, in place of OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
    default: "",
    meaning: "Full address for the events of scores alone, in place of OTEL_EXPORTER_OTLP_ENDPOINT with /v1/logs.",
  },
  {
    name: "OTEL_RESOURCE_ATTRIBUTES",
    default: "",
    meaning: "What the collector is told about this process: name=value, comma separated.",
  },
  {
    name: "OTEL_SDK_DISABLED",
    default: "false",
    meaning: "true sends no spans of the agent's turns; results are still sent where that is asked for.",
  },
  { name: "OTEL_SERVICE_NAME", default: "rehearsal", meaning: "Name the collector knows this service by." },
  {
    name: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
    default: "false",
    meaning: "true puts questions, replies and the reasons of scores into what is sent.",
  },
  {
    name: "LANGFUSE_BASE_URL",
    default: "https://cloud.langfuse.com",
    meaning: "Langfuse that `rehearsal eval --reporter langfuse` sends scores to; LANGFUSE_HOST means the same.",
  },
  { name: "LANGFUSE_PUBLIC_KEY", default: "", meaning: "Public key of the Langfuse project." },
  { name: "LANGFUSE_SECRET_KEY", default: "", meaning: "Secret key of the Langfuse project.", secret: true },
  ...["JUDGE", "LABELLER", "EMBEDDINGS"].flatMap((prefix): readonly Variable[] => [
    {
      name: `${prefix}_ENDPOINT`,
      default: "",
      meaning: `Endpoint of the ${prefix.toLowerCase()} model, for ${prefix === "EMBEDDINGS" ? "every run" : "runs that ask for one without saying where it is"}.`,
    },
    { name: `${prefix}_MODEL`, default: "", meaning: `Name of the ${prefix.toLowerCase()} model.` },
    { name: `${prefix}_API_KEY`, default: "", meaning: `Key for the ${prefix.toLowerCase()} model.`, secret: true },
  ]),
  ...wellKnownKeys.map(({ name, addresses, subpaths }): Variable => ({
    name,
    default: "",
    meaning: `Sent to models at ${subpaths ? "or below " : ""}${addresses.join(", ")} only.`,
    secret: true,
  })),
];

/** Every variable the services read, in the order the reference lists them. Defaults that differ by service are joined. */
export const variables: readonly Variable[] = [...textVariables, ...numberLines()];

function numberLines(): readonly Variable[] {
  const lines = new Map<string, Variable>();
  for (const { name, default: value, meaning } of Object.values(numberVariables).flatMap((group) =>
    Object.values(group),
  )) {
    const earlier = lines.get(name);
    lines.set(name, {
      name,
      default: earlier ? `${earlier.default} / ${value}` : String(value),
      meaning: earlier ? `${earlier.meaning} / ${meaning}` : meaning,
    });
  }
  return [...lines.values()];
}
