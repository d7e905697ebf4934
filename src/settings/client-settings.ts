import { readFileSync } from "node:fs";
import type { Secret } from "../base/secret.ts";
import { createEnvironment, type Variables } from "./environment.ts";

/** The running services that commands use, and the key they send. */
interface ClientSettings {
  /** Address of the evaluation service. */
  readonly server: string | null;
  /** Address of the agent backend. */
  readonly agent: string | null;
  readonly apiKey: Secret | null;
  /** The module with the operator's own scorers, for runs on this machine. */
  readonly scorersModule: string | null;
  /** The endpoint of the embedding model, for runs on this machine. */
  readonly embeddings: string | null;
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
    scorersModule: environment.text("REHEARSAL_SCORERS_MODULE"),
    embeddings: environment.text("EMBEDDINGS_ENDPOINT"),
  };
}

/** True when a run may have scorers that are not built in: from a module, or from the service it is sent to. */
export const mayHaveOwnScorers = (variables: Variables): boolean =>
  [variables["REHEARSAL_SCORERS_MODULE"], variables["REHEARSAL_SERVER"]].some((value) => value?.trim());
