import { expect, test } from "vitest";
import { z } from "zod";
import { errorKinds, type ErrorCode } from "../errors/errors.ts";
import { toOpenApi, type OpenApiDocument } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import { agentOperations } from "../../services/agent/app.ts";
import { evaluationOperations } from "../../services/evaluation/app.ts";

const details = { title: "Test", version: "1", description: "A test" };

const operation = (overrides: Partial<Operation>): Operation => ({
  id: "test",
  address: "POST /test",
  scope: "runs:read",
  summary: "Test",
  tag: "Test",
  responses: { 200: { description: "Done." } },
  errors: [],
  ...overrides,
});

/** Every object in a document, with its path. */
function* objectsIn(value: unknown, path = "#"): Generator<[string, Record<string, unknown>]> {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, item] of Object.entries(value)) yield* objectsIn(item, `${path}/${key}`);
}

function referencesIn(document: OpenApiDocument): string[] {
  return [...objectsIn(document)].flatMap(([, { $ref }]) => (typeof $ref === "string" ? [$ref] : []));
}

function answer(document: OpenApiDocument, path: string, method: string, status: number) {
  type Response = {
    description: string;
    content: Record<string, { schema: unknown; examples: Record<string, unknown> }>;
  };
  const responses = document.paths[path]?.[method]?.responses as unknown as Record<
    number,
    Response & { $ref?: string }
  >;
  const name = responses[status]?.$ref?.replace("#/components/responses/", "");
  return name === undefined ? responses[status] : (document.components.responses[name] as unknown as Response);
}

const documents = [
  toOpenApi({ ...details, operations: evaluationOperations }),
  toOpenApi({ ...details, operations: agentOperations }),
];

