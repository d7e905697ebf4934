import { expect, test, vi } from "vitest";
import { httpTools } from "./http-tools.ts";
import type { SendRequest } from "./http-operation.ts";

const answer = { ok: true, status: 200, content_type: "application/json", text: "{}" } as const;
const note = { type: "object", properties: { note: { type: "string" } } };

/** The request of an operation with this request body. */
async function sentFor(requestBody: object, args: Record<string, unknown>, headers: Record<string, string> = {}) {
  const document = {
    openapi: "3.1.0",
    servers: [{ url: "https://api.test" }],
    paths: { "/x": { post: { operationId: "act", requestBody } } },
  };
  const send = vi.fn<SendRequest>(async () => answer);
  const config = { openapi: [{ document: "d", operations: ["act"], headers }] };
  const [tool] = httpTools(config, { variables: {}, readDocument: () => JSON.stringify(document), send });
  const problem = tool?.check(args);
  if (problem) throw new Error(problem);
  await tool?.run(args, { signal: new AbortController().signal, now: () => 0 });
  const sent = send.mock.calls[0]?.[0];
  return { type: sent?.headers["content-type"], body: sent?.body };
}

test.each([
  ["application/vnd.api+json", "application/vnd.api+json"],
  ["application/merge-patch+json", "application/merge-patch+json"],
  ["application/json; charset=utf-8", "application/json; charset=utf-8"],
  ["*/*", "application/json"],
])("sends a body of type %s as %s", async (declared, sent) => {
  const requestBody = { required: true, content: { [declared]: { schema: note } } };
  expect(await sentFor(requestBody, { note: "hi" })).toEqual({ type: sent, body: '{"note":"hi"}' });
});

test("prefers plain JSON to other JSON types, those to a form, and the operator's header to all", async () => {
  const media = { schema: note };
  const content = {
    "application/x-www-form-urlencoded": media,
    "application/ld+json": media,
    "application/json": media,
  };
  expect(await sentFor({ content }, { note: "hi" })).toMatchObject({ type: "application/json" });
  const headers = { "Content-Type": "application/json; profile=x" };
  expect(await sentFor({ content }, { note: "hi" }, headers)).toMatchObject({ type: "application/json; profile=x" });
});

test("sends no optional body when none of its fields is given", async () => {
  const content = { "application/json": { schema: { ...note, required: ["note"] } } };
  expect(await sentFor({ content }, {})).toEqual({ type: undefined, body: undefined });
  expect(await sentFor({ required: true, content: { "application/json": { schema: note } } }, {})).toMatchObject({
    body: "{}",
  });
});

test("makes a body with additional properties one argument", async () => {
  const content = { "application/json": { schema: { ...note, additionalProperties: { type: "integer" } } } };
  expect((await sentFor({ content }, { body: { note: "hi", apples: 3 } })).body).toBe('{"note":"hi","apples":3}');
  await expect(sentFor({ content }, { body: { apples: "many" } })).rejects.toThrow("/body/apples must be integer");
});

test("writes a form with lists and objects as its encoding says", async () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      to: { type: "array" },
      extra: { type: "object" },
      deep: { type: "object" },
    },
  };
  const encoding = { deep: { style: "deepObject", explode: true } };
  const content = { "application/x-www-form-urlencoded": { schema, encoding } };
  const args = { name: "Ä & b", to: ["x", "y"], extra: { k: 1 }, deep: { a: { b: 2 }, list: ["p", "q"] } };
  const { type, body } = await sentFor({ required: true, content }, args);
  expect(type).toBe("application/x-www-form-urlencoded");
  expect([...new URLSearchParams(body)]).toEqual([
    ["name", "Ä & b"],
    ["to", "x"],
    ["to", "y"],
    ["extra", '{"k":1}'],
    ["deep[a][b]", "2"],
    ["deep[list][0]", "p"],
    ["deep[list][1]", "q"],
  ]);
});

const point = { type: "object", properties: { x: { type: "integer" } }, required: ["x"] };

test.each([
  ["a type", { type: "string" }],
  ["a list of values", { enum: ["low", "high"] }],
  ["alternatives", { oneOf: [point, { type: "string" }] }],
  ["any of several", { anyOf: [point, { type: "string" }] }],
  ["all of several", { allOf: [point], description: "Where it is." }],
  ["all of several and a type", { type: "object", allOf: [point] }],
])("allows null, and nothing else new, for a nullable schema with %s", async (_, schema) => {
  const place = { ...schema, nullable: true };
  const content = { "application/json": { schema: { type: "object", properties: { place } } } };
  expect((await sentFor({ required: true, content }, { place: null })).body).toBe('{"place":null}');
  await expect(sentFor({ content }, { place: 1 })).rejects.toThrow("/place");
});

test("sends a value that fits several alternatives, because the discriminator is for the server", async () => {
  const cat = {
    type: "object",
    properties: { kind: { type: "string" }, age: { type: "integer" } },
    required: ["kind"],
  };
  const dog = { ...cat, properties: { ...cat.properties, barks: { type: "boolean" } } };
  const schema = { oneOf: [cat, dog], discriminator: { propertyName: "kind" } };
  const content = { "application/json": { schema } };
  expect((await sentFor({ required: true, content }, { body: { kind: "dog", barks: true } })).body).toBe(
    '{"kind":"dog","barks":true}',
  );
  await expect(sentFor({ content }, { body: { age: 3 } })).rejects.toThrow("/body must have required property 'kind'");
});
