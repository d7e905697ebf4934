import { readFileSync } from "node:fs";
import { Secret } from "../base/secret.ts";
import { parseHostAddress } from "./address.ts";
import { createEnvironment, splitList, type Environment, type Variables } from "./environment.ts";
import { SettingsError } from "./settings-error.ts";

/** Where results are sent as OpenTelemetry spans and events. */
export interface OtlpSettings {
  /** Full addresses. null: not sent. */
  readonly traces: string | null;
  readonly logs: string | null;
  /** Values may be keys. */
  readonly headers: Readonly<Record<string, Secret>>;
  /** Attributes of this process, including `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  /** True: turns are not sent. `--reporter otlp` still sends results. */
  readonly isDisabled: boolean;
  /** Includes the conversation in spans. Off by default: conversations are private. */
  readonly captureContent: boolean;
}

export interface LangfuseSettings {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly secretKey: Secret;
}

/** Reads the standard variables of OpenTelemetry and Langfuse. null: not configured. */
export function readTelemetrySettings(
  variables: Variables,
  { readFile = (path: string) => readFileSync(path, "utf8") }: { readFile?: (path: string) => string } = {},
): { otlp: OtlpSettings | null; langfuse: LangfuseSettings | null } {
  const environment = createEnvironment(variables, readFile);
  return { otlp: readOtlp(environment), langfuse: readLangfuse(environment) };
}

function readOtlp(environment: Environment): OtlpSettings | null {
  const [traces, logs] = [signalUrl("traces", environment), signalUrl("logs", environment)];
  if (traces === null && logs === null) return null;
  const isOn = (name: string): boolean => environment.text(name)?.toLowerCase() === "true";
  const headers = parsePairs("OTEL_EXPORTER_OTLP_HEADERS", environment.secret("OTEL_EXPORTER_OTLP_HEADERS")?.reveal());
  const named = environment.text("OTEL_SERVICE_NAME");
  return {
    traces,
    logs,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), new Secret(value)])),
    resource: {
      "service.name": "rehearsal",
      ...Object.fromEntries(parsePairs("OTEL_RESOURCE_ATTRIBUTES", environment.text("OTEL_RESOURCE_ATTRIBUTES"))),
      ...(named !== null && { "service.name": named }),
    },
    isDisabled: isOn("OTEL_SDK_DISABLED"),
    captureContent: isOn("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
  };
}

/** The address of one signal is used unchanged; the shared address gets a path per signal. */
function signalUrl(signal: "traces" | "logs", environment: Environment): string | null {
  const own = signal === "traces" ? "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" : "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT";
  const alone = environment.text(own);
  if (alone !== null) return parseHostAddress(own, alone).href;
  const shared = environment.text("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (shared === null) return null;
  const url = parseHostAddress("OTEL_EXPORTER_OTLP_ENDPOINT", shared);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/v1/${signal}`;
  return url.href;
}

/** Parses OpenTelemetry's format: `name=value`, comma separated, values percent-encoded. */
function parsePairs(variable: string, text: string | null | undefined): [string, string][] {
  return splitList(text ?? "").map((entry) => {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*)$/.exec(entry) ?? [];
    if (name === undefined || value === undefined) {
      throw new SettingsError(variable, "cannot be read: use name=value, comma separated");
    }
    return [name, decoded(value.trim())];
  });
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function readLangfuse(environment: Environment): LangfuseSettings | null {
  const publicKey = environment.text("LANGFUSE_PUBLIC_KEY");
  const secretKey = environment.secret("LANGFUSE_SECRET_KEY");
  if (publicKey === null || secretKey === null) return null;
  const name = environment.text("LANGFUSE_BASE_URL") === null ? "LANGFUSE_HOST" : "LANGFUSE_BASE_URL";
  const address = environment.text(name) ?? "https://cloud.langfuse.com";
  return { baseUrl: parseHostAddress(name, address).href, publicKey, secretKey };
}
