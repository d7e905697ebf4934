import type { Json, JsonObject } from "../../src/contract/operations/openapi-schemas.ts";
import { toOpenApi, type OpenApiOptions } from "../../src/contract/operations/openapi.ts";

/** The parts of a JSON schema our contract uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface Route {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

interface OpenApiView {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** The OpenAPI document as its readers see it: the emitted JSON, typed as far as it is read. */
export function viewOpenApi(options: OpenApiOptions): OpenApiView {
  const { paths, components } = toOpenApi(options);
  const resolve = (response: Json): Json => {
    const { $ref } = response as { $ref?: string };
    return $ref === undefined ? response : (components.responses[$ref.replace("#/components/responses/", "")] ?? {});
  };
  const resolved = mapValues(paths, (methods) =>
    mapValues(methods, (route) => ({ ...route, responses: mapValues(route["responses"] as JsonObject, resolve) })),
  );
  return { paths: resolved as unknown as OpenApiView["paths"], schemas: components.schemas as OpenApiView["schemas"] };
}

function mapValues<In, Out>(from: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value)]));
}
