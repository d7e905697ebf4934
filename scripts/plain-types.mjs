// Writes the types of schemas into the declarations of the package as plain types with comments. The compiler writes each schema out
// in zod's own types wherever it is used: megabytes, which cost a program that imports the package half a minute and 800 MB.
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { parseAst } from "rolldown/parseAst";
import { shakeDeclarations } from "./shake-declarations.mjs";

/** Removes the declarations that no entry leads to, and rewrites the others. `sources` has the schemas themselves. */
export async function plainTypes({ declarations, sources, entries }) {
  removeUnused(declarations, entries);
  const files = await Promise.all(
    globSync("**/*.d.ts", { cwd: declarations }).map((path) => readFile({ path, declarations, sources })),
  );
  const named = new Map();
  for (const file of files) {
    for (const entry of file.schemas) {
      named.set(entry.schema, { file, entry });
      if (entry.stated !== undefined) stated.add(entry.schema);
    }
  }
  for (const file of files) writeFileSync(join(declarations, file.path), withoutZod(rewritten(file, named), file));
  writeFileSync(join(declarations, shared.path), sharedTypes(named));
  shakeDeclarations(declarations, entries);
  for (const path of globSync("**/*.d.ts", { cwd: declarations })) {
    const [left] =
      /\bz\.(?:Zod\w+|infer|input|output|core)\b/.exec(readFileSync(join(declarations, path), "utf8")) ?? [];
    if (left !== undefined) throw new Error(`${path}: ${left} is left; export the schema, or give it an id`);
  }
}

/** A file of declarations with the schemas that it exports. */
async function readFile({ path, declarations, sources }) {
  const text = readFileSync(join(declarations, path), "utf8");
  const statements = parseAst(text, { lang: "dts" }).body;
  const constants = statements.flatMap((statement) => {
    const declaration = statement.declaration ?? statement;
    const [declared] = declaration.type === "VariableDeclaration" ? declaration.declarations : [];
    return declared && /^\s*:?\s*z\./.test(text.slice(declared.id.typeAnnotation?.start ?? 0))
      ? [{ statement, name: declared.id.name }]
      : [];
  });
  if (constants.length === 0) return { path, text, schemas: [], statements };
  const values = await import(pathToFileURL(join(sources, path.replace(/\.d\.ts$/, ".ts"))).href);
  const types = new Map(
    statements.flatMap((statement) => {
      // The type of a schema may be local while the schema is exported.
      const declaration = statement.declaration ?? statement;
      return declaration.type === "TSTypeAliasDeclaration" ? [[declaration.id.name, statement]] : [];
    }),
  );
  // A schema that is not exported is found by its name in the API.
  const valueOf = (name) => values[name] ?? z.globalRegistry._idmap.get(name);
  const schemas = constants
    .filter(({ name }) => valueOf(name)?._zod !== undefined)
    .map(({ statement, name }) => {
      const type = types.get(name);
      const isOwn = type !== undefined && text.slice(type.start, type.end).includes(`z.infer<typeof ${name}>`);
      const output = type === undefined || isOwn ? name : `${name}Output`;
      const input = `${name}Input` in values ? `${name}Given` : `${name}Input`;
      // A schema whose type is stated, because it cannot be worked out.
      const [, stated] =
        /^export declare const \w+: z\.ZodType<([\w.]+)[,>]/.exec(text.slice(statement.start, statement.end)) ?? [];
      return { name, schema: valueOf(name), statement, type: isOwn ? type : undefined, output, input, stated };
    });
  return { path, text, statements, schemas };
}

function rewritten(file, named) {
  const changes = file.schemas.flatMap((entry) => {
    const output = entry.stated ?? printed({ schema: entry.schema, io: "output", file, named });
    const input = entry.stated === undefined ? printed({ schema: entry.schema, io: "input", file, named }) : "unknown";
    const types = [`export type ${entry.output} = ${output};`];
    if (input !== output) types.push(`export type ${entry.input} = ${input};`);
    const both = `${entry.output}, ${input === output ? entry.output : entry.input}`;
    const exported = entry.statement.declaration === undefined ? "" : "export ";
    const constant = `${exported}declare const ${entry.name}: Schema<${both}>;`;
    return [
      { at: entry.statement, text: `${constant}\n${types.join("\n")}` },
      ...(entry.type ? [{ at: entry.type, text: "" }] : []),
    ];
  });
  let { text } = file;
  for (const { at, text: replacement } of changes.toSorted((left, right) => right.at.start - left.at.start)) {
    text = text.slice(0, at.start) + replacement + text.slice(at.end);
  }
  return text;
}

