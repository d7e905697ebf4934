import { truncateText } from "../base/text.ts";
import { redactKeys } from "../base/secret.ts";

/** A setting that prevents the start. The message is one line: the variable, its value and what to use instead. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly variable: string;

  constructor(variable: string, problem: string, options?: ErrorOptions) {
    super(`${variable} ${problem}`, options);
    this.variable = variable;
  }
}

/** Quotes a value for an error line: short, on one line, with possible keys redacted. */
export function quoted(value: string): string {
  return JSON.stringify(truncateText(redactKeys(withoutCredentials(value)), 80));
}

/** In an address, the text before an @ may be a password and the text after ? or # a key. */
function withoutCredentials(value: string): string {
  return value.replace(/:\/\/.*@/s, "://[redacted]@").replace(/(:\/\/[^?#]*[?#]).+/s, "$1[redacted]");
}
