import { wellKnownKeys } from "./credentials.ts";
import { numberVariables } from "./numbers.ts";

/** One line of the settings reference. */
export interface Variable {
  readonly name: string;
  readonly meaning: string;
  /** As the reference shows it; undefined without a default. */
  readonly default?: string;
  /** A secret may also be given as `<name>_FILE`. */
  readonly secret?: true;
}

/** Every environment variable that is read, in the order and sections of the reference. */
export const variableSections: readonly { readonly title: string; readonly variables: readonly Variable[] }[] = [
  {
    title: "Services and their callers",
    variables: [
      { name: "REHEARSAL_HOST", default: "127.0.0.1", meaning: "Address both services listen on." },
      { name: "REHEARSAL_AGENT_PORT", default: "8000", meaning: "Port of the agent backend; 0 = any free port." },
      { name: "REHEARSAL_EVAL_PORT", default: "8001", meaning: "Port of the evaluation service; 0 = any free port." },
      {
        name: "REHEARSAL_ALLOWED_HOSTS",
        meaning:
          "Host names answered besides the loopback ones, comma separated; *.example.com covers every name below example.com, * any name (only behind a proxy that checks names).",
      },
      { name: "REHEARSAL_CORS_ORIGINS", meaning: "Web origins that may call the services, comma separated." },
      {
        name: "REHEARSAL_EVAL_PUBLIC_URL",
        meaning:
          "Address at which browsers, and agents with a world, reach the evaluation service behind a proxy, such as https://eval.example.com (docs/scale.md says what else the page needs there). `rehearsal eval` listens at its port for the worlds of remote agents.",
      },
      {
        name: "REHEARSAL_API_KEYS",
        meaning: "Keys that callers need: name:sha256hex:scope+scope, comma separated.",
        secret: true,
      },
      {
        name: "REHEARSAL_ALLOW_UNAUTHENTICATED",
        meaning: "yes-i-understand lets others use the services without keys.",
      },
      number("REHEARSAL_MAX_BODY_BYTES"),
      number("REHEARSAL_SHUTDOWN_GRACE_MS"),
      number("REHEARSAL_WATCHDOG_MS"),
      {
        name: "REHEARSAL_HEARTBEAT_FILE",
        meaning:
          "File that a worker writes every 5 seconds, for probes of a container: one that is older than 30 seconds means that the worker hangs.",
      },
    ],
  },
  {
    title: "The command line",
    variables: [
      {
        name: "REHEARSAL_SERVER",
        meaning: "Evaluation service that the commands use instead of the runs on this machine.",
      },
      {
        name: "REHEARSAL_AGENT",
        meaning: "Agent backend that `chat` and `models` use instead of one in their own process.",
      },
      { name: "REHEARSAL_API_KEY", meaning: "Key that the commands send to those services.", secret: true },
    ],
  },
  {
    title: "Models and their providers",
    variables: [
      {
        name: "REHEARSAL_DEMO",
        default: "on until a hub or studio is set",
        meaning: "on or off: the built-in scripted models.",
      },
      {
        name: "HUB_BASE_URL",
        meaning: "OpenAI-compatible base URL of the inference models; it receives <provider>/<model_name> unchanged.",
      },
      { name: "HUB_API_KEY", meaning: "Key for the hub.", secret: true },
      {
        name: "HUB_PROVIDERS",
        meaning:
          "Providers by name, each receives the part after the slash: JSON, or a file with it: name to base_url, key_env and protocol.",
      },
      { name: "STUDIO_BASE_URL", meaning: "OpenAI-compatible base URL of the fine-tuned models." },
      { name: "STUDIO_API_KEY", meaning: "Key for the studio.", secret: true },
      { name: "STUDIO_MODELS_FILE", meaning: "File that lists fine-tuned models by name (docs/agent.md shows one)." },
      {
        name: "AGENT_MODEL_ALIASES",
        meaning: "Short names for models: alias=model, comma separated; a model is a UUID or <provider>/<model_name>.",
      },
      {
        name: "REHEARSAL_PRICES_FILE",
        meaning: "File with prices that outrank the built-in table (docs/agent.md shows one).",
      },
      ...wellKnownKeys.map(({ name, addresses, subpaths }): Variable => ({
        name,
        meaning: `Sent to models at ${subpaths ? "or below " : ""}${addresses.join(", ")} only.${name === "HF_TOKEN" ? "" : " Connects the provider to the agent, unless a hub is set."}`,
        secret: true,
      })),
    ],
  },
  {
    title: "Endpoints under test",
    variables: [
      {
        name: "EVAL_ENDPOINT_ORIGIN",
        meaning:
          "Origin, or a base URL there, that EVAL_ENDPOINT_API_KEY is sent to (docs/start.md says with which calls).",
      },
      { name: "EVAL_ENDPOINT_API_KEY", meaning: "Key for the endpoint under test.", secret: true },
      {
        name: "EVAL_CREDENTIALS",
        meaning:
          "More keys: address=ENVNAME[:header[:scheme]], comma separated; an address is an origin or a base URL (docs/start.md shows both).",
      },
      {
        name: "EVAL_ENDPOINT_POLICY",
        default: "local; allowlist if others can reach the services by REHEARSAL_HOST, a name or a public URL",
        meaning:
          "Endpoints that may be called: local (any, including this machine and its network), allowlist (the origins of EVAL_ENDPOINT_ALLOW and those with a key) or public (public addresses only). The agent backend that a command starts for itself is always allowed. A run keeps the policy it was accepted under (docs/scale.md).",
      },
      { name: "EVAL_ENDPOINT_ALLOW", meaning: "Origins that the allowlist policy allows, comma separated." },
    ],
  },
  {
    title: "Judges, labels and scores",
    variables: [
      {
        name: "REHEARSAL_SCORERS_MODULE",
        meaning: "JavaScript module whose exported functions are additional scorers, by name.",
      },
      {
        name: "EVAL_UPSTREAM_MESSAGES",
        default: "off",
        meaning:
          "on: failed turns keep the first 2,000 characters of what the endpoint answered, without secrets, also where a request named the endpoint. Always kept for targets of rehearsal.yaml and by `rehearsal eval`.",
      },
      {
        name: "REHEARSAL_CODE_ENV",
        meaning:
          "Names of the environment variables that modules of worlds, and code in checks, may read, comma separated. They see no others.",
      },
      { name: "REHEARSAL_PYTHON", meaning: "Python for checks in Python: a command or a path. Default: python3." },
      ...["JUDGE", "LABELLER", "SIMULATOR", "EMBEDDINGS"].flatMap(helperModel),
    ],
  },
  {
    title: "The agent and its tools",
    variables: [
      {
        name: "AGENT_TOOLS",
        meaning:
          "Tools the agent may use, comma separated. Default: all built-in ones, web_fetch only without AGENT_KNOWLEDGE_DIR; under /v1 only for requests with x-agent-tools.",
      },
      {
        name: "AGENT_WORLD_ORIGINS",
        meaning:
          "Origins of evaluation services from which a turn may name its test world (rehearsal-world), comma separated. The one of the same process is always allowed.",
      },
      { name: "AGENT_MCP_CONFIG", meaning: "File that lists the MCP servers the agent may use." },
      {
        name: "AGENT_HTTP_TOOLS",
        meaning: "File that declares HTTP APIs as tools, by hand or from OpenAPI (docs/agent.md shows one).",
      },
      { name: "AGENT_KNOWLEDGE_DIR", meaning: "Folder that the search_knowledge tool reads." },
      {
        name: "AGENT_RUNNER",
        meaning: "Module whose `reply`, or whose default export, answers turns instead of the built-in loop.",
      },
      number("REHEARSAL_AGENT_RETENTION_DAYS"),
    ],
  },
  {
    title: "Storage and runs",
    variables: [
      { name: "REHEARSAL_DATA_DIR", default: "./.rehearsal", meaning: "Folder for runs and keys." },
      {
        name: "DATABASE_URL",
        meaning: "postgres://… for several workers. Default: a file in the data folder.",
        secret: true,
      },
      number("REHEARSAL_RETENTION_DAYS"),
      {
        name: "REHEARSAL_BACKUP_DIR",
        meaning: "Folder for backups of the embedded store, made while it is in use. Default: no backups.",
      },
      number("REHEARSAL_BACKUP_EVERY_HOURS"),
      number("REHEARSAL_BACKUP_KEEP"),
      number("REHEARSAL_CONCURRENCY_GLOBAL"),
      number("REHEARSAL_CONCURRENCY_PER_ORIGIN"),
      number("REHEARSAL_CONCURRENCY_PER_RUN"),
      { name: "REHEARSAL_WEBHOOK_URLS", meaning: "Addresses notified when a run ends, comma separated." },
      {
        name: "REHEARSAL_WEBHOOK_SECRET",
        meaning: "Secret that webhooks are signed with: whsec_ and base64 (Standard Webhooks).",
        secret: true,
      },
    ],
  },
  {
    title: "Logs and telemetry",
    variables: [
      {
        name: "LOG_LEVEL",
        default: "warn on a terminal, else info",
        meaning: "trace, debug, info, warn, error, fatal or silent.",
      },
      {
        name: "OTEL_EXPORTER_OTLP_ENDPOINT",
        meaning: "Collector that receives the agent's turns, and runs with `rehearsal eval --reporter otlp`.",
      },
      {
        name: "OTEL_EXPORTER_OTLP_HEADERS",
        meaning: "Headers for the collector: name=value, comma separated.",
        secret: true,
      },
      {
        name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        meaning: "Full address for spans alone, in place of OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces.",
      },
      {
        name: "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
        meaning: "Full address for score events alone, in place of OTEL_EXPORTER_OTLP_ENDPOINT with /v1/logs.",
      },
      {
        name: "OTEL_RESOURCE_ATTRIBUTES",
        meaning: "Attributes that describe this process to the collector: name=value, comma separated.",
      },
      {
        name: "OTEL_SDK_DISABLED",
        default: "false",
        meaning: "true sends no spans of the agent's turns; `--reporter otlp` still sends results.",
      },
      { name: "OTEL_SERVICE_NAME", default: "rehearsal", meaning: "Name of this service at the collector." },
      {
        name: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
        default: "false",
        meaning: "true includes questions, replies and score reasons.",
      },
      {
        name: "LANGFUSE_BASE_URL",
        default: "https://cloud.langfuse.com",
        meaning: "Langfuse that `rehearsal eval --reporter langfuse` sends scores to; LANGFUSE_HOST means the same.",
      },
      { name: "LANGFUSE_PUBLIC_KEY", meaning: "Public key of the Langfuse project." },
      { name: "LANGFUSE_SECRET_KEY", meaning: "Secret key of the Langfuse project.", secret: true },
    ],
  },
];

export const variables: readonly Variable[] = variableSections.flatMap((section) => section.variables);

/** The line of a numeric variable. Values that differ by service are joined, the evaluation service first. */
function number(name: string): Variable {
  const settings = numberVariables.filter(({ variable }) => variable === name);
  return {
    name,
    default: settings.map((setting) => setting.default).join(" / "),
    meaning: settings.map(({ meaning }) => meaning).join(" / "),
  };
}

function helperModel(prefix: string): readonly Variable[] {
  const model = `${prefix.toLowerCase()} model`;
  const uses = prefix === "EMBEDDINGS" ? "every run" : "runs that ask for one without an address";
  return [
    { name: `${prefix}_ENDPOINT`, meaning: `Endpoint of the ${model}, for ${uses}.` },
    { name: `${prefix}_MODEL`, meaning: `Name of the ${model}.` },
    { name: `${prefix}_API_KEY`, meaning: `Key for the ${model}.`, secret: true },
  ];
}