/** Schemas that have a name in the API, but are no exports. The list grows while they are written. */
const shared = { path: "schema-types.d.ts", schemas: [] };

function sharedTypes(named) {
  const texts = [schemaTypes];
  for (const { schema, output, input } of shared.schemas) {
    texts.push(`export type ${output} = ${printed({ schema, io: "output", file: shared, named })};`);
    if (differs(schema)) texts.push(`export type ${input} = ${printed({ schema, io: "input", file: shared, named })};`);
  }
  return `${texts.join("\n")}\n`;
}

/** Our own words for the parts of zod that are left, so that its types are not loaded at all. */
function withoutZod(text, file) {
  const plain = text
    .replace(/^import (?:type )?\{ z \} from "zod";\n/m, "")
    .replaceAll(/\bz\.infer<typeof /g, "OutputOf<typeof ")
    .replaceAll(/\bz\.(input|output)<typeof /g, (_, way) => `${way === "input" ? "InputOf" : "OutputOf"}<typeof `)
    .replaceAll(/\bz\.(?:core\.util\.)?JSONType\b/g, "Json");
  return `import type { InputOf, Json, OutputOf, Schema } from "${pathTo(shared, file)}";\n${plain}`;
}

const schemaTypes = `/** Checks a value and reads it. */
export interface Schema<Output, Input = Output> {
    /** The value as it is read. Throws an error that lists every mistake. */
    parse(value: unknown): Output;
    safeParse(value: unknown): { success: true; data: Output; error?: undefined } | { success: false; data?: undefined; error: SchemaError };
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: string;
        readonly types?: { readonly input: Input; readonly output: Output } | undefined;
        readonly validate: (value: unknown) => unknown;
    };
}
export interface SchemaError extends Error {
    readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[];
}
export type InputOf<Of> = Of extends Schema<infer _Output, infer Input> ? Input : never;
export type OutputOf<Of> = Of extends Schema<infer Output, infer _Input> ? Output : never;
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };`;

/** Schemas whose types are stated: what is given to them can be anything. */
const stated = new Set();

/** True when what is given differs from what is read, by defaults for example. */
function differs(schema, seen = new Set()) {
  if (stated.has(schema)) return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { def } = schema._zod;
  return (
    ["default", "prefault", "catch", "pipe", "transform"].includes(def.type) ||
    def.coerce ||
    partsOf(def).some((part) => differs(part, seen))
  );
}

function partsOf(def) {
  const { shape, catchall, element, innerType, options, items, rest, keyType, valueType, left, right } = def;
  const lazy = def.type === "lazy" ? [def.getter()] : [];
  const listed = [catchall, element, innerType, rest, keyType, valueType, left, right].filter(Boolean);
  return [...Object.values(shape ?? {}), ...(options ?? []), ...(items ?? []), ...listed, ...lazy];
}

