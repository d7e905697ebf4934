import { Secret } from "../base/secret.ts";
import { ConfigError } from "./config-error.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** Puts environment variables where a text says `${NAME}`. A name that is not set is an error: half a secret helps nobody. */
export function resolveVariables(text: string, variables: Variables, what: string): string {
  return text.replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new ConfigError(`${what} uses \${${name}}, which is no variable name.`);
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined || value === "") throw new ConfigError(`${what} uses \${${name}}, which is not set.`);
    return value;
  });
}

/** Header values that can be sent: resolved, without line breaks. */
export function resolveHeaders(
  headers: Readonly<Record<string, string>>,
  variables: Variables,
  what: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => {
      const value = resolveVariables(text, variables, `The header ${name} of ${what}`);
      if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw new ConfigError(`${what} has a header named "${name}".`);
      // The value may be a secret, so it is not shown.
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
        throw new ConfigError(`The header ${name} of ${what} cannot be sent.`);
      return [name.toLowerCase(), value];
    }),
  );
}

/** What the variables hold that a text names; "" for one that is not set. */
export function valuesNamedIn(text: string, variables: Variables): readonly string[] {
  return [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => variables[name] ?? "");
}

/** Names that say that their value is a secret. */
export const secretName = /auth|key|token|secret|password|cookie|credential/i;

/**
 * What a model must not read of the texts a service is given, by their names: what the operator keeps in the environment, and
 * what stands in the file under a name that says what it is. Anything else, such as a tenant, may come up in any answer.
 */
export function secretsIn(texts: Readonly<Record<string, string>>, variables: Variables): readonly Secret[] {
  const values = Object.entries(texts).flatMap(([name, text]) => {
    const named = valuesNamedIn(text, variables);
    return named.length === 0 && secretName.test(name) ? [text] : named;
  });
  return values.map((value) => new Secret(value));
}
