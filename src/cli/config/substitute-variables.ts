/** `${NAME}` and `${NAME:-default}`; `$${` stands for a plain `${`. */
const reference = /\$\$\{|\$\{(?<name>[A-Za-z_]\w*)(?::-(?<fallback>[^}]*))?\}/g;

type Substitution = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly missing: string };

/** Puts the environment's values where a text names them. A name that is not set and has no default is reported. */
export function substituteVariables(text: string, environment: NodeJS.ProcessEnv): Substitution {
  let missing: string | undefined;
  const replaced = text.replace(reference, (whole, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return whole.slice(1);
    const value = environment[name] ?? fallback;
    if (value === undefined) missing ??= name;
    return value ?? "";
  });
  return missing === undefined ? { ok: true, text: replaced } : { ok: false, missing };
}
