import type { z } from "zod";
import { unknownFieldsOf, type UnknownField } from "../../contract/schemas/shared/unknown-fields.ts";
import { locationBelow } from "../documents/records.ts";
import type { ScenarioCollector } from "./scenario-collector.ts";
import type { SourceLocation } from "../documents/format-error.ts";

/** Limit of unknown fields named in one note. */
const mostNamed = 20;

/** Fields that a file may have for its author or an editor. One written by hand may have `metadata` at every level. */
const isFreeField = (name: string, isClosed: boolean): boolean =>
  name.startsWith("x-") || name === "$schema" || (isClosed && name === "metadata");

interface NotedValue {
  readonly value: unknown;
  readonly schema: z.core.$ZodType;
  readonly place: SourceLocation;
  /** The word for the fields in the note. */
  readonly called?: string;
}

/** Notes the unknown fields of a value at every level, with the nearest known names. Returns true if there are any. */
export function noteUnknownFields(
  { value, schema, place, called = "unknown fields" }: NotedValue,
  collector: Pick<ScenarioCollector, "note" | "isClosed">,
): boolean {
  const unknown = unknownFieldsOf(schema, value).filter(({ name }) => !isFreeField(name, collector.isClosed));
  const below = ({ path }: UnknownField): SourceLocation =>
    locationBelow(place, ...path.map((step) => (typeof step === "number" ? step : String(step))));
  if (collector.isClosed) {
    for (const field of unknown)
      collector.note("dropped", locationBelow(below(field), field.name), `${called}: ${explained(field)}`);
    return unknown.length > 0;
  }
  const objects = Map.groupBy(unknown, (field) => below(field).pointer);
  for (const fields of objects.values()) {
    const [first] = fields;
    const rest = fields.length > mostNamed ? ` and ${fields.length - mostNamed} more` : "";
    if (first)
      collector.note("dropped", below(first), `${called}: ${fields.slice(0, mostNamed).map(named).join(", ")}${rest}`);
  }
  return unknown.length > 0;
}

/** Without a near name, the fields of the object, and those that it lacks. */
function explained(field: UnknownField): string {
  const { name, nearest, known, missing } = field;
  if (nearest !== undefined) return named(field);
  const lacks = missing.length > 0 ? `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing; ` : "";
  return `${name} (${lacks}the fields here are ${known.join(", ")})`;
}

const named = ({ name, nearest }: UnknownField): string =>
  nearest === undefined ? name : `${name} (did you mean ${nearest}?)`;
