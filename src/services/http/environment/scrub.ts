import { createSecretRedactor } from "../../../base/redact-secrets.ts";
import { redactKeys, type Secret } from "../../../base/secret.ts";

/** Removes secrets from text: known values in every encoding, and anything that looks like a key. */
export function createScrubber(secrets: readonly Secret[] = []): (text: string) => string {
  const known = createSecretRedactor(secrets);
  return (text) => redactKeys(known.text(text));
}

/** Removes anything that looks like a key, for text that cannot hold configured secrets. */
export const scrub = createScrubber();
