import type { JsonSchema } from "./schema-values.ts";

/** As much of an OpenAPI document as requests are made from and answers are checked by. Shared responses stand where they are used. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, Header>>;
  };
}

export interface OpenApiOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly content?: Readonly<Record<string, { schema?: JsonSchema }>>;
  readonly headers?: Readonly<Record<string, Header>>;
}

interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** Puts the responses that operations share in the places that refer to them. */
export function toOpenApi(document: unknown): OpenApi {
  const { components } = document as { components: { responses?: Readonly<Record<string, Response>> } };
  const prefix = "#/components/responses/";
  const inlined = JSON.stringify(document, (_key, value: unknown) => {
    const { $ref } = (value ?? {}) as { $ref?: unknown };
    if (typeof $ref !== "string" || !$ref.startsWith(prefix)) return value;
    return components.responses?.[$ref.slice(prefix.length)];
  });
  return JSON.parse(inlined) as OpenApi;
}
