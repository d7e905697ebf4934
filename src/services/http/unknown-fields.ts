import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import type { Warning } from "../../contract/evaluation-response.ts";
import { toPointer } from "./pointer.ts";

const mostWarnings = 100;
/** No field of ours has a name nearly as long; comparing one of megabytes would take a second. */
const longestMisspelling = 80;

/**
 * A warning for each field of `value` that the schema does not know, with the nearest name it does know.
 * Records (`metadata`) take any key and are not warned about.
 */
export function unknownFields(schema: z.ZodType, value: unknown): readonly Warning[] {
  return first(walk(schema, value, []));
}

/** The walk ends where the list is full: a large request must not be looked through to its end for nothing. */
function first(warnings: Generator<Warning>): readonly Warning[] {
  return warnings.take(mostWarnings).toArray();
}

type Path = readonly PropertyKey[];

function* walk(schema: z.core.$ZodType, value: unknown, path: Path): Generator<Warning> {
  if (typeof value !== "object" || value === null) return;

  if (schema instanceof z.ZodObject) yield* walkObject(schema, value, path);
  else if (schema instanceof z.ZodArray) yield* walkItems(() => schema.element, value, path);
  else if (schema instanceof z.ZodTuple)
    yield* walkItems((index) => schema.def.items[index] ?? schema.def.rest, value, path);
  else if (schema instanceof z.ZodRecord) yield* walkValues(schema, value, path);
  else if (schema instanceof z.ZodUnion)
    yield* fewest(
      schema.options.filter((option) => fits(option, value)),
      value,
      path,
    );
  else if (schema instanceof z.ZodPipe) yield* walk(schema.in, value, path);
  else if (schema instanceof z.ZodLazy) yield* walk(schema.unwrap(), value, path);
  else if (isWrapper(schema)) yield* walk(schema.def.innerType, value, path);
}

function* walkObject(schema: z.ZodObject, value: object, path: Path): Generator<Warning> {
  if (Array.isArray(value)) return;
  const names = Object.keys(schema.shape);
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
    if (field !== undefined) yield* walk(field, item, [...path, key]);
    else if (schema.def.catchall === undefined) yield toWarning(key, names, path);
  }
}

function* walkItems(
  schemaAt: (index: number) => z.core.$ZodType | null | undefined,
  value: object,
  path: Path,
): Generator<Warning> {
  if (!Array.isArray(value)) return;
  for (const [index, item] of value.entries()) {
    const schema = schemaAt(index);
    if (schema) yield* walk(schema, item, [...path, index]);
  }
}

function* walkValues(schema: z.ZodRecord, value: object, path: Path): Generator<Warning> {
  for (const [key, item] of Object.entries(value)) yield* walk(schema.valueType, item, [...path, key]);
}

/** Of several forms the one that knows most of the fields. */
function fewest(options: readonly z.core.$ZodType[], value: object, path: Path): readonly Warning[] {
  const results = options.map((option) => first(walk(option, value, path)));
  return results.toSorted((left, right) => left.length - right.length)[0] ?? [];
}

/** Leaves out forms the value cannot have: an array for an object, or another value of a literal field. */
function fits(option: z.core.$ZodType, value: object): boolean {
  if (option instanceof z.ZodObject) {
    return (
      !Array.isArray(value) &&
      Object.entries(option.shape).every(([key, field]) => literalFits(field, Reflect.get(value, key)))
    );
  }
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

function toWarning(key: string, names: readonly string[], path: Path): Warning {
  const nearest = names.length > 0 && key.length <= longestMisspelling ? closest(key, names) : undefined;
  const suggestion =
    nearest !== undefined && distance(key, nearest) <= Math.max(2, key.length / 3) ? nearest : undefined;
  return {
    pointer: toPointer([...path, key]),
    message: `${JSON.stringify(key.slice(0, longestMisspelling))} is not a field of this request and was ignored`,
    ...(suggestion !== undefined && { suggestion }),
  };
}
