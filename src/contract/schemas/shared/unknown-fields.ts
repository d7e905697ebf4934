import { z } from "zod";
import { compact } from "../../../base/compact.ts";
import { closestName } from "../../../base/text.ts";

/** A field of a value that its schema does not know. */
export interface UnknownField {
  /** The object that has it. */
  readonly path: readonly PropertyKey[];
  readonly name: string;
  /** The nearest known field, if possible one that the object does not have. */
  readonly nearest?: string;
  /** All fields that the object may have. */
  readonly known: readonly string[];
  /** Fields that the object must have and does not. */
  readonly missing: readonly string[];
}

/** The most fields that are listed. */
const mostListed = 100;

/** The fields of `value` that are not in the schema. Records (`metadata`) take any key. */
export function unknownFieldsOf(schema: z.core.$ZodType, value: unknown, path: PropertyKey[] = []): UnknownField[] {
  const found: UnknownField[] = [];
  walk(schema, value, { path, found });
  return found;
}

/** The current path, and the fields so far. The walk ends when the list is full, so that a large value is not searched in vain. */
interface Walk {
  readonly path: PropertyKey[];
  readonly found: UnknownField[];
}

function walk(schema: z.core.$ZodType, value: unknown, at: Walk): void {
  if (typeof value !== "object" || value === null || at.found.length >= mostListed) return;

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
    else if (isClosed(schema)) add(key, { shape, value, at });
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
function walkForms(options: readonly z.core.$ZodType[], value: object, { path, found }: Walk): void {
  const results = options
    .filter((option) => fitsForm(option, value))
    .map((option) => unknownFieldsOf(option, value, path));
  const [fewest = []] = results.toSorted((left, right) => left.length - right.length);
  found.push(...fewest.slice(0, mostListed - found.length));
}

const scalars = new Set(["string", "number", "boolean", "literal", "enum", "null"]);

/** False for union members that the value cannot be: another kind of value, or another value of a literal field. */
function fitsForm(option: z.core.$ZodType, value: object): boolean {
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

/** False for objects that take other fields too. A strict one takes `never`. */
const isClosed = ({ def: { catchall } }: z.ZodObject): boolean =>
  catchall === undefined || catchall instanceof z.ZodNever;

function add(name: string, { shape, value, at }: { shape: z.core.$ZodShape; value: object; at: Walk }): void {
  if (at.found.length >= mostListed) return;
  const known = Object.keys(shape);
  const free = known.filter((field) => !Object.hasOwn(value, field));
  const missing = free.filter((field) => shape[field] && !z.safeParse(shape[field], undefined).success);
  const nearest = closestName(name, free) ?? closestName(name, known);
  at.found.push(compact({ path: [...at.path], name, nearest, known, missing }));
}
