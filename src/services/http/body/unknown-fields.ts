import { z } from "zod";
import type { Warning } from "../../../contract/schemas/problem.ts";
import { closestName } from "../../../base/text.ts";
import { toPointer } from "../../../base/json.ts";

const mostWarnings = 100;
/** As much of a name as is told. */
const shownLength = 80;

/**
 * A warning for each field of `value` that the schema does not know, with the nearest name it does know.
 * Records (`metadata`) take any key and are not warned about.
 */
export function unknownFields(schema: z.ZodType, value: unknown): readonly Warning[] {
  return warningsFor(schema, value, []);
}

/** The same as a part of an answer: nothing where there is nothing to warn of. */
export function unknownFieldWarnings(schema: z.ZodType, value: unknown): { warnings?: readonly Warning[] } {
  const warnings = unknownFields(schema, value);
  return warnings.length > 0 ? { warnings } : {};
}

function warningsFor(schema: z.core.$ZodType, value: unknown, path: PropertyKey[]): readonly Warning[] {
  const warnings: Warning[] = [];
  walk(schema, value, { path, warnings });
  return warnings;
}

/** Where the walk is, and what it has found. It ends where the list is full: a large request must not be looked through for nothing. */
interface Walk {
  readonly path: PropertyKey[];
  readonly warnings: Warning[];
}

function walk(schema: z.core.$ZodType, value: unknown, at: Walk): void {
  if (typeof value !== "object" || value === null || at.warnings.length >= mostWarnings) return;

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

/** Of several forms the one that knows most of the fields. */
function walkForms(options: readonly z.core.$ZodType[], value: object, { path, warnings }: Walk): void {
  const results = options.filter((option) => fits(option, value)).map((option) => warningsFor(option, value, path));
  const [fewest = []] = results.toSorted((left, right) => left.length - right.length);
  warnings.push(...fewest.slice(0, mostWarnings - warnings.length));
}

const scalars = new Set(["string", "number", "boolean", "literal", "enum", "null"]);

/** Leaves out forms the value cannot have: a text or an array for an object, or another value of a literal field. */
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
  if (warnings.length >= mostWarnings) return;
  const suggestion = closestName(key, names);
  warnings.push({
    pointer: toPointer([...path, key]),
    message: `${JSON.stringify(key.slice(0, shownLength))} is not a field of this request and was ignored`,
    ...(suggestion !== undefined && { suggestion }),
  });
}
