import { truncateText } from "../base/text.ts";
import { redactKeys } from "../base/secret.ts";

/** A setting the service cannot start with. The message is one line that names the variable, the value and what would be right. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly variable: string;

  constructor(variable: string, problem: string, options?: ErrorOptions) {
    super(`${variable} ${problem}`, options);
    this.variable = variable;
  }
}

/** A value as an error line shows it: quoted, on one line, not longer than a line, and without what may be a key in it. */
export function quoted(value: string): string {
  return JSON.stringify(truncateText(redactKeys(withoutCredentials(value)), 80));
}

/** Of an address, what stands before an @ may be a password, and what stands behind ? or # a key. */
function withoutCredentials(value: string): string {
  return value.replace(/:\/\/.*@/s, "://[redacted]@").replace(/(:\/\/[^?#]*[?#]).+/s, "$1[redacted]");
}
