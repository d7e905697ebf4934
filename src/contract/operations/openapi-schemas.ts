import { z } from "zod";
import { filesOnly } from "../../scoring/checks/files-only.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

/** The JSON Schemas of zod schemas: references to components, or inline schemas for those without an id. */
export interface ComponentSchemas {
  readonly components: Readonly<Record<string, Json>>;
  input(schema: z.ZodType): JsonObject;
  output(schema: z.ZodType): JsonObject;
}

/**
 * Turns zod schemas with an id into components. When the request and response forms of a component differ (defaults), the name of
 * the request form ends in `Input`, or in `Request` if the name already ends in `Input`.
 */
export function toComponentSchemas(used: {
  inputs: readonly z.ZodType[];
  outputs: readonly z.ZodType[];
}): ComponentSchemas {
  const input = toView(used.inputs, "input");
  const output = toView(used.outputs, "output");
  const inputNames = nameInputs(input.definitions, output.definitions);
  const rename = (name: string) => inputNames.get(name) ?? name;

  return {
    components: { ...place(input.definitions, rename), ...place(output.definitions, (name) => name) },
    input: (schema) => withReferences(found(input.schemas, schema), rename) as JsonObject,
    output: (schema) => withReferences(found(output.schemas, schema), (name) => name) as JsonObject,
  };
}

interface View {
  readonly schemas: ReadonlyMap<z.ZodType, Json>;
  readonly definitions: Readonly<Record<string, Json>>;
}

/** Converts all schemas as properties of one object, so that they share their definitions. */
function toView(list: readonly z.ZodType[], io: "input" | "output"): View {
  const unique = [...new Set(list)];
  const holder = z.object(Object.fromEntries(unique.map((schema, index) => [`schema${index}`, schema])));
  const converted = z.toJSONSchema(holder, {
    io,
    unrepresentable: "any",
    override: (context) => {
      tidy(context);
      if (io === "input") removeFilesOnly(context);
    },
  }) as unknown as { properties?: Record<string, Json>; $defs?: Record<string, Json> };
  const { properties = {}, $defs = {} } = converted;
  const used = reachable(properties, $defs);
  return {
    schemas: new Map(unique.map((schema, index) => [schema, properties[`schema${index}`] ?? {}])),
    definitions: Object.fromEntries(Object.entries($defs).filter(([name]) => used.has(name))),
  };
}

type Conversion = { readonly zodSchema: z.core.$ZodTypes; readonly jsonSchema: z.core.JSONSchema.BaseSchema };

/** Removes what no request over HTTP may have, and the forms that need it. */
function removeFilesOnly({ zodSchema: { _zod }, jsonSchema }: Conversion): void {
  const { def } = _zod;
  if (def.type === "object") {
    const removed = Object.keys(def.shape).filter((name) => filesOnly.has(def.shape[name] as z.ZodType));
    for (const name of removed) delete jsonSchema.properties?.[name];
    const isRemoved = (name: string): boolean => removed.includes(name);
    if (jsonSchema.anyOf) jsonSchema.anyOf = jsonSchema.anyOf.filter(({ required = [] }) => !required.some(isRemoved));
  }
  if (def.type !== "union") return;
  for (const key of ["anyOf", "oneOf"] as const) {
    const members = jsonSchema[key];
    if (members) jsonSchema[key] = members.filter((_, index) => !filesOnly.has(def.options[index] as z.ZodType));
  }
}

/** The names of the definitions that a value refers to, itself or by other definitions. */
function reachable(value: Json, definitions: Readonly<Record<string, Json>>, names = new Set<string>()): Set<string> {
  for (const name of referencesIn(value)) {
    if (names.has(name)) continue;
    names.add(name);
    reachable(definitions[name] ?? null, definitions, names);
  }
  return names;
}

/** Removes trivial constraints. Objects stay open: responses may get new fields, and unknown fields of requests are ignored. */
function tidy({ zodSchema, jsonSchema }: Conversion): void {
  if (zodSchema._zod.def.type === "object" && zodSchema._zod.def.catchall === undefined) {
    delete jsonSchema.additionalProperties;
  }
  if (Object.keys(jsonSchema.propertyNames ?? {}).join() === "type") delete jsonSchema.propertyNames;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** New names for the request forms of components whose response form differs. */
function nameInputs(
  inputs: Readonly<Record<string, Json>>,
  outputs: Readonly<Record<string, Json>>,
): ReadonlyMap<string, string> {
  const different = new Set(
    Object.keys(inputs).filter((name) => name in outputs && !same(inputs[name], outputs[name])),
  );
  // A component that refers to a renamed one differs as well, if responses use it.
  for (let size = -1; size !== different.size;) {
    size = different.size;
    for (const [name, definition] of Object.entries(inputs)) {
      if (name in outputs && [...referencesIn(definition)].some((target) => different.has(target))) different.add(name);
    }
  }
  const taken = new Set([...Object.keys(inputs), ...Object.keys(outputs)]);
  return new Map([...different].map((name) => [name, freeSchemaName(inputName(name), taken)]));
}

function inputName(name: string): string {
  return name.endsWith("Input") ? name.replace(/Input$/, "Request") : `${name}Input`;
}

function freeSchemaName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}

function same(left: Json | undefined, right: Json | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function place(definitions: Readonly<Record<string, Json>>, rename: (name: string) => string): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(definitions)
      .filter(([name]) => !isJsonValue(name))
      .map(([name, definition]) => [rename(name), withReferences(definition, rename)]),
  );
}

const definitionPrefix = "#/$defs/";

/** True for zod's generated names of recursive schemas without an id. In the contract only `z.json()` has one, and it allows any value. */
function isJsonValue(name: string): boolean {
  return name.startsWith("__schema");
}

function withReferences(value: Json, rename: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withReferences(item, rename));
  if (value === null || typeof value !== "object") return value;
  const { $ref, ...rest } = value as JsonObject;
  const converted = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withReferences(item, rename)]));
  if (typeof $ref !== "string") return converted;
  const name = $ref.slice(definitionPrefix.length);
  return isJsonValue(name) ? converted : { $ref: `#/components/schemas/${rename(name)}`, ...converted };
}

function referencesIn(value: Json): ReadonlySet<string> {
  const names = new Set<string>();
  withReferences(value, (name) => {
    names.add(name);
    return name;
  });
  return names;
}

function found(schemas: ReadonlyMap<z.ZodType, Json>, schema: z.ZodType): Json {
  return schemas.get(schema) ?? {};
}