test.each(documents)("describes a service in a valid OpenAPI 3.1 document", (document) => {
  expect(document.openapi).toBe("3.1.0");
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(
    operations.filter(({ responses }) => !Object.keys(responses ?? {}).some((status) => status.startsWith("2"))),
  ).toEqual([]);
  expect(Object.keys(document.components.schemas).filter((name) => !/^[A-Za-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
  for (const [path, methods] of Object.entries(document.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters = [] } of Object.values(methods)) {
      const declared = (parameters as unknown as { in: string; name: string }[]).filter((item) => item.in === "path");
      expect(declared.map(({ name }) => name)).toEqual(inPath);
    }
  }
});

test.each(documents)("resolves every reference and uses every component", (document) => {
  const targets = new Set(referencesIn(document));
  const { schemas, headers, responses } = document.components;
  const names = Object.entries({ schemas, headers, responses }).flatMap(([kind, members]) =>
    Object.keys(members).map((name) => `#/components/${kind}/${name}`),
  );
  expect([...targets].filter((target) => !names.includes(target))).toEqual([]);
  expect(names.filter((name) => !targets.has(name))).toEqual([]);
});

test.each(documents)("contains no bookkeeping of JSON Schema", (document) => {
  const noise = [...objectsIn(document.components.schemas)].filter(
    ([, value]) => "$schema" in value || "$id" in value || "$defs" in value,
  );
  expect(noise).toEqual([]);
  expect(JSON.stringify(document)).not.toMatch(/__schema|9007199254740991|\$defs/);
});

test.each(documents)("uses only patterns that mean the same in every programming language", (document) => {
  const patterns = [...objectsIn(document)].flatMap(([, { pattern }]) =>
    typeof pattern === "string" ? [pattern] : [],
  );
  expect(patterns).not.toEqual([]);
  // No character properties, code points in braces, look-around or named groups.
  expect(patterns.filter((pattern) => /\\[pPuk]|\(\?[^:]/.test(pattern))).toEqual([]);
});

test("lists x-model-id for every body with an optional model", () => {
  const leaving = agentOperations.filter(
    ({ body, id }) => body instanceof z.ZodObject && "model" in body.shape && id !== "testModelProvider",
  );
  expect(leaving.map(({ id }) => id)).toEqual(["createChatCompletion", "createResponse", "streamUiMessages"]);
  for (const { headers } of leaving) expect(headers).toHaveProperty("x-model-id");
});

test("describes the values of a header where they are fixed", () => {
  const [, agent] = documents;
  const parameters = agent?.paths["/"]?.["post"]?.["parameters"] as unknown as { name: string; schema: object }[];
  const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  expect(schemas["x-on-disconnect"]).toMatchObject({ enum: ["cancel", "continue"] });
  expect(Object.keys(schemas).filter((name) => "pattern" in (schemas[name] ?? {}))).toEqual([
    "x-model-id",
    "x-thread-id",
    "idempotency-key",
  ]);
  const { pattern } = schemas["x-model-id"] as { pattern: string };
  for (const id of ["demo/scripted", "hf/org/model-1.5:free", "01989a4e-2f01-7a6b-9c1d-000000000001", ".hidden/x"])
    expect(id).toMatch(new RegExp(pattern));
  for (const id of ["", "a b", "a//b", "../a", "a/.", "a,b", "a?b", "a\\b"])
    expect(id).not.toMatch(new RegExp(pattern));
});

test("marks an optional body as not required", () => {
  const operations = [
    operation({ body: z.object({}) }),
    operation({ id: "other", address: "POST /other", body: z.object({}), bodyOptional: true }),
  ];
  const { paths } = toOpenApi({ ...details, operations });
  expect(paths["/test"]?.["post"]?.["requestBody"]).toMatchObject({ required: true });
  expect(paths["/other"]?.["post"]?.["requestBody"]).toMatchObject({ required: false });
});

test("makes fields with defaults optional in requests and required in responses", () => {
  const Turn = z.object({ text: z.string().default("") }).meta({ id: "TestTurn" });
  const Talk = z.object({ turns: z.array(Turn) }).meta({ id: "TestTalk" });
  const document = toOpenApi({
    ...details,
    operations: [operation({ body: Talk, responses: { 200: { description: "Done.", schema: Talk } } })],
  });
  const { TestTurn, TestTurnInput, TestTalk, TestTalkInput } = document.components.schemas as Record<
    string,
    Record<string, unknown>
  >;
  expect(TestTurn?.required).toEqual(["text"]);
  expect(TestTurnInput?.required).toBeUndefined();
  expect(JSON.stringify(TestTalkInput)).toContain("#/components/schemas/TestTurnInput");
  expect(JSON.stringify(TestTalk)).toContain('"#/components/schemas/TestTurn"');
  expect(JSON.stringify(document.paths["/test"]?.post?.requestBody)).toContain("TestTalkInput");
});

test("lists a component with one form once, and avoids names in use", () => {
  const Same = z.object({ text: z.string() }).meta({ id: "TestSame" });
  const Other = z.object({ text: z.string().default("") }).meta({ id: "TestOther" });
  const OtherInput = z.object({ number: z.number() }).meta({ id: "TestOtherInput" });
  const both = z.object({ same: Same, other: Other, input: OtherInput });
  const { schemas } = toOpenApi({
    ...details,
    operations: [operation({ body: both, responses: { 200: { description: "Done.", schema: both } } })],
  }).components;
  expect(
    Object.keys(schemas)
      .filter((name) => name.startsWith("Test"))
      .toSorted(),
  ).toEqual(["TestOther", "TestOtherInput", "TestOtherInput2", "TestSame"]);
});

test("groups errors by status, with every code as an example and in the enum", () => {
  const document = toOpenApi({
    ...details,
    operations: [operation({ body: z.object({}), errors: ["model_id_missing"] })],
  });
  const bad = answer(document, "/test", "post", 400)?.content["application/problem+json"];
  const codes: ErrorCode[] = ["model_id_missing", "header_invalid", "json_invalid", "encoding_invalid"];
  expect(Object.keys(bad?.examples ?? {}).toSorted()).toEqual(codes.toSorted());
  expect(JSON.stringify(bad?.schema)).toContain("#/components/schemas/Problem");
  for (const code of codes) expect(JSON.stringify(bad?.schema)).toContain(`"${code}"`);
  expect(answer(document, "/test", "post", 400)?.description).toContain(errorKinds.model_id_missing.title);
});

test("documents a response and a problem of one status, each in its media type", () => {
  const own = { description: "Not a call.", schema: z.object({ jsonrpc: z.literal("2.0") }) };
  const document = toOpenApi({ ...details, operations: [operation({ body: z.object({}), responses: { 400: own } })] });
  const bad = answer(document, "/test", "post", 400);
  expect(Object.keys(bad?.content ?? {}).toSorted()).toEqual(["application/json", "application/problem+json"]);
  expect(bad?.description).toContain("Not a call.");
  expect(bad?.description).toContain(errorKinds.json_invalid.title);
});

test("documents OpenAI's error format for routes under /v1/", () => {
  const document = toOpenApi({ ...details, operations: [operation({ address: "POST /v1/chat/completions" })] });
  expect(answer(document, "/v1/chat/completions", "post", 500)?.content).toEqual({
    "application/json": { schema: { $ref: "#/components/schemas/OpenAiError" } },
  });
});

test("describes once a response that operations share", () => {
  const document = toOpenApi({ ...details, operations: [operation({}), operation({ address: "POST /other" })] });
  const shared = { $ref: "#/components/responses/500" };
  expect(document.paths["/test"]?.["post"]?.["responses"]).toMatchObject({ 500: shared });
  expect(document.paths["/other"]?.["post"]?.["responses"]).toMatchObject({ 500: shared });
  expect(answer(document, "/other", "post", 500)?.description).toContain(errorKinds.internal_error.title);
});

test("marks query, header and path parameters as required or optional", () => {
  const document = toOpenApi({
    ...details,
    operations: [
      operation({
        address: "GET /test/{id}",
        parameters: { id: { description: "The id." } },
        headers: { "x-test": { description: "A header.", required: true, example: "tried" } },
        query: z.object({ limit: z.coerce.number().int().default(50).describe("How many."), name: z.string() }),
      }),
    ],
  });
  const parameters = document.paths["/test/{id}"]?.get?.parameters as unknown as Record<string, unknown>[];
  expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
    ["id", "path", true],
    ["limit", "query", false],
    ["name", "query", true],
    ["x-test", "header", true],
  ]);
  expect(parameters[1]).toMatchObject({ description: "How many.", schema: { type: "integer", default: 50 } });
  expect(parameters[3]).toMatchObject({ description: "A header.", example: "tried" });
});

test("documents the events of a stream beside the JSON response", () => {
  const content = answer(documents[0] as OpenApiDocument, "/evaluate", "post", 200)?.content;
  expect(content?.["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/EvaluationResponse" });
  expect(content?.["text/event-stream"]?.schema).toMatchObject({
    type: "object",
    properties: { event: { type: "string" }, data: { type: "string" } },
    required: ["data"],
  });
});

/** The names of the properties that a request of an operation may have, at any depth, and the values of its `type` fields. */
function requestVocabulary(document: OpenApiDocument, path: string) {
  const properties = new Set<string>();
  const types = new Set<unknown>();
  const seen = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [place, found] of objectsIn(value)) {
      if (place.endsWith("/properties")) for (const name of Object.keys(found)) properties.add(name);
      if (place.endsWith("/properties/type")) types.add(found["const"]);
      const { $ref } = found;
      if (typeof $ref !== "string" || seen.has($ref)) continue;
      seen.add($ref);
      visit(document.components.schemas[$ref.replace("#/components/schemas/", "")]);
    }
  };
  visit(document.paths[path]?.["post"]?.["requestBody"]);
  return { properties, types };
}

