import { expect, test, vi } from "vitest";
import type { SendRequest, ToolRequest, ToolResponse } from "./http-operation.ts";
import { httpTools } from "./http-tools.ts";

const context = { signal: new AbortController().signal, now: () => 0 };
const json = (text: string, status = 200): ToolResponse => ({
  ok: true,
  status,
  content_type: "application/json",
  text,
});

function declare(
  config: unknown,
  answer: ToolResponse | ((request: ToolRequest) => ToolResponse) = json("{}"),
  documents: Record<string, string> = {},
) {
  const send = vi.fn<SendRequest>(async (request) => (typeof answer === "function" ? answer(request) : answer));
  const tools = httpTools(config, {
    variables: { SHOP_TOKEN: "s3cret-token", EMPTY: "" },
    readDocument: (path) => documents[path] ?? "",
    send,
    maxBytes: 100,
  });
  const [tool] = tools;
  const run = async (args: Record<string, unknown>) => {
    if (!tool) throw new Error("no tool");
    const problem = tool.check(args);
    if (problem) throw new Error(problem);
    return tool.run(args, context);
  };
  return { tools, tool, run, send, sent: () => send.mock.calls.map(([request]) => request) };
}

const text = { type: "string" };
const order = {
  name: "order_status",
  description: "Looks an order up.",
  url: "https://shop.test/orders/{id}?source=agent",
  headers: { Authorization: "Bearer ${SHOP_TOKEN}" },
  parameters: { type: "object", properties: { id: text, fields: { type: "array", items: text } }, required: ["id"] },
};

test("sends the arguments of a declared tool with the operator's credential", async () => {
  const { run, sent } = declare({ tools: [order] }, json('{"state":"sent"}'));
  expect(await run({ id: "7/8", fields: ["a", "b"] })).toBe('{"state":"sent"}');
  expect(sent()).toEqual([
    {
      method: "GET",
      url: "https://shop.test/orders/7%2F8?source=agent&fields=a&fields=b",
      headers: { accept: "application/json, text/*;q=0.9", authorization: "Bearer s3cret-token" },
      idempotent: true,
      maxBytes: 100,
      signal: context.signal,
    },
  ]);
});

test("sends the operator's query last and hides it from the model", async () => {
  const parameters = { type: "object", properties: { id: text, key: text } };
  const tool = { ...order, url: "https://shop.test/orders/{id}", headers: {}, parameters };
  const fixed_query = { key: "${SHOP_TOKEN}/+" };
  const { run, sent } = declare({ tools: [{ ...tool, fixed_query }] }, ({ url }) => json(`No entry: ${url}`));
  expect(await run({ id: "7", key: "forged" })).toBe("No entry: https://shop.test/orders/7?key=[redacted]%2F%2B");
  expect(sent()[0]?.url).toBe("https://shop.test/orders/7?key=s3cret-token%2F%2B");
  expect(() => declare({ tools: [{ ...tool, fixed_query: { key: "${NOT_THERE}" } }] })).toThrow(
    'The query\'s key of the tool "order_status" uses ${NOT_THERE}, which is not set.',
  );
});

test("does not send an absent argument, whatever its name", async () => {
  const parameters = { type: "object", properties: { constructor: text, toString: text } };
  const tool = { ...order, url: "https://shop.test/teams", headers: {}, parameters, method: "POST" };
  const { run, sent } = declare({ tools: [{ ...tool, query: ["constructor"] }] });
  await run({ toString: "yes" });
  await run({ constructor: "ferrari" });
  expect(sent()).toMatchObject([
    { url: "https://shop.test/teams", body: '{"toString":"yes"}' },
    { url: "https://shop.test/teams?constructor=ferrari", body: "{}" },
  ]);
});

test("places arguments by the mapping, and the rest in the body of a POST", async () => {
  const parameters = { type: "object", properties: { id: text, dry: { type: "boolean" }, note: text, lines: {} } };
  const base = { ...order, method: "POST", headers: {}, parameters };
  const rest = declare({ tools: [{ ...base, query: { dry_run: "dry" } }] });
  await rest.run({ id: "7", dry: true, note: "hi" });
  expect(rest.sent()[0]).toMatchObject({
    method: "POST",
    url: "https://shop.test/orders/7?source=agent&dry_run=true",
    body: '{"note":"hi"}',
    headers: { "content-type": "application/json" },
    idempotent: false,
  });
  const whole = declare({ tools: [{ ...base, query: ["dry", "note"], body: "lines" }] });
  await whole.run({ id: "7", lines: [1, 2] });
  expect(whole.sent()[0]?.body).toBe("[1,2]");
  const mapped = declare({ tools: [{ ...base, query: ["dry"], body: { comment: "note" } }] });
  await mapped.run({ id: "7", note: "hi" });
  expect(mapped.sent()[0]?.body).toBe('{"comment":"hi"}');
});

