import fc, { type Arbitrary } from "fast-check";

export type JsonSchema = Readonly<Record<string, unknown>>;
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

const shortText = fc.string({ maxLength: 20, unit: "grapheme" });
const formats: Readonly<Record<string, Arbitrary<string>>> = {
  uuid: fc.uuid(),
  "date-time": fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
    .map((date) => date.toISOString()),
  // Not `webUrl`, which needs a second to prepare every character there is.
  uri: fc.tuple(fc.webAuthority(), shortText).map(([host, path]) => `https://${host}/${encodeURIComponent(path)}`),
};

const anyJson = fc.jsonValue({ maxDepth: 2 }) as Arbitrary<JsonValue>;
const deepest = 6;

/** Values that fit a schema of our OpenAPI documents. Lists and texts stay short, so that one request is one small piece of work. */
export function valuesOf(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): Arbitrary<JsonValue> {
  return build(schema, 0);

  function build(node: JsonSchema, depth: number): Arbitrary<JsonValue> {
    const { $ref, anyOf, oneOf, allOf } = node;
    if (typeof $ref === "string") return build(components[$ref.replace("#/components/schemas/", "")] ?? {}, depth + 1);
    const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
    if (choices)
      return fc.oneof(...(depth > deepest ? choices.slice(0, 1) : choices).map((choice) => build(choice, depth + 1)));
    if (Array.isArray(allOf))
      return fc
        .tuple(...allOf.map((part) => build(part as JsonSchema, depth + 1)))
        .map((parts) => Object.assign({}, ...parts));
    if (Array.isArray(node["enum"])) return fc.constantFrom(...(node["enum"] as JsonValue[]));
    if ("const" in node) return fc.constant(node["const"] as JsonValue);
    return ofType(node, depth);
  }

  function ofType(node: JsonSchema, depth: number): Arbitrary<JsonValue> {
    const type = Array.isArray(node["type"]) ? (node["type"] as string[])[0] : node["type"];
    if (type === "string") return texts(node);
    if (type === "integer") return fc.integer(range(node, 0, 5));
    if (type === "number") return fc.double({ ...range(node, 0, 1), noNaN: true });
    if (type === "boolean") return fc.boolean();
    if (type === "null") return fc.constant(null);
    if (type === "array") return lists(node, depth);
    if (type === "object") return objects(node, depth);
    return anyJson;
  }

  function lists(node: JsonSchema, depth: number): Arbitrary<JsonValue> {
    const tuple = node["prefixItems"] as readonly JsonSchema[] | undefined;
    if (tuple) return fc.tuple(...tuple.map((item) => build(item, depth + 1)));
    const minLength = numberOf(node["minItems"], 0);
    const maxLength = Math.max(minLength, Math.min(numberOf(node["maxItems"], 3), depth > deepest ? minLength : 3));
    return fc.array(build((node["items"] ?? {}) as JsonSchema, depth + 1), { minLength, maxLength });
  }

  function objects(node: JsonSchema, depth: number): Arbitrary<JsonValue> {
    const properties = Object.entries((node["properties"] ?? {}) as Record<string, JsonSchema>);
    const required = new Set((node["required"] ?? []) as string[]);
    const wanted = depth > deepest ? properties.filter(([name]) => required.has(name)) : properties;
    const known = fc.record(Object.fromEntries(wanted.map(([name, value]) => [name, build(value, depth + 1)])), {
      requiredKeys: wanted.map(([name]) => name).filter((name) => required.has(name)),
      noNullPrototype: true,
    }) as Arbitrary<Record<string, JsonValue>>;
    const rest = node["additionalProperties"];
    if (properties.length > 0 || typeof rest !== "object" || rest === null) return known;
    const keys = shortText.filter((key) => !["__proto__", "constructor", "prototype"].includes(key));
    return fc.dictionary(keys, build(rest as JsonSchema, depth + 1), { maxKeys: 3, noNullPrototype: true });
  }
}

function texts(node: JsonSchema): Arbitrary<string> {
  const format = formats[String(node["format"])];
  if (format) return format;
  const minLength = numberOf(node["minLength"], 0);
  if (typeof node["pattern"] === "string")
    return fc
      .stringMatching(new RegExp(node["pattern"], "u"), { maxLength: 20 })
      .filter(({ length }) => length >= minLength);
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(numberOf(node["maxLength"], 20), 20)) });
}

function range(node: JsonSchema, low: number, spread: number): { min: number; max: number } {
  const min = numberOf(node["minimum"] ?? node["exclusiveMinimum"], low);
  return { min, max: Math.max(min, Math.min(numberOf(node["maximum"], min + spread), min + spread)) };
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}