const whole = toOpenApi({
  ...details,
  operations: evaluationOperations,
});

test("requests do not show what only files may have, and results do", () => {
  for (const path of ["/evaluate", "/estimate", "/scenarios", "/runs/{run_id}/rescore"]) {
    const { properties, types } = requestVocabulary(whole, path);
    expect(["world", "checks", "answers"].filter((name) => !properties.has(name))).toEqual([]);
    const refused = ["module", "module_version", "state_file", "transform", "command", "language", "file"];
    expect(refused.filter((name) => properties.has(name))).toEqual([]);
    expect(types).toContain("contains");
    expect([types.has("javascript"), types.has("python")]).toEqual([false, false]);
  }
  expect(JSON.stringify(whole.components.schemas["World"])).toContain("module");
});

test("rules between fields that a schema can state are stated", () => {
  const { schemas } = whole.components;
  expect(schemas["VerdictsRequest"]).toMatchObject({
    oneOf: [{ required: ["verdicts"] }, { required: ["text"] }],
  });
  expect(schemas["ScenarioRequest"]).toMatchObject({
    anyOf: [{ properties: { interactions: { minItems: 1 } } }, { required: ["user"] }],
  });
  expect(schemas["Gate"]).toMatchObject({
    dependentRequired: { baseline: ["not_worse_by"], not_worse_by: ["baseline"] },
  });
  expect(schemas["WorldInput"]).toMatchObject({
    anyOf: [{ required: ["tools"], properties: { tools: { minItems: 1 } } }],
  });
  const agUi = JSON.stringify(documents[1]?.components.schemas["AgUiRequest"]);
  expect(agUi).toContain('"anyOf":[{"properties":{"status":{"const":"cancelled"}}},{"required":["payload"]}]');
});
