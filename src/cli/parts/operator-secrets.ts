import { readFile } from "node:fs/promises";
import { secretName, valuesNamedIn, type Variables } from "../../agent/resolve-variables.ts";
import { Secret } from "../../base/secret.ts";
import type { Settings } from "../../settings.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";
import { secretsOf } from "./secrets-of.ts";

interface OperatorFiles extends Pick<Settings, "scorersModule"> {
  readonly agent: Pick<Settings["agent"], "mcpConfig" | "httpTools" | "runner">;
}

/**
 * Secrets that are not in the settings themselves, for the log's scrubber: those of MCP servers and HTTP tools, of where
 * traces are sent, and of the operator's own modules. What cannot be read is left to whoever needs it, who says what is wrong with it.
 */
export async function operatorSecrets(
  { scorersModule, agent: { mcpConfig, httpTools, runner } }: OperatorFiles,
  variables: Variables,
): Promise<Secret[]> {
  const paths = [mcpConfig, httpTools].filter((path) => path !== null);
  const sources = [
    ...paths.map((path) => inFile(path, variables)),
    (async () => secretsOf(readTelemetrySettings(variables)))(),
  ];
  const read = await Promise.allSettled(sources);
  const ofModules = scorersModule === null && runner === null ? [] : namedAsSecrets(variables);
  return [...read.flatMap((result) => (result.status === "fulfilled" ? result.value : [])), ...ofModules];
}

/** Shorter ones are more likely to be ordinary words. */
const shortestOfModules = 12;

/** A module reads what variables it likes: those whose names say that they hold a secret. */
function namedAsSecrets(variables: Variables): Secret[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    /(?:^|_)(?:key|token|secret|password)$/i.test(name) && value.length >= shortestOfModules ? [new Secret(value)] : [],
  );
}

async function inFile(path: string, variables: Variables): Promise<Secret[]> {
  const text = await readFile(path, "utf8");
  const { parse } = await import("yaml");
  // Whatever an operator keeps in the environment instead of the file is taken for a secret.
  return [...valuesNamedIn(text, variables), ...writtenIn(parse(text))]
    .filter((value) => value !== "")
    .map((value) => new Secret(value));
}

/** Values that the file holds itself, under a name that says what they are. A header's scheme is no secret. */
function* writtenIn(value: unknown): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (typeof part !== "string") yield* writtenIn(part);
    else if (secretName.test(name) && !part.includes("${")) yield part.replace(/^\w+\s+/, "");
  }
}
