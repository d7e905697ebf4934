import type { Secret } from "../../contract/secret.ts";

const shortestSecret = 6;

/** A service that repeats what it was sent must not hand our key to the model, with its scheme or without. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  let clean = text;
  for (const secret of secrets) {
    const value = secret.reveal();
    for (const part of [value, value.replace(/^\w+\s+/, "")]) {
      if (part.length >= shortestSecret) clean = clean.replaceAll(part, "[redacted]");
    }
  }
  return clean;
}
