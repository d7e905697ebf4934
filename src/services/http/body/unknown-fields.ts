import { z } from "zod";
import type { Warning } from "../../../contract/schemas/problem.ts";
import { closestName } from "../../../base/text.ts";
import { toPointer } from "../../../base/json.ts";

const maxWarnings = 100;
/** Longer names are cut. */
const maxNameLength = 80;

/**
 * Warns about each field of `value` that is not in the schema, and names the nearest known field. Records (`metadata`) take any key and
 * cause no warnings.
 */
export function unknownFields(schema: z.ZodType, value: unknown): readonly Warning[] {
  return warningsFor(schema, value, []);
}

/** The warnings as part of a response body: empty when there are none. */
export function unknownFieldWarnings(schema: z.ZodType, value: unknown): { warnings?: readonly Warning[] } {
  const warnings = unknownFields(schema, value);
  return warnings.length > 0 ? { warnings } : {};
}

function warningsFor(schema: z.core.$ZodType, value: unknown, path: PropertyKey[]): readonly Warning[] {
  const warnings: Warning[] = [];
  walk(schema, value, { path, warnings });
  return warnings;
}

/** The current path, and the warnings so far. The walk ends when the list is full, so that a large request is not searched in vain. */
interface Walk {
  readonly path: PropertyKey[];
  readonly warnings: Warning[];
}

function walk(schema: z.core.$ZodType, value: unknown, at: Walk): void {
  if (typeof value !== "object" || value === null || at.warnings.length >= maxWarnings) return;

  if (schema instanceof z.ZodObject) walkObject(schema, value, at);
  else if (schema instanceof z.ZodArray) walkItems(() => schema.element, value, at);
  else if (schema instanceof z.ZodTuple) walkItems((index) => schema.def.items[index] ?? schema.def.rest, value, at);
  else if (schema instanceof z.ZodRecord) walkValues(schema, value, at);
  else if (schema instanceof z.ZodUnion) walkForms(schema.options, value, at);
  else if (schema instanceof z.ZodPipe) walk(schema.in, value, at);
  else if (schema instanceof z.ZodLazy) walk(schema.unwrap(), value, at);
  else if (isWrapper(schema)) walk(schema.def.innerType, value, at);
}

function walkObject(schema: z.ZodObject, value: object, at: Walk): void {
  if (Array.isArray(value)) return;
  const { shape } = schema;
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (field !== undefined) walkInto(key, field, item, at);
    else if (schema.def.catchall === undefined) warn(key, Object.keys(shape), at);
  }
}

function walkItems(schemaAt: (index: number) => z.core.$ZodType | null | undefined, value: object, at: Walk): void {
  if (!Array.isArray(value)) return;
  for (const [index, item] of value.entries()) {
    const schema = schemaAt(index);
    if (schema) walkInto(index, schema, item, at);
  }
}

function walkValues(schema: z.ZodRecord, value: object, at: Walk): void {
  for (const [key, item] of Object.entries(value)) walkInto(key, schema.valueType, item, at);
}

function walkInto(key: PropertyKey, schema: z.core.$ZodType, value: unknown, at: Walk): void {
  at.path.push(key);
  walk(schema, value, at);
  at.path.pop();
}

/** Of several union members, the one with the fewest unknown fields counts. */
function walkForms(options: readonly z.core.$ZodType[], value: object, { path, warnings }: Walk): void {
  const results = options.filter((option) => fits(option, value)).map((option) => warningsFor(option, value, path));
  const [fewest = []] = results.toSorted((left, right) => left.length - right.length);
  warnings.push(...fewest.slice(0, maxWarnings - warnings.length));
}

const scalars = new Set(["string", "number", "boolean", "literal", "enum", "null"]);

/** False for union members that the value cannot be: another kind of value, or another value of a literal field. */
function fits(option: z.core.$ZodType, value: object): boolean {
  if (option instanceof z.ZodObject) {
    return (
      !Array.isArray(value) &&
      Object.entries(option.shape).every(([key, field]) => literalFits(field, Reflect.get(value, key)))
    );
  }
  if (scalars.has(option._zod.def.type)) return false;
  if (option instanceof z.ZodRecord) return !Array.isArray(value);
  return option instanceof z.ZodArray || option instanceof z.ZodTuple ? Array.isArray(value) : true;
}

function literalFits(field: z.core.$ZodType, value: unknown): boolean {
  return !(field instanceof z.ZodLiteral) || (field.values as ReadonlySet<unknown>).has(value);
}

type Wrapper = z.core.$ZodType & { readonly def: { readonly innerType: z.core.$ZodType } };

function isWrapper(schema: z.core.$ZodType): schema is Wrapper {
  return "def" in schema && "innerType" in (schema.def as object);
}

function warn(key: string, names: readonly string[], { path, warnings }: Walk): void {
  if (warnings.length >= maxWarnings) return;
  const suggestion = closestName(key, names);
  warnings.push({
    pointer: toPointer([...path, key]),
    message: `${JSON.stringify(key.slice(0, maxNameLength))} is not a field of this request and was ignored`,
    ...(suggestion !== undefined && { suggestion }),
  });
}
