import { errorKinds } from "../../src/contract/errors/errors.ts";
import type { JsonSchema } from "./open-api-view.ts";

/** Says in words what a JSON schema allows, with a link for every schema that has a name of its own. */
export function schemaWords(schema: JsonSchema, link: (name: string) => string): string {
  const words = (part: JsonSchema): string => schemaWords(part, link);
  if (schema.$ref !== undefined) return link(nameOfReference(schema.$ref));
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return enumWords(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(words))].join(" or ");
  if (schema.allOf) return schema.allOf.map(words).join(" and ");
  if (schema.type === "array")
    return `list of ${schema.items ? words(schema.items) : "anything"}${bounds(schema, "Items", "items")}`;
  if (schema.type === "object") return objectWords(schema, words);
  return `${plainWords(schema)}${range(schema)}${bounds(schema, "Length", "characters")}`;
}

/** The last step of `#/components/schemas/Run`. */
function nameOfReference(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

/** The codes of the error table have a page of their own. */
function enumWords(values: readonly unknown[]): string {
  return Object.keys(errorKinds).every((errorCode) => values.includes(errorCode))
    ? "one of the [error codes](errors.md)"
    : values.map(code).join(" or ");
}

function plainWords({ type, format }: JsonSchema): string {
  if (format === "date-time") return "time (ISO 8601, UTC)";
  if (format === "uuid") return "UUID";
  return type ?? "anything";
}

function objectWords(schema: JsonSchema, words: (part: JsonSchema) => string): string {
  const properties = Object.entries(schema.properties ?? {});
  const values = schema.additionalProperties;
  const others = typeof values === "object" && Object.keys(values).length > 0 ? words(values) : null;
  if (properties.length > 0) {
    const required = new Set(schema.required);
    const fields = properties.map(([name, part]) => `\`${name}\`${required.has(name) ? "" : "?"}: ${words(part)}`);
    return `object {${[...fields, ...(others === null ? [] : [`any other name: ${others}`])].join("; ")}}`;
  }
  return others === null ? "object" : `object of ${others} by name`;
}

function range({ minimum, maximum: most, exclusiveMinimum }: JsonSchema): string {
  // Zod's integers stop where JavaScript's do, which is no limit of ours.
  const maximum = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` ≥ ${minimum}`;
  if (exclusiveMinimum !== undefined) return ` > ${exclusiveMinimum}${maximum === undefined ? "" : `, ≤ ${maximum}`}`;
  return maximum === undefined ? "" : ` ≤ ${maximum}`;
}

function bounds(schema: JsonSchema, of: "Items" | "Length", noun: string): string {
  const [least, most] = [schema[`min${of}`], schema[`max${of}`]];
  if (least !== undefined && most !== undefined) return ` (${least} to ${most} ${noun})`;
  if (most !== undefined) return ` (at most ${most} ${noun})`;
  return least === undefined || (of === "Length" && least === 1) ? "" : ` (at least ${least})`;
}
