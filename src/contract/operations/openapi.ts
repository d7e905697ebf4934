import { compact } from "../../base/compact.ts";
import type { z } from "zod";
import { errorKinds, isRetryable, ServiceError, type ErrorCode } from "../errors/errors.ts";
import { OpenAiError, Problem, toProblem } from "../errors/problem.ts";
import { toComponentSchemas, type ComponentSchemas, type Json, type JsonObject } from "./openapi-schemas.ts";
import { parseAddress, type AnswerHeader, type AnswerHeaders, type Operation } from "./operation.ts";

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description?: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, JsonObject>>;
    readonly responses: Readonly<Record<string, Json>>;
    readonly securitySchemes: Readonly<Record<string, JsonObject>>;
  };
}

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly servers?: OpenApiDocument["servers"];
}

/** Error codes of every route. */
const sharedErrors: readonly ErrorCode[] = [
  "header_invalid",
  "auth_missing",
  "auth_invalid",
  "auth_expired",
  "scope_missing",
  "origin_not_allowed",
  "request_timeout",
  "host_not_allowed",
  "headers_too_large",
  "internal_error",
  "shutting_down",
  "rate_limited",
  "overloaded",
  "storage_unavailable",
  "uri_too_long",
];

/** Error codes of every route with a request body. */
const bodyErrors: readonly ErrorCode[] = [
  "json_invalid",
  "encoding_invalid",
  "body_too_large",
  "media_type",
  "content_encoding",
  "validation_failed",
  "json_too_deep",
  "key_forbidden",
];

/** Response headers that any route may have. */
const sharedHeaders = {
  "x-request-id": {
    description: "Id of the request, sent by the client or generated. Also in the log.",
    required: true,
  },
  "rehearsal-version": { description: "Version of the service.", required: true },
  "retry-after": { description: "Seconds to wait before repeating the request.", type: "integer" },
  "www-authenticate": { description: "The authentication scheme for API keys.", required: true },
} as const satisfies AnswerHeaders;

type SharedHeader = keyof typeof sharedHeaders;

const alwaysPresent: readonly SharedHeader[] = ["x-request-id", "rehearsal-version"];

/** The OpenAPI document of `operations`. */
export function toOpenApi({ title, version, description, operations, servers }: OpenApiOptions): OpenApiDocument {
  const schemas = collectSchemas(operations);
  const shared = shareResponses(operations.map((operation) => describeResponses(operation, schemas)));
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [index, operation] of operations.entries()) {
    const { method, path } = parseAddress(operation.address);
    (paths[path] ??= {})[method] = {
      ...describeOperation(operation, schemas),
      responses: shared.byOperation[index] ?? {},
    };
  }
  return {
    openapi: "3.1.0",
    info: { title, version, description },
    servers: servers ?? [{ url: "/" }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    // The empty entry: a service without configured keys requires none.
    security: [{}, { bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      schemas: schemas.components,
      headers: describeHeaders(sharedHeaders),
      responses: shared.components,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
  };
}

function collectSchemas(operations: readonly Operation[]): ComponentSchemas {
  const inputs = operations.flatMap(({ body, query, parameters, headers }) => [
    ...(body ? [body] : []),
    ...(Object.values(query?.shape ?? {}) as z.ZodType[]),
    ...Object.values({ ...parameters, ...headers }).flatMap(({ schema }) => (schema ? [schema] : [])),
  ]);
  const outputs = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ schema }) => (schema ? [schema] : [])),
  );
  const errors = operations.map((operation) => (isOpenAi(operation) ? OpenAiError : Problem));
  return toComponentSchemas({ inputs, outputs: [...outputs, ...errors] });
}

function describeOperation(operation: Operation, schemas: ComponentSchemas): JsonObject {
  const parameters = describeParameters(operation, schemas);
  return compact({
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: operation.body
      ? {
          required: operation.bodyOptional !== true,
          content: {
            "application/json": {
              schema: schemas.input(operation.body),
              ...(operation.example !== undefined && { example: operation.example }),
            },
          },
        }
      : undefined,
  });
}

