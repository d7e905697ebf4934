import fc, { type Arbitrary } from "fast-check";
import { spoiled } from "./spoil.ts";
import { valuesOf, type JsonSchema, type JsonValue } from "./schema-values.ts";

export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface OpenApiOperation {
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: JsonSchema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: JsonSchema }>> }>>;
}

export interface Knowledge {
  /** Good values for parameters and headers, by name: without them hardly any request would get past the first check. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Makes a generated body one that can run here: a reachable endpoint, few attempts. */
  readonly tame: (body: JsonValue) => JsonValue;
}

const printable = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?").trim());
const rawBodies = fc.constantFrom(
  "",
  "{",
  "null",
  "[]",
  "0",
  '"text"',
  "\uFEFF{}",
  '{"a":1,"a":2}',
  `${"[".repeat(40)}${"]".repeat(40)}`,
  `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":1e400}',
  '{"a":"\\ud800"}',
  "{'a':1}",
);
const contentTypes = fc.constantFrom(
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "application/jsonx",
  "",
);

/** Requests for one operation: a third of them fit the document, the others nearly or not at all. */
export function requestsFor(
  method: string,
  path: string,
  operation: OpenApiOperation,
  api: OpenApi,
  knowledge: Knowledge,
): Arbitrary<FuzzRequest> {
  const { parameters = [], requestBody } = operation;
  const schema = requestBody?.content["application/json"]?.schema;
  const valid = schema ? valuesOf(schema, api.components.schemas).map(knowledge.tame) : undefined;
  const parts = (kind: "good" | "odd") => {
    const valueFor = ({ name, schema: itsSchema }: { name: string; schema: JsonSchema }) => {
      const known = knowledge.values[name];
      const fitting = known ? fc.constantFrom(...known) : valuesOf(itsSchema, api.components.schemas).map(String);
      return kind === "good"
        ? fitting
        : fc.oneof(fitting, printable, fc.constantFrom("", "0", "-1", "1e9", "../x", "%00", "a".repeat(300)));
    };
    return fc.record(
      Object.fromEntries(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, valueFor(parameter)])),
      {
        requiredKeys:
          kind === "good"
            ? parameters.filter(({ required }) => required).map(({ in: place, name }) => `${place} ${name}`)
            : [],
      },
    ) as Arbitrary<Record<string, string>>;
  };
  const text = (value: JsonValue) => JSON.stringify(value);
  const json = { "content-type": "application/json" };
  const good = fc
    .tuple(parts("good"), valid ? valid.map(text) : fc.constant(undefined))
    .map(([values, body]) => toRequest(method, path, values, body, body === undefined ? {} : json));
  const nearly = fc
    .tuple(parts("odd"), valid ? spoiled(valid).map((value) => text(knowledge.tame(value))) : fc.constant(undefined))
    .map(([values, body]) => toRequest(method, path, values, body, body === undefined ? {} : json));
  const hostile = fc
    .tuple(
      parts("good"),
      fc.oneof(rawBodies, fc.string({ maxLength: 200 })),
      fc.oneof({ weight: 3, arbitrary: fc.constant("application/json") }, { weight: 1, arbitrary: contentTypes }),
    )
    .map(([values, body, type]) =>
      toRequest(method, path, values, method === "get" ? undefined : body, type === "" ? {} : { "content-type": type }),
    );
  return fc.oneof(good, nearly, hostile);
}

function toRequest(
  method: string,
  path: string,
  values: Record<string, string>,
  body: string | undefined,
  base: Record<string, string>,
): FuzzRequest {
  const of = (place: string) =>
    Object.entries(values)
      .filter(([key]) => key.startsWith(`${place} `))
      .map(([key, value]): [string, string] => [key.slice(place.length + 1), value]);
  const filled = of("path").reduce(
    (target, [name, value]) => target.replace(`{${name}}`, encodeURIComponent(value) || "%20"),
    path.replaceAll(/\{(\w+)\}/g, "{$1}"),
  );
  const query = new URLSearchParams(of("query")).toString();
  const headers = Object.fromEntries(of("header").filter(([, value]) => /^[\x20-\x7e]*$/.test(value)));
  return {
    method: method.toUpperCase(),
    target: `${filled.replaceAll(/\{\w+\}/g, "x")}${query ? `?${query}` : ""}`,
    headers: { ...base, ...headers },
    body,
  };
}
