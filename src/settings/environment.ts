import { isHeaderText } from "../base/text.ts";
import { Secret } from "../base/secret.ts";
import { quoted, SettingsError } from "./settings-error.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads variables. Surrounding white space is dropped, and an empty value counts as not set. */
export interface Environment {
  text(name: string): string | null;
  /** The value of `name`, or the trimmed content of the file that `<name>_FILE` points to. */
  secret(name: string): Secret | null;
  /** A secret that is sent in a header. */
  key(name: string): Secret | null;
  /** Comma-separated, empty entries dropped. */
  list(name: string): readonly string[];
  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | null;
}

export function createEnvironment(variables: Variables, readFile: (path: string) => string): Environment {
  const text = (name: string) => variables[name]?.trim() || null;
  const secret = (name: string) => readSecret({ name, value: text(name), file: text(`${name}_FILE`), readFile });

  return {
    text,
    secret,
    key: (name) => checkVariableName(name, secret(name)),
    list: (name) => splitList(text(name) ?? ""),
    oneOf: (name, choices) => {
      const value = text(name);
      if (value === null) return null;
      const choice = choices.find((candidate) => candidate === value.toLowerCase());
      if (choice === undefined) throw new SettingsError(name, `is ${quoted(value)}: use one of ${choices.join(", ")}`);
      return choice;
    },
  };
}

export function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function readSecret(source: {
  name: string;
  value: string | null;
  file: string | null;
  readFile: (path: string) => string;
}): Secret | null {
  const { name, value, file, readFile } = source;
  if (file === null) return value === null ? null : new Secret(value);
  if (value !== null) throw new SettingsError(`${name}_FILE`, `is set beside ${name}: keep one of the two`);

  const content = readSecretFile(name, file, readFile).trim();
  if (content === "")
    throw new SettingsError(`${name}_FILE`, `names an empty file, ${quoted(file)}: put the value in it`);
  return new Secret(content);
}

/** Refuses a key that no header can carry. The error does not repeat the value: most of it is a key. */
function checkVariableName(name: string, key: Secret | null): Secret | null {
  if (key === null || isHeaderText(key.reveal())) return key;
  throw new SettingsError(
    name,
    "holds characters that no header can carry, such as … or a line break: put in the key itself",
  );
}

function readSecretFile(name: string, file: string, readFile: (path: string) => string): string {
  try {
    return readFile(file);
  } catch (cause) {
    throw new SettingsError(`${name}_FILE`, `is ${quoted(file)}, which cannot be read: give a readable file`, {
      cause,
    });
  }
}