function describeResponses(operation: Operation, schemas: ComponentSchemas): JsonObject {
  return mergeAnswers(describeAnswers(operation, schemas), describeErrorCodes(operation, schemas));
}

/**
 * Moves responses that several operations share into components, named by their status. Repeated, error responses would
 * be three quarters of the document, and Swagger UI processes all of it for every operation that a reader opens.
 */
function shareResponses(all: readonly JsonObject[]): { byOperation: JsonObject[]; components: Record<string, Json> } {
  const uses = Map.groupBy(all.flatMap(Object.entries<Json>), ([status, response]) => keyOf(status, response));
  const names = new Map<string, string>();
  const components: Record<string, Json> = {};
  for (const [key, [first, second]] of uses) {
    if (!first || !second) continue;
    const [status, response] = first;
    const count = [...names.values()].filter((name) => name.startsWith(status)).length;
    const name = count === 0 ? status : `${status}-${count + 1}`;
    names.set(key, name);
    components[name] = response;
  }
  const byOperation = all.map((responses) =>
    Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const name = names.get(keyOf(status, response));
        return [status, name === undefined ? response : { $ref: `#/components/responses/${name}` }];
      }),
    ),
  );
  return { byOperation, components };
}

const keyOf = (status: string, response: Json): string => `${status} ${JSON.stringify(response)}`;

type OperationAnswers = Readonly<
  Record<string, { readonly description: string; readonly headers: JsonObject; readonly content?: JsonObject }>
>;

/** A status may have a response of the route in one media type and a problem in another. */
function mergeAnswers(own: OperationAnswers, errors: OperationAnswers): JsonObject {
  const both = Object.entries(own).flatMap(([status, answer]) => {
    const problem = errors[status];
    if (!problem) return [];
    const description = `${answer.description} ${problem.description}`;
    const headers = { ...answer.headers, ...problem.headers };
    return [[status, { description, headers, content: { ...answer.content, ...problem.content } }]];
  });
  return { ...own, ...errors, ...Object.fromEntries(both) };
}

function describeParameters(operation: Operation, schemas: ComponentSchemas): readonly JsonObject[] {
  const inPath = parseAddress(operation.address).parameters.map(({ name }): JsonObject => {
    const parameter = operation.parameters?.[name];
    const schema = parameter?.schema ? schemas.input(parameter.schema) : { type: "string" };
    return compact({
      name,
      in: "path",
      required: true,
      description: parameter ? parameter.description : undefined,
      schema,
    });
  });
  const inHeader = Object.entries(operation.headers ?? {}).map(
    ([name, { description, required = false, example, schema }]): JsonObject =>
      compact({
        name,
        in: "header",
        required,
        description,
        schema: schema ? schemas.input(schema) : { type: "string" },
        example,
      }),
  );
  return [...inPath, ...describeQuery(operation, schemas), ...inHeader];
}

function describeQuery({ query }: Operation, schemas: ComponentSchemas): readonly JsonObject[] {
  return Object.entries(query?.shape ?? {}).map(([name, field]): JsonObject => {
    const fieldSchema = field as z.ZodType;
    const { description, ...schema } = schemas.input(fieldSchema);
    return compact({
      name,
      in: "query",
      required: !fieldSchema.safeParse(undefined).success,
      description,
      schema,
    });
  });
}

function describeAnswers(operation: Operation, schemas: ComponentSchemas): OperationAnswers {
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, { description, schema, mediaTypes, headers: own }]) => {
      const types = mediaTypes ?? (schema ? ["application/json"] : []);
      const content = types.map((type) => [type, mediaContent(type, schema, schemas)]);
      const headers = answerHeaders(alwaysPresent, { ...headersOf(operation), ...own });
      return [
        status,
        compact({ description, headers, content: content.length > 0 ? Object.fromEntries(content) : undefined }),
      ];
    }),
  );
}

