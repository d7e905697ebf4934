import { readFileSync } from "node:fs";
import type { Secret } from "../base/secret.ts";
import { createEnvironment, type Variables } from "./environment.ts";

/** Which running services the commands use, and the key they show there. */
interface ClientSettings {
  /** Address of the evaluation service. */
  readonly server: string | null;
  /** Address of the agent backend. */
  readonly agent: string | null;
  readonly apiKey: Secret | null;
}

export function readClientSettings(
  variables: Variables,
  { readFile = (path: string) => readFileSync(path, "utf8") }: { readFile?: (path: string) => string } = {},
): ClientSettings {
  const environment = createEnvironment(variables, readFile);
  return {
    server: environment.text("REHEARSAL_SERVER"),
    agent: environment.text("REHEARSAL_AGENT"),
    apiKey: environment.key("REHEARSAL_API_KEY"),
  };
}

/** Whether a run may have scorers that are not built in: of a module, or of the service that is asked. */
export const mayHaveOwnScorers = (variables: Variables): boolean =>
  [variables["REHEARSAL_SCORERS_MODULE"], variables["REHEARSAL_SERVER"]].some((value) => value?.trim());