test.each([
  ["GET", true],
  ["PUT", true],
  ["DELETE", true],
  ["POST", false],
  ["PATCH", false],
])("marks a %s as idempotent: %s", async (method, idempotent) => {
  const { run, sent } = declare({ tools: [{ ...order, method }] });
  await run({ id: "7" });
  expect(sent()).toMatchObject([{ method, idempotent }]);
});

test("refuses an argument that would leave the path before anything is sent", async () => {
  const { run, send } = declare({ tools: [order] });
  await expect(run({ id: ".." })).rejects.toThrow("do not make a valid URL");
  expect(send).not.toHaveBeenCalled();
});

test.each<[string, ToolResponse, string]>([
  ["a 404", json('{"error":"no such order"}', 404), 'The service answered HTTP 404: {"error":"no such order"}'],
  ["a 500 without words", json("", 500), "The service answered HTTP 500."],
  ["a redirect", json("", 302), "The service answered HTTP 302."],
  ["an answer that is too large", json("x".repeat(101)), "The answer is larger than 100 bytes."],
  [
    "an image",
    { ok: true, status: 200, content_type: "image/png", text: "x" },
    "answered with image/png, which is not text",
  ],
  ["a refused connection", { ok: false, reason: "The service cannot be reached." }, "The service cannot be reached."],
])("reports %s as a tool error", async (_, answer, message) => {
  await expect(declare({ tools: [order] }, answer).run({ id: "7" })).rejects.toThrow(
    expect.objectContaining({ name: "ToolError", message: expect.stringContaining(message) }),
  );
});

test("cuts the message of a failure, and reads a page as text", async () => {
  const failing = (answer: Partial<ToolResponse & { ok: true }>) =>
    declare({ tools: [order] }, { ok: true, status: 422, content_type: "text/html", text: "", ...answer }).run({
      id: "7",
    });
  await expect(failing({ text: "<h1>Shipped</h1><script>x</script>" })).rejects.toThrow("HTTP 422: # Shipped");
  await expect(failing({ content_type: "image/png", text: "PNG" })).rejects.toThrow(/HTTP 422\.$/);
  await expect(failing({ text: "x".repeat(5000) })).rejects.toThrow(/HTTP 422: x{1000}…$/);
});

test("reports an empty answer and reads HTML as text", async () => {
  expect(await declare({ tools: [order] }, json("", 204)).run({ id: "7" })).toBe("Done: HTTP 204 without content.");
  for (const content_type of ["text/html", "application/xhtml+xml; charset=utf-8"]) {
    const page: ToolResponse = { ok: true, status: 200, content_type, text: "<h1>Hi</h1><script>x</script>" };
    expect(await declare({ tools: [order] }, page).run({ id: "7" })).toBe("# Hi");
  }
});

test("redacts a credential that a service repeats", async () => {
  const { run, tools } = declare({ tools: [order] }, (request) => json(JSON.stringify(request.headers)));
  expect(await run({ id: "7" })).not.toContain("s3cret");
  const echo = declare({ tools: [order] }, () => json("token is s3cret-token"));
  expect(await echo.run({ id: "7" })).toBe("token is [redacted]");
  expect(JSON.stringify(tools)).not.toContain("s3cret");

  const failures: ToolResponse[] = [
    json("bad token s3cret-token", 401),
    json(`${"x".repeat(995)}s3cret-token`, 401),
    { ok: false, reason: "bad token s3cret-token" },
    { ok: true, status: 200, content_type: "x/s3cret-token", text: "x" },
  ];
  for (const failure of failures) {
    const failed = await declare({ tools: [order] }, failure)
      .run({ id: "7" })
      .catch((error: Error) => error.message);
    expect(failed).not.toContain("s3c");
  }
});

