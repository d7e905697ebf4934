import { readFileSync } from "node:fs";
import { Secret } from "../contract/secret.ts";
import { parseAddress } from "./address.ts";
import { createEnvironment, splitList, type Environment, type Variables } from "./environment.ts";
import { SettingsError } from "./settings-error.ts";

/** Where results are sent as OpenTelemetry spans and events. */
export interface OtlpSettings {
  readonly endpoint: string;
  /** Values may be keys. */
  readonly headers: Readonly<Record<string, Secret>>;
  readonly serviceName: string;
  /** Puts what was said into the spans. Off unless it is asked for: conversations are private. */
  readonly captureContent: boolean;
}

export interface LangfuseSettings {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly secretKey: Secret;
}

/** Reads what other tools with the same names read too. null: not set up. */
export function readTelemetrySettings(
  variables: Variables,
  { readFile = (path: string) => readFileSync(path, "utf8") }: { readFile?: (path: string) => string } = {},
): { otlp: OtlpSettings | null; langfuse: LangfuseSettings | null } {
  const environment = createEnvironment(variables, readFile);
  return { otlp: readOtlp(environment), langfuse: readLangfuse(environment) };
}

function readOtlp(environment: Environment): OtlpSettings | null {
  const endpoint = environment.text("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (endpoint === null) return null;
  return {
    endpoint: parseAddress("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint).href,
    headers: parseHeaders(environment.secret("OTEL_EXPORTER_OTLP_HEADERS")),
    serviceName: environment.text("OTEL_SERVICE_NAME") ?? "rehearsal",
    captureContent: environment.text("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")?.toLowerCase() === "true",
  };
}

/** `name=value`, comma separated, values in percent encoding: OpenTelemetry's own form. */
function parseHeaders(text: Secret | null): Record<string, Secret> {
  const entries = splitList(text?.reveal() ?? "").map((entry): [string, Secret] => {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*)$/.exec(entry) ?? [];
    if (name === undefined || value === undefined) {
      throw new SettingsError("OTEL_EXPORTER_OTLP_HEADERS", "cannot be read: use name=value, comma separated");
    }
    return [name.toLowerCase(), new Secret(decoded(value.trim()))];
  });
  return Object.fromEntries(entries);
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
  return { baseUrl: parseAddress(name, address).href, publicKey, secretKey };
}
