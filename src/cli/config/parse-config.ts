import { isMap, isScalar, LineCounter, parse, parseDocument, Scalar, visit, type Document } from "yaml";
import { z } from "zod";
import { closestName } from "../../base/text.ts";
import { unknownFieldsOf, type UnknownField } from "../../contract/schemas/shared/unknown-fields.ts";
import { validationMessage } from "../../contract/schemas/shared/validation-message.ts";
import { configError, type ConfigPlace } from "../terminal/cli-error.ts";
import { Config } from "./config.ts";

/** Parses YAML or JSON text into a configuration, or into one of its keys. Errors have a line and a column. */
export function parseConfigText(
  text: string,
  { file, only, environment = process.env }: { file: string; only?: keyof Config; environment?: NodeJS.ProcessEnv },
): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number | undefined): ConfigPlace => {
    if (offset === undefined) return { file };
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const [problem] = document.errors;
  if (problem?.code === "MULTIPLE_DOCS")
    throw configError(at(problem.pos[0]), "a second document begins here: keep one");
  const syntax = file.endsWith(".json") ? "JSON" : "YAML";
  if (problem) throw configError(at(problem.pos[0]), `is not valid ${syntax}: ${problem.message}`, problem);
  if (only !== undefined && isMap(document.contents))
    document.contents.items = document.contents.items.filter(({ key }) => isScalar(key) && key.value === only);
  const quoted = substitute(document, { environment, at });
  // In JSON a variable is always in quotes, so there it may also stand for a number.
  if (syntax === "JSON") convertScalars(document, quoted);
  return checkConfig(document.toJS() ?? {}, (path, key) => at(offsetOf(document, path, key)), file);
}

/** Converts substituted strings to numbers or booleans where the schema does not accept the string. */
function convertScalars(document: Document, quoted: ReadonlySet<Scalar>): void {
  for (;;) {
    const parsed = Config.safeParse(document.toJS() ?? {});
    const nodes = parsed.error?.issues.map(({ path }) => document.getIn(path, true)) ?? [];
    const node = nodes.find((found) => isScalar(found) && quoted.has(found) && typeof found.value === "string");
    if (!isScalar(node)) return;
    const value = plainValue(String(node.value));
    if (typeof value === "string") return;
    node.value = value;
  }
}

/** Validates a configuration that is already an object, such as a TypeScript module's export. */
export function checkConfig(
  value: unknown,
  placeOf: (path: readonly PropertyKey[], key?: string) => ConfigPlace,
  file: string,
): Config {
  const unknown = unknownFieldsOf(Config, value);
  const parsed = Config.safeParse(withoutFree(value, unknown), { reportInput: true, error: validationMessage });
  if (parsed.success) {
    const misspelt = unknown.find(({ name }) => !isFreeKey(name));
    if (misspelt) throw unknownKey(misspelt, placeOf);
    return parsed.data;
  }
  const issue = deepest(parsed.error.issues[0]);
  if (!issue) throw configError({ file }, "cannot be used");
  if (issue.code === "unrecognized_keys") {
    const [name = ""] = issue.keys;
    throw unknownKey({ path: issue.path, name }, placeOf);
  }
  const name = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  throw configError(placeOf(issue.path), name + (unionMessage(issue) ?? issue.message));
}

/** Keys for the author of the file, which mean nothing to us. */
const isFreeKey = (name: string): boolean => name.startsWith("x-");

/** A copy without the free keys, which a strict schema would refuse. */
function withoutFree(value: unknown, unknown: readonly UnknownField[]): unknown {
  const free = unknown.filter(({ name }) => isFreeKey(name));
  if (free.length === 0) return value;
  const copy = structuredClone(value);
  for (const { path, name } of free) {
    const holder = path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)[step], copy);
    delete (holder as Record<string, unknown>)[name];
  }
  return copy;
}

function unknownKey(
  { path, name, nearest }: Pick<UnknownField, "path" | "name" | "nearest">,
  placeOf: (path: readonly PropertyKey[], key?: string) => ConfigPlace,
): Error {
  const within = path.length > 0 ? ` in ${path.join(".")}` : "";
  const meant = nearest === undefined ? suggestion(name, path) : `: did you mean "${nearest}"?`;
  return configError(placeOf(path, name), `unknown key "${name}"${within}${meant}`);
}

