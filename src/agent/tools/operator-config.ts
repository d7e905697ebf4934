import type { z } from "zod";
import { Secret } from "../../base/secret.ts";
import { validationMessage } from "../../contract/schemas/shared/validation-message.ts";

export type ConfigVariables = Readonly<Record<string, string | undefined>>;

/** Replaces `${NAME}` by environment variables. A variable that is not set is an error. */
export function resolveVariables(text: string, variables: ConfigVariables, what: string): string {
  return text.replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new ConfigError(`${what} uses \${${name}}, which is not a variable name.`);
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined || value === "") throw new ConfigError(`${what} uses \${${name}}, which is not set.`);
    return value;
  });
}

/** Headers with their variables resolved. A value that HTTP cannot carry is an error. */
export function resolveHeaders(
  headers: Readonly<Record<string, string>>,
  variables: ConfigVariables,
  what: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => {
      const value = resolveVariables(text, variables, `The header ${name} of ${what}`);
      if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
        throw new ConfigError(`${what} has a header with an invalid name: "${name}".`);
      // The value may be a secret, so it is not shown.
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
        throw new ConfigError(`The header ${name} of ${what} contains characters that HTTP does not allow.`);
      return [name.toLowerCase(), value];
    }),
  );
}

/** The values of the variables that a text names; "" for one that is not set. */
export function variableValues(text: string, variables: ConfigVariables): readonly string[] {
  return [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => variables[name] ?? "");
}

/** Names whose values are secrets. */
export const secretNamePattern = /auth|key|token|secret|password|cookie|credential/i;

/**
 * The secrets among the texts sent to a service, which the model must not read: values from the environment, and values in the
 * file under a secret's name. Other values, such as a tenant, may appear in any answer.
 */
export function collectSecrets(texts: Readonly<Record<string, string>>, variables: ConfigVariables): readonly Secret[] {
  const values = Object.entries(texts).flatMap(([name, text]) => {
    const named = variableValues(text, variables);
    return named.length === 0 && secretNamePattern.test(name) ? [text] : named;
  });
  return values.map((value) => new Secret(value));
}

/** A mistake in the operator's file that prevents the start. The message is one line and says what to change. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const shownIssues = 3;

/** The typed value, or a `ConfigError` that names each invalid field. */
export function parseOperatorConfig<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: validationMessage });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const shown = issues.slice(0, shownIssues).map(({ path, message }) => `${path.join(".") || "it"} ${message}`);
  const more = issues.length > shownIssues ? `; and ${issues.length - shownIssues} more` : "";
  throw new ConfigError(`${what} is not valid: ${shown.join("; ")}${more}`);
}

/** The JSON in a text, or a `ConfigError` with the position of the mistake. */
export function parseConfigJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    // A parser message without a position quotes the text, which may contain a key.
    const reason = (cause as SyntaxError).message.replace(/, (?:\.{3})?".*$/s, "");
    throw new ConfigError(`${what} is not valid JSON: ${reason}`, { cause });
  }
}
