import fc, { type Arbitrary } from "fast-check";
import type { OpenApi, OpenApiOperation, Parameter } from "./open-api.ts";
import { oddBodies, oddContentTypes, oddParameters } from "./odd-requests.ts";
import { spoiled } from "./spoil.ts";
import { valuesOf, type JsonSchema, type JsonValue } from "./schema-values.ts";

export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Knowledge {
  /** Good values for parameters and headers, by name: without them hardly any request would get past the first check. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Makes a generated body one that can run here: a reachable endpoint, few attempts. */
  readonly tame: (body: JsonValue) => JsonValue;
  /** Bodies with a meaning that no schema tells (files, JSON-RPC), by `method path`: as good as those of the schema. */
  readonly bodies?: Readonly<Record<string, Arbitrary<JsonValue>>>;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

type Values = Readonly<Record<string, string>>;

/** Any route may be asked for any of these; it answers in what it has. */
const accepts = fc.constantFrom(
  "application/json",
  "text/event-stream",
  "application/json, text/event-stream",
  "text/html",
  "*/*",
  "image/png;q=0",
  "",
);
const json = { "content-type": "application/json" };

/** Requests for one operation: a third of them fit the document, the others nearly or not at all. */
export function requestsFor(route: Route, api: OpenApi, knowledge: Knowledge): Arbitrary<FuzzRequest> {
  const { method, operation } = route;
  const { parameters = [], requestBody } = operation;
  const schema = requestBody?.content["application/json"]?.schema;
  const valid = schema ? validBodies(route, schema, api, knowledge) : undefined;
  const fitting = ({ name, schema: itsSchema }: Parameter) => {
    const known = knowledge.values[name];
    return known ? fc.constantFrom(...known) : valuesOf(itsSchema, api.components.schemas).map(String);
  };
  const good = fc.record(namedBy(parameters, fitting), {
    requiredKeys: parameters.filter(({ required }) => required).map(nameOf),
  }) as Arbitrary<Values>;
  const odd = fc.record(
    namedBy(parameters, (parameter) => fc.oneof(fitting(parameter), oddParameters)),
    { requiredKeys: [] },
  ) as Arbitrary<Values>;
  const none = fc.constant(undefined);

  return fc.oneof(
    request(good, valid?.map(toText) ?? none, fc.constant(json)),
    request(odd, valid ? spoiled(valid).map((value) => toText(knowledge.tame(value))) : none, fc.constant(json)),
    request(good, method === "get" ? none : oddBodies, oddContentTypes),
  );

  function request(
    values: Arbitrary<Values>,
    body: Arbitrary<string | undefined>,
    type: Arbitrary<Record<string, string>>,
  ): Arbitrary<FuzzRequest> {
    return fc
      .tuple(values, body, type, fc.option(accepts, { nil: undefined }))
      .map(([parts, text, contentType, accept]) =>
        toRequest(route, parts, text, {
          ...(accept !== undefined && { accept }),
          ...(text !== undefined && contentType),
        }),
      );
  }
}

function validBodies(
  { method, path }: Route,
  schema: JsonSchema,
  api: OpenApi,
  { tame, bodies }: Knowledge,
): Arbitrary<JsonValue> {
  const generated = valuesOf(schema, api.components.schemas).map(tame);
  const special = bodies?.[`${method} ${path}`];
  return special ? fc.oneof({ weight: 3, arbitrary: special }, { weight: 1, arbitrary: generated }) : generated;
}

const toText = (value: JsonValue): string => JSON.stringify(value);
const nameOf = ({ in: place, name }: Parameter): string => `${place} ${name}`;

function namedBy(
  parameters: readonly Parameter[],
  values: (parameter: Parameter) => Arbitrary<string>,
): Record<string, Arbitrary<string>> {
  return Object.fromEntries(parameters.map((parameter) => [nameOf(parameter), values(parameter)]));
}

/** No address can name an empty segment or one of dots: the path would be another one, of another route. */
function toSegment(value: string): string {
  const segment = encodeURIComponent(value.toWellFormed());
  return ["", ".", ".."].includes(segment) ? `${segment}%20` : segment;
}

function toRequest(
  { method, path }: Route,
  values: Values,
  body: string | undefined,
  base: Readonly<Record<string, string>>,
): FuzzRequest {
  const of = (place: string) =>
    Object.entries(values)
      .filter(([key]) => key.startsWith(`${place} `))
      .map(([key, value]): [string, string] => [key.slice(place.length + 1), value]);
  const filled = of("path").reduce(
    (target, [name, value]) => target.replace(`{${name}}`, () => toSegment(value)),
    path,
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