/** Of a union's errors, the one at the deepest path explains most. */
function deepest(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== "invalid_union") return issue;
  const inner = issue.errors.flat().toSorted((left, right) => right.path.length - left.path.length)[0];
  if (!inner || inner.path.length === 0) return issue;
  return deepest({ ...inner, path: [...issue.path, ...inner.path] });
}

/** One message for a union: the error its members share, or the list of accepted kinds. */
function unionMessage(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return undefined;
  const messages = new Set(issue.errors.map(([first]) => first?.message ?? ""));
  if (messages.size === 1) return [...messages][0];
  const parts = [...messages].map((message) => /^must be (?<kind>.+), not (?<given>.+)$/.exec(message)?.groups);
  const kinds = parts.flatMap((part) => part?.["kind"] ?? []);
  return kinds.length < parts.length ? undefined : `must be ${kinds.join(" or ")}, not ${parts[0]?.["given"]}`;
}

function suggestion(key: string, path: readonly PropertyKey[]): string {
  const known = keysAt(path);
  const nearest = closestName(key, known);
  if (nearest !== undefined) return `: did you mean "${nearest}"?`;
  if (path.length === 0) return " (rehearsal schema config lists them)";
  return known.length === 0 ? "" : `: there are ${known.join(", ")}`;
}

/** The keys of the configuration or of a part such as `budget`. */
function keysAt([part, ...deeper]: readonly PropertyKey[]): string[] {
  if (part === undefined) return Object.keys(Config.shape);
  const field = deeper.length === 0 ? Config.shape[part as keyof typeof Config.shape] : undefined;
  const object = field instanceof z.ZodOptional ? field.unwrap() : field;
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

/** Substitutes environment variables and returns the quoted scalars that changed. */
function substitute(
  document: Document,
  { environment, at }: { environment: NodeJS.ProcessEnv; at: (offset: number | undefined) => ConfigPlace },
): ReadonlySet<Scalar> {
  const quoted = new Set<Scalar>();
  visit(document, {
    Scalar(key, node) {
      if (key === "key" || typeof node.value !== "string" || !node.value.includes("${")) return;
      const result = substituteVariables(node.value, environment);
      if (!result.ok) {
        throw configError(at(node.range?.[0]), `the environment variable ${result.missing} is not set`);
      }
      // An unquoted ${ATTEMPTS} may be a number; a quoted one is text.
      node.value = node.type === Scalar.PLAIN ? plainValue(result.text) : result.text;
      if (node.type !== Scalar.PLAIN) quoted.add(node);
    },
  });
  return quoted;
}

function plainValue(text: string): unknown {
  if (!/^(-?\d|true$|false$)/.test(text)) return text;
  const value: unknown = parse(text);
  return typeof value === "number" || typeof value === "boolean" ? value : text;
}

/** The offset of a value, or of a key in it. For a missing value, its parent's offset. */
function offsetOf(document: Document, path: readonly PropertyKey[], key?: string): number | undefined {
  const node: unknown = document.getIn(path, true);
  if (node === undefined && path.length > 0) return offsetOf(document, path.slice(0, -1));
  if (key !== undefined && isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
    if (isScalar(pair?.key)) return pair.key.range?.[0];
  }
  const { range } = (node ?? {}) as { range?: readonly number[] | null };
  return range?.[0];
}

/** `${NAME}` and `${NAME:-default}`; `$${` is an escaped `${`. */
const reference = /\$\$\{|\$\{(?<name>[A-Za-z_]\w*)(?::-(?<fallback>[^}]*))?\}/g;

type Substitution = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly missing: string };

/** Substitutes variables in a text. Reports the first one that is not set and has no default. */
function substituteVariables(text: string, environment: NodeJS.ProcessEnv): Substitution {
  let missing: string | undefined;
  const replaced = text.replace(reference, (whole, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return whole.slice(1);
    const value = environment[name] ?? fallback;
    if (value === undefined) missing ??= name;
    return value ?? "";
  });
  return missing === undefined ? { ok: true, text: replaced } : { ok: false, missing };
}
