import type { JsonSchema } from "./schema-values.ts";

/** As much of an OpenAPI document as requests are made from and answers are checked by. */
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
  readonly responses: Readonly<
    Record<
      string,
      { content?: Readonly<Record<string, { schema?: JsonSchema }>>; headers?: Readonly<Record<string, Header>> }
    >
  >;
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