test.each<[string, unknown, string]>([
  [
    "an unset variable",
    { tools: [{ ...order, headers: { a: "${NOPE}" } }] },
    'The header a of the tool "order_status" uses ${NOPE}, which is not set.',
  ],
  ["an empty variable", { tools: [{ ...order, headers: { a: "${EMPTY}" } }] }, "which is not set"],
  ["a line break in a header", { tools: [{ ...order, headers: { a: "x\r\ny: z" } }] }, "The header a of the tool"],
  [
    "an undeclared path parameter",
    { tools: [{ ...order, parameters: {} }] },
    'uses "id", which is not one of its parameters',
  ],
  ["two tools of one name", { tools: [order, order] }, 'Two HTTP tools are named "order_status".'],
  ["an unknown key", { tools: [{ ...order, metod: "GET" }] }, "tools.0"],
  ["a bad name", { tools: [{ ...order, name: "two words" }] }, "tools.0.name must be 1 to 64 letters"],
  [
    "a broken schema",
    { tools: [{ ...order, parameters: { ...order.parameters, required: "id" } }] },
    "not a usable JSON schema",
  ],
  ["something else", [], "The list of HTTP tools is not valid"],
])("refuses %s at the start with one clear line", (_, config, message) => {
  expect(() => declare(config)).toThrow(
    expect.objectContaining({ name: "ConfigError", message: expect.stringContaining(message) }),
  );
});

test("takes approval and time limits from the config", () => {
  const { tool } = declare({ tools: [{ ...order, approval: true, timeout_ms: 5000 }] });
  expect(tool).toMatchObject({ needsApproval: true, timeoutMs: 5000 });
});

test.each([
  { tool: { method: "GET" }, idempotent: true },
  { tool: { method: "PUT" }, idempotent: true },
  { tool: { method: "POST" }, idempotent: false },
  { tool: { method: "POST", idempotent: true }, idempotent: true },
  { tool: { method: "GET", idempotent: false }, idempotent: false },
])("a tool with $tool may be called again after a crash: $idempotent", ({ tool, idempotent }) => {
  const declared = { name: "order", description: "Orders.", url: "https://shop.example/orders", ...tool };
  const send = () => Promise.reject(new Error("not called"));
  const [made] = httpTools({ tools: [declared] }, { variables: {}, readDocument: () => "", send });
  expect(made?.idempotent).toBe(idempotent);
});

test("treats a key in the file as a secret, and other values not", async () => {
  const headers = { "X-Api-Key": "written-key", "X-Tenant": "acme-corp" };
  const { run } = declare({ tools: [{ ...order, headers }] }, json("acme-corp sent written-key"));
  expect(await run({ id: "7" })).toBe("acme-corp sent [redacted]");
});

test("redacts a key of the query in links of the answer", async () => {
  const tool = { ...order, fixed_query: { api_key: "ab+cd/ef==" } };
  const { run } = declare({ tools: [tool] }, ({ url }) => json(JSON.stringify({ next: `${url}&page=2` })));
  expect(await run({ id: "7" })).toContain("api_key=[redacted]&page=2");
});

const oneOperation = {
  openapi: "3.1.0",
  servers: [{ url: "https://a.test" }],
  paths: { "/x": { get: { operationId: "x" } } },
};

test("reads JSON with a byte order mark, and YAML in braces", () => {
  const config = { openapi: [{ document: "d", operations: ["x"] }] };
  const marked = `\ufeff${JSON.stringify(oneOperation, null, 2)}`;
  expect(declare(config, json("{}"), { d: marked }).tools).toHaveLength(1);
  const flow = "{openapi: 3.1.0, servers: [{url: https://a.test}], paths: {/x: {get: {operationId: x}}}}";
  expect(declare(config, json("{}"), { d: flow }).tools).toHaveLength(1);
});

test("reads YAML with merge keys and many aliases", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `p${index}`);
  const parameters = names.map((name) => `        - { <<: *parameter, name: ${name} }`);
  const document = `
openapi: 3.1.0
servers: [{ url: "https://a.test" }]
x-shared: { parameter: &parameter { in: query, schema: { type: string } } }
paths:
  /x:
    get:
      operationId: x
      parameters:
${parameters.join("\n")}
`;
  const { tool } = declare({ openapi: [{ document: "d", operations: ["x"] }] }, json("{}"), { d: document });
  expect(Object.keys(tool?.definition.parameters["properties"] as object)).toEqual(names);
});