/** The type of a schema in TypeScript, by name where the schema is exported. */
function printed({ schema, io, file, named, within = [] }) {
  if (within.length > 0) {
    const known = namedAs(schema, named);
    if (known) {
      const name = io === "input" && differs(known.entry.schema) ? known.entry.input : known.entry.output;
      if (known.file === file) return name;
      return `import("${pathTo(known.file, file)}").${name}`;
    }
  }
  if (within.includes(schema)) throw new Error(`${file.path}: a schema that contains itself has to be exported`);
  const type = (part) => printed({ schema: part, io, file, named, within: [...within, schema] });
  const { def } = schema._zod;
  // Values of a query are texts that are read as numbers, for example.
  if (def.coerce && io === "input") return "unknown";
  switch (def.type) {
    case "string":
    case "template_literal":
      return "string";
    case "number":
    case "int":
      return "number";
    case "boolean":
    case "null":
    case "undefined":
    case "unknown":
    case "never":
    case "any":
      return def.type;
    case "literal":
      return def.values.map((value) => JSON.stringify(value)).join(" | ");
    case "enum":
      return Object.values(def.entries)
        .map((value) => JSON.stringify(value))
        .join(" | ");
    case "array":
      return `Array<${type(def.element)}>`;
    case "tuple":
      return `[${[...def.items.map(type), ...(def.rest ? [`...Array<${type(def.rest)}>`] : [])].join(", ")}]`;
    case "record":
      return type(def.keyType) === "string"
        ? `{ [key: string]: ${type(def.valueType)} }`
        : `Record<${type(def.keyType)}, ${type(def.valueType)}>`;
    case "object":
      return objectType(def, { io, type, depth: within.length });
    case "union":
      return `(${def.options.map(type).join(" | ")})`;
    case "intersection":
      return `(${type(def.left)} & ${type(def.right)})`;
    case "nullable":
      return `(${type(def.innerType)} | null)`;
    case "optional":
      if (schema._zod.traits.has("$ZodExactOptional")) return type(def.innerType);
      return `(${type(def.innerType)} | undefined)`;
    case "default":
    case "prefault":
      return io === "input" ? `(${type(def.innerType)} | undefined)` : withoutUndefined(type(def.innerType));
    case "nonoptional":
      return withoutUndefined(type(def.innerType));
    case "readonly":
      return `Readonly<${type(def.innerType)}>`;
    case "catch":
      return type(def.innerType);
    case "lazy":
      return isJson(def.getter()) ? `import("${pathTo(shared, file)}").Json` : type(def.getter());
    case "pipe":
      return type(io === "input" ? def.in : def.out);
    default:
      throw new Error(`${file.path}: how is a schema of the type ${def.type} written?`);
  }
}

/** z.json() */
const isJson = ({ _zod: { def } }) =>
  def.type === "union" && def.options.some(({ _zod }) => _zod.def.type === "null") && def.options.length === 6;

function pathTo(target, from) {
  const path = relative(dirname(from.path), target.path).replace(/\.d\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

function objectType({ shape, catchall }, { io, type, depth }) {
  const indent = "    ".repeat(depth + 1);
  const fields = Object.entries(shape).map(([key, schema]) => {
    const optional = (io === "input" ? schema._zod.optin : schema._zod.optout) !== undefined;
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    const words = descriptionOf(schema);
    const comment = words === undefined ? "" : `${indent}/** ${words.replaceAll("*/", "*\\/")} */\n`;
    return `${comment}${indent}${name}${optional ? "?" : ""}: ${type(schema)};\n`;
  });
  const open = catchall && catchall._zod.def.type !== "never" ? `${indent}[key: string]: ${type(catchall)};\n` : "";
  return `{\n${fields.join("")}${open}${"    ".repeat(depth)}}`;
}

const withoutUndefined = (type) => (type.endsWith(" | undefined)") ? `Exclude<${type}, undefined>` : type);

/** The export of a schema, also of one that was only described or refined since: its type is the same. */
function namedAs(schema, named) {
  for (let one = schema; one !== undefined; one = one._zod.parent) {
    if (named.has(one)) return named.get(one);
    const id = one.meta()?.id;
    if (id === undefined) continue;
    const count = shared.schemas.filter(({ id: other }) => other === id).length;
    const output = `${id}${count === 0 ? "" : count + 1}`;
    const entry = { id, schema: one, output, input: `${output}Input` };
    shared.schemas.push(entry);
    named.set(one, { file: shared, entry });
    return named.get(one);
  }
  return undefined;
}

/** The description of a field, also below `optional` and the like. */
function descriptionOf(schema) {
  return schema === undefined ? undefined : (schema.description ?? descriptionOf(schema._zod.def.innerType));
}

/** Removes the declarations that no entry imports. */
function removeUnused(declarations, entries) {
  const used = new Set();
  const visit = (file) => {
    if (used.has(file) || !existsSync(file)) return;
    used.add(file);
    for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from |import\(?)\s*"(\.[^"]+)"/g)) {
      visit(resolve(dirname(file), path.replace(/\.[jt]s$/, ".d.ts")));
    }
  };
  for (const entry of entries) visit(resolve(declarations, `${entry}.d.ts`));
  for (const path of globSync("**/*.d.ts", { cwd: declarations })) {
    if (!used.has(resolve(declarations, path))) rmSync(join(declarations, path));
  }
}
