import type { Secret } from "../base/secret.ts";
import { parseBaseUrl } from "./address.ts";
import { keyWithoutHome } from "./credentials.ts";
import type { Environment } from "./environment.ts";
import { SettingsError } from "./settings-error.ts";

/** A model the service itself uses: to judge, to label, to embed. */
export interface HelperModel {
  readonly endpoint: string;
  readonly model: string;
  readonly apiKey: Secret | null;
}

/** Reads `<PREFIX>_ENDPOINT`, `<PREFIX>_MODEL` and `<PREFIX>_API_KEY`: endpoint and model belong together. */
export function readHelperModel(
  environment: Environment,
  prefix: "JUDGE" | "LABELLER" | "EMBEDDINGS",
): HelperModel | null {
  const endpoint = environment.text(`${prefix}_ENDPOINT`);
  const model = environment.text(`${prefix}_MODEL`);
  const apiKey = environment.key(`${prefix}_API_KEY`);

  if (endpoint === null && apiKey !== null) throw keyWithoutHome(`${prefix}_API_KEY`, `${prefix}_ENDPOINT`);
  if (endpoint === null && model !== null)
    throw new SettingsError(`${prefix}_MODEL`, `is set without ${prefix}_ENDPOINT`);
  if (endpoint === null) return null;
  if (model === null) throw new SettingsError(`${prefix}_ENDPOINT`, `is set without ${prefix}_MODEL`);
  return { endpoint: parseBaseUrl(`${prefix}_ENDPOINT`, endpoint), model, apiKey };
}
