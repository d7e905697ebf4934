import { Secret } from "../../base/secret.ts";

/** Every secret anywhere in the settings, for the log's scrubber. A new secret is found without being listed here. */
export function secretsOf(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(secretsOf);
}