const queryHeaders: AnswerHeaders = {
  warning: { description: "Lists unknown query parameters, which were ignored." },
};

function headersOf({ query, answerHeaders: own }: Operation): AnswerHeaders {
  return { ...(query && queryHeaders), ...own };
}

function answerHeaders(shared: readonly SharedHeader[], own: AnswerHeaders): JsonObject {
  const references = shared.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { ...Object.fromEntries(references), ...describeHeaders(own) };
}

function describeHeaders(headers: AnswerHeaders): Record<string, JsonObject> {
  const described = Object.entries<AnswerHeader>(headers).map(([name, { description, required = false, type }]) => [
    name,
    { description, required, schema: { type: type ?? "string" } },
  ]);
  return Object.fromEntries(described);
}

/** One event of a stream, since a stream has no end to check. Its data is described at the operation. */
const serverSentEvent = {
  type: "object",
  description: "One event of the stream.",
  properties: {
    event: { type: "string", description: "The kind of the event." },
    id: { type: "string", description: "Continue after this event with `last-event-id`." },
    retry: { type: "integer", description: "Milliseconds to wait before connecting again." },
    data: { type: "string", description: "JSON, or `[DONE]` at the end of a stream in OpenAI's form." },
  },
  required: ["data"],
};

/** The schema describes the JSON media type. YAML may hold any value, and other types are text. */
function mediaContent(mediaType: string, schema: z.ZodType | undefined, schemas: ComponentSchemas): JsonObject {
  if (mediaType === "text/event-stream") return { schema: serverSentEvent };
  if (mediaType === "application/yaml") return { schema: {} };
  return { schema: schema && /[/+]json$/.test(mediaType) ? schemas.output(schema) : { type: "string" } };
}

function describeErrorCodes(operation: Operation, schemas: ComponentSchemas): OperationAnswers {
  const codes = new Set([
    ...operation.errors,
    ...sharedErrors,
    ...(operation.body ? bodyErrors : []),
    ...(operation.query ? (["validation_failed"] as const) : []),
  ]);
  const byStatus = Map.groupBy(codes, (code) => errorKinds[code].status);
  const openAi = isOpenAi(operation);
  const headers = { ...headersOf(operation), ...(openAi && openAiHeaders) };
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errorKinds[code].title}.`).join(" "),
        headers: answerHeaders(sharedHeadersOf(group), headers),
        content: openAi ? openAiContent(schemas) : problemContent(group, schemas),
      },
    ]),
  );
}

/** The shared headers of a response with one of `codes`. */
function sharedHeadersOf(codes: readonly ErrorCode[]): readonly SharedHeader[] {
  return [
    ...alwaysPresent,
    ...(codes.some(isRetryable) ? (["retry-after"] as const) : []),
    ...(codes.includes("auth_missing") ? (["www-authenticate"] as const) : []),
  ];
}

const isOpenAi = ({ address }: Operation): boolean => isOpenAiPath(parseAddress(address).path);

/** True for routes whose errors have OpenAI's format. */
export function isOpenAiPath(path: string): boolean {
  return path === "/v1" || path.startsWith("/v1/");
}

const openAiHeaders: AnswerHeaders = {
  "x-should-retry": { description: "`false` stops the automatic retries of OpenAI's clients." },
};

function openAiContent(schemas: ComponentSchemas): JsonObject {
  return { "application/json": { schema: schemas.output(OpenAiError) } };
}

function problemContent(codes: readonly ErrorCode[], schemas: ComponentSchemas): JsonObject {
  const examples = codes.map((code) => [
    code,
    { summary: errorKinds[code].title, value: toProblem(new ServiceError(code, errorKinds[code].title), "…") },
  ]);
  return {
    "application/problem+json": {
      schema: { allOf: [schemas.output(Problem), { type: "object", properties: { code: { enum: codes } } }] },
      examples: Object.fromEntries(examples),
    },
  };
}
