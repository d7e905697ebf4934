import { firstCharacters } from "../contract/first-characters.ts";

/** A setting the service cannot start with. The message is one line that names the variable, the value and what would be right. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly variable: string;

  constructor(variable: string, problem: string, options?: ErrorOptions) {
    super(`${variable} ${problem}`, options);
    this.variable = variable;
  }
}

/** A value as an error line shows it: quoted, on one line, not longer than a line. */
export function quoted(value: string): string {
  return JSON.stringify(firstCharacters(value, 80));
}
