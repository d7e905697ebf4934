import type { z } from "zod";
import { validationMessage } from "../contract/schemas/validation-message.ts";

/** Something in a file the operator wrote that the agent cannot start with. The message is one line and says what to change. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const shownIssues = 3;

/** The value in its type, or a `ConfigError` that names each place that is wrong. */
export function parseConfig<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: validationMessage });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const shown = issues.slice(0, shownIssues).map(({ path, message }) => `${path.join(".") || "it"} ${message}`);
  const more = issues.length > shownIssues ? `; and ${issues.length - shownIssues} more` : "";
  throw new ConfigError(`${what} is not valid: ${shown.join("; ")}${more}`);
}

/** The JSON in a text, or a `ConfigError` that says where it breaks. */
export function parseConfigJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    // Where the parser names no place it quotes the text, which may hold a key.
    const reason = (cause as SyntaxError).message.replace(/, (?:\.{3})?".*$/s, "");
    throw new ConfigError(`${what} is not valid JSON: ${reason}`, { cause });
  }
}
