import { readFile } from "node:fs/promises";
import { secretNamePattern, variableValues, type ConfigVariables } from "../../agent/tools/operator-config.ts";
import { Secret } from "../../base/secret.ts";
import type { Settings } from "../../settings.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";

interface OperatorFiles extends Pick<Settings, "scorersModule"> {
  readonly agent: Pick<Settings["agent"], "mcpConfig" | "httpTools" | "runner">;
}

/**
 * Secrets outside the settings, for the log's scrubber: those of MCP servers, HTTP tools, the trace collector and the
 * operator's own modules. Unreadable files are ignored here; the part that needs the file reports the error.
 */
export async function operatorSecrets(
  { scorersModule, agent: { mcpConfig, httpTools, runner } }: OperatorFiles,
  variables: ConfigVariables,
): Promise<Secret[]> {
  const paths = [mcpConfig, httpTools].filter((path) => path !== null);
  const sources = [
    ...paths.map((path) => secretsInFile(path, variables)),
    (async () => secretsOf(readTelemetrySettings(variables)))(),
  ];
  const read = await Promise.allSettled(sources);
  const moduleSecrets = scorersModule === null && runner === null ? [] : namedAsSecrets(variables);
  return [...read.flatMap((result) => (result.status === "fulfilled" ? result.value : [])), ...moduleSecrets];
}

/** Shorter values are more likely to be ordinary words. */
const shortestModuleSecret = 12;

/** A module may read any variable, so those with the name of a secret count. */
export function namedAsSecrets(variables: ConfigVariables): Secret[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    /(?:^|_)(?:key|token|secret|password)$/i.test(name) && value.length >= shortestModuleSecret
      ? [new Secret(value)]
      : [],
  );
}

async function secretsInFile(path: string, variables: ConfigVariables): Promise<Secret[]> {
  const text = await readFile(path, "utf8");
  const { parse } = await import("yaml");
  // A value that the operator keeps in the environment instead of the file counts as a secret.
  return [...variableValues(text, variables), ...secretValues(parse(text))]
    .filter((value) => value !== "")
    .map((value) => new Secret(value));
}

/** Values in the file itself under the name of a secret, without the scheme of a header. */
function* secretValues(value: unknown): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (typeof part !== "string") yield* secretValues(part);
    else if (secretNamePattern.test(name) && !part.includes("${")) yield part.replace(/^\w+\s+/, "");
  }
}

/** Every `Secret` anywhere in a value. New settings need not be listed here. */
export function secretsOf(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(secretsOf);
}
