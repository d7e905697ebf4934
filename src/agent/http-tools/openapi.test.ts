import { expect, test, vi } from "vitest";
import { httpTools } from "./http-tools.ts";
import type { SendRequest } from "./http-operation.ts";

const context = { signal: new AbortController().signal, now: () => 0 };
const document = `
openapi: 3.0.3
info: { title: Shop, version: "1" }
servers: [{ url: "https://{region}.shop.test/api/", variables: { region: { default: eu } } }]
paths:
  /orders/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer }, description: Number of the order. }
      - { name: lang, in: query, schema: { type: string } }
    get:
      operationId: getOrder
      summary: Looks an order up.
      parameters:
        - $ref: "#/components/parameters/Fields"
        - { name: filter, in: query, style: deepObject, schema: { type: object } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: Authorization, in: header, schema: { type: string } }
    put:
      operationId: changeOrder
      requestBody: { $ref: "#/components/requestBodies/Order" }
  /orders:
    post:
      operationId: bulk.create
      requestBody:
        content: { "application/json": { schema: { type: array, items: { $ref: "#/components/schemas/Order" } } } }
  /photos:
    post: { operationId: upload, requestBody: { required: true, content: { "image/png": {} } } }
    get: { operationId: session, parameters: [{ name: sid, in: cookie, required: true }] }
components:
  parameters:
    Fields: { name: fields, in: query, explode: false, schema: { type: array, items: { type: string } } }
  requestBodies:
    Order: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } } }
  schemas:
    Order:
      type: object
      required: [number, lines]
      properties:
        number: { type: string, readOnly: true }
        lines: { type: array, items: { $ref: "#/components/schemas/Line" } }
        note: { type: string, nullable: true, example: hi }
    Line:
      type: object
      properties:
        amount: { type: integer, minimum: 0, exclusiveMinimum: true }
        parts: { type: array, items: { $ref: "#/components/schemas/Line" } }
`;

function declare(source: Record<string, unknown>, text = document) {
  const send = vi.fn<SendRequest>(async () => ({
    ok: true,
    status: 200,
    content_type: "application/json",
    text: "{}",
  }));
  const config = { openapi: [{ document: "shop.yaml", headers: { "x-api-key": "${KEY}" }, ...source }] };
  const tools = httpTools(config, { variables: { KEY: "k1234567" }, readDocument: () => text, send });
  const run = async (args: Record<string, unknown>) => {
    const [tool] = tools;
    const problem = tool?.check(args);
    if (problem) throw new Error(problem);
    await tool?.run(args, context);
    return send.mock.calls.at(-1)?.[0];
  };
  return { tools, run };
}

test("leaves a key among the parameters to the operator, not to the model", async () => {
  const weather = `
openapi: 3.0.3
servers: [{ url: "https://weather.test" }]
paths:
  /current:
    get:
      operationId: current
      parameters:
        - { name: q, in: query, required: true, schema: { type: string } }
        - { name: appid, in: query, required: true, schema: { type: string } }
        - { name: X-API-Key, in: header, required: true, schema: { type: string } }
`;
  const fixed_query = { appid: "a&b ${KEY}", units: "metric" };
  const { tools, run } = declare({ operations: ["current"], fixed_query }, weather);
  expect(tools[0]?.definition.parameters).toMatchObject({ properties: { q: { type: "string" } }, required: ["q"] });
  expect(tools[0]?.check({ q: "Rome", appid: "mine" })).toContain("additional properties");
  expect(await run({ q: "Rome" })).toMatchObject({
    url: "https://weather.test/current?q=Rome&appid=a%26b+k1234567&units=metric",
    headers: { "x-api-key": "k1234567" },
  });
});

test.each([
  ["simple", false, "3,4", "R,100,G,200"],
  ["simple", true, "3,4", "R=100,G=200"],
  ["label", false, ".3,4", ".R,100,G,200"],
  ["label", true, ".3.4", ".R=100.G=200"],
  ["matrix", false, ";id=3,4", ";the%20color=R,100,G,200"],
  ["matrix", true, ";id=3;id=4", ";R=100;G=200"],
])("writes a path in style %s, explode %s", async (style, explode, list, object) => {
  const styled = JSON.stringify({
    openapi: "3.1.0",
    servers: [{ url: "https://shop.test" }],
    paths: {
      "/a{id}/b{the color}": {
        get: {
          operationId: "find",
          parameters: [
            { name: "id", in: "path", required: true, style, explode, schema: { type: "array" } },
            { name: "the color", in: "path", required: true, style, explode, schema: { type: "object" } },
          ],
        },
      },
    },
  });
  const { run } = declare({ operations: ["find"] }, styled);
  const sent = await run({ id: [3, 4], the_color: { R: 100, G: 200 } });
  expect(sent?.url).toBe(`https://shop.test/a${list}/b${object}`);
});

test.each([
  ["https://{region}.shop.test", 'gives no default for "region" in its server address https://{region}.shop.test'],
  ["https://shop.test:{port}/v1", 'gives no default for "port"'],
  ["{scheme}://shop.test", 'gives no default for "scheme"'],
  ["/v1", "has no full server URL"],
])("refuses the server %s with the reason", (url, reason) => {
  const text = JSON.stringify({
    openapi: "3.0.0",
    servers: [{ url, variables: { region: { enum: ["eu"] } } }],
    paths: { "/x": { get: { operationId: "find" } } },
  });
  expect(() => declare({ operations: ["find"] }, text)).toThrow(reason);
  expect(() => declare({ operations: ["find"], base_url: "https://eu.shop.test" }, text)).not.toThrow();
});

test("makes one schema of all parameters of an operation", async () => {
  const { tools, run } = declare({ operations: ["getOrder"], prefix: "shop_" });
  expect(tools[0]?.definition).toEqual({
    name: "shop_getOrder",
    description: "Looks an order up.",
    parameters: {
      type: "object",
      properties: {
        id: { description: "Number of the order.", type: "integer" },
        lang: { type: "string" },
        fields: { type: "array", items: { type: "string" } },
        filter: { type: "object" },
        "X-Trace": { type: "string" },
      },
      required: ["id"],
      additionalProperties: false,
    },
  });
  const sent = await run({ id: 7, lang: "de", fields: ["a", "b"], filter: { state: "open" }, "X-Trace": "t" });
  expect(sent?.url).toBe("https://eu.shop.test/api/orders/7?lang=de&fields=a%2Cb&filter%5Bstate%5D=open");
  expect(sent?.headers).toMatchObject({ "x-trace": "t", "x-api-key": "k1234567" });
});

test("puts the fields of a JSON body beside the parameters, with the schemas they need", async () => {
  const { tools, run } = declare({ operations: ["changeOrder"], base_url: "https://test.shop.test" });
  expect(tools[0]?.definition.parameters).toMatchObject({
    properties: { id: {}, lines: { items: { $ref: "#/$defs/Line" } }, note: { type: ["string", "null"] } },
    required: ["id", "lines"],
    $defs: { Line: { properties: { amount: { exclusiveMinimum: 0 }, parts: { items: { $ref: "#/$defs/Line" } } } } },
  });
  expect(tools[0]?.definition.parameters["properties"]).not.toHaveProperty("number");
  await expect(run({ id: 7, lines: [{ amount: 0 }] })).rejects.toThrow("/lines/0/amount must be > 0");
  const sent = await run({ id: 7, lines: [{ amount: 1 }], note: null });
  expect(sent).toMatchObject({
    method: "PUT",
    url: "https://test.shop.test/orders/7",
    body: '{"lines":[{"amount":1}],"note":null}',
  });
});

test("makes a body that is not an object one argument", async () => {
  const { tools, run } = declare({ operations: ["bulk.create"], approval: ["bulk.create"] });
  expect(tools[0]?.definition.name).toBe("bulk_create");
  expect(tools[0]?.needsApproval).toBe(true);
  expect((await run({ body: [{ lines: [] }] }))?.body).toBe('[{"lines":[]}]');
});

const odd = `
openapi: 3.1.0
info: { title: Odd, version: "1" }
servers: [{ url: "https://all.test" }]
paths:
  /items/{id}:
    servers: [{ url: "https://items.test/v2" }]
    get:
      operationId: items
      parameters:
        - { name: id, in: query, schema: { type: string } }
        - { name: id, in: header, schema: { type: string } }
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: pipes, in: query, style: pipeDelimited, schema: { type: array, items: { type: string } } }
        - { name: spaces, in: query, style: spaceDelimited, schema: { type: array, items: { type: string } } }
        - { name: many, in: query, style: pipeDelimited, explode: true, schema: { type: array, items: { type: string } } }
        - { name: o, in: query, schema: { type: object } }
        - { name: joined, in: query, explode: false, schema: { type: object } }
        - { name: where, in: query, content: { "application/json": { schema: { type: object } } } }
    put:
      operationId: replace
      servers: [{ url: "https://writes.test" }]
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody:
        content: { "application/json": { schema: { $ref: "#/components/schemas/Page%5BItem%5D" } } }
components:
  schemas:
    "Page[Item]":
      type: object
      properties: { items: { type: array, items: { $ref: "#/components/schemas/Item%20of%20100%25" } }, next: { $ref: "#/components/schemas/Page%5BItem%5D" } }
    "Item of 100%": { type: string }
`;

test("writes lists and objects into the query as their style says", async () => {
  const { run } = declare({ operations: ["items"] }, odd);
  const sent = async (args: Record<string, unknown>) => new URL((await run({ id: "7", ...args }))?.url ?? "").search;
  expect(await sent({ pipes: ["a", "b"] })).toBe("?pipes=a%7Cb");
  expect(await sent({ spaces: ["a", "b"] })).toBe("?spaces=a+b");
  expect(await sent({ many: ["a", "b"] })).toBe("?many=a&many=b");
  expect(await sent({ o: { k: "v", n: 1 } })).toBe("?k=v&n=1");
  expect(await sent({ joined: { k: "v", n: 1 } })).toBe("?joined=k%2Cv%2Cn%2C1");
  expect(new URLSearchParams(await sent({ where: { k: "v" } })).get("where")).toBe('{"k":"v"}');
});

test("makes parameters of one name in several places separate arguments", async () => {
  const { tools, run } = declare({ operations: ["items"] }, odd);
  expect(tools[0]?.definition.parameters).toMatchObject({ required: ["id"] });
  const sent = await run({ id: "7", id_query: "8", id_header: "9" });
  expect(sent?.url).toBe("https://items.test/v2/items/7?id=8");
  expect(sent?.headers).toMatchObject({ id: "9" });
});

test.each(["9\r\nX-Admin: yes", "9\n", "\u0000", "é"])(
  "refuses a header value of %j before anything is sent",
  async (value) => {
    const { run } = declare({ operations: ["items"] }, odd);
    await expect(run({ id: "7", id_header: value })).rejects.toThrow("can contain only printable ASCII characters");
  },
);

test("prefers servers of an operation or a path item to those of the document, and base_url to all", async () => {
  expect((await declare({ operations: ["replace"] }, odd).run({ id: "7" }))?.url).toBe("https://writes.test/items/7");
  const source = { operations: ["replace"], base_url: "https://mine.test" };
  expect((await declare(source, odd).run({ id: "7" }))?.url).toBe("https://mine.test/items/7");
});

test("follows percent-encoded references", async () => {
  const { tools, run } = declare({ operations: ["replace"] }, odd);
  expect(Object.keys(tools[0]?.definition.parameters["$defs"] as object)).toEqual([
    "Item_20of_20100_25",
    "Page_5bItem_5d",
  ]);
  expect((await run({ id: "7", items: ["a"], next: { items: [] } }))?.body).toBe('{"items":["a"],"next":{"items":[]}}');
  await expect(run({ id: "7", next: { items: [1] } })).rejects.toThrow("/next/items/0 must be string");
});

const quirks = `
openapi: 3.1.0
servers: [{ url: "https://q.test" }]
paths:
  /pets/{pet ids}:
    get:
      operationId: find
      parameters:
        - { name: pet ids, in: path, required: true, schema: { type: array, items: { type: integer } } }
        - { name: "filter[state]", in: query, schema: { type: string } }
        - { name: $top, in: query, description: How many., schema: { type: integer } }
        - { name: top, in: query, schema: { type: integer } }
        - { name: X-Tags, in: header, schema: { type: [array, "null"], items: { type: string } } }
    put:
      operationId: change
      parameters: [{ name: pet ids, in: path, required: true, schema: { type: string } }]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                "@type": { type: string }
                state: { $ref: "#/paths/~1toys/get/parameters/0/schema", description: State of the pet. }
  /toys: { get: { parameters: [{ name: state, in: query, schema: { type: string, enum: [new, old] } }] } }
`;

test("gives arguments names that every provider accepts, and sends them under their own", async () => {
  const { tools, run } = declare({ operations: ["find"] }, quirks);
  const properties = tools[0]?.definition.parameters["properties"] as Record<string, object>;
  expect(Object.keys(properties)).toEqual(["pet_ids", "filter_state", "top", "top_query", "X-Tags"]);
  expect(properties).toMatchObject({
    filter_state: { description: "filter[state]" },
    top: { description: "How many." },
  });
  const sent = await run({ pet_ids: [7, 8], filter_state: "new", top: 5, top_query: 6, "X-Tags": ["a", "b"] });
  expect(decodeURIComponent(sent?.url ?? "")).toBe("https://q.test/pets/7,8?filter[state]=new&$top=5&top=6");
  expect(sent?.headers).toMatchObject({ "x-tags": "a,b" });
});

test("does not send null in headers or the query", async () => {
  const { run } = declare({ operations: ["find"] }, quirks);
  expect((await run({ pet_ids: [7], "X-Tags": null }))?.headers).not.toHaveProperty("x-tags");
});

test("renames body fields too, with schemas from anywhere in the document", async () => {
  const { tools, run } = declare({ operations: ["change"] }, quirks);
  expect(tools[0]?.definition.parameters).toMatchObject({
    properties: { type: { description: "@type" }, state: { description: "State of the pet." } },
  });
  expect((await run({ pet_ids: "7", type: "Pet", state: "old" }))?.body).toBe('{"@type":"Pet","state":"old"}');
  await expect(run({ pet_ids: "7", state: "lost" })).rejects.toThrow("/state must be equal to one of");
});

const nameless = `
openapi: 3.1.0
servers: [{ url: "https://pets.test:{port}", variables: { port: { default: 8443 } } }]
paths:
  /pets/{id}/toys: { get: { summary: Toys of a pet., parameters: [{ name: id, in: path, required: true }] } }
  /pets: { get: { operationId: twice }, delete: { operationId: twice } }
`;

test("chooses an operation without a unique id by method and path", async () => {
  const operations = ["GET /pets/{id}/toys", "DELETE /pets"];
  const { tools, run } = declare({ operations, approval: ["DELETE /pets"], prefix: "p_" }, nameless);
  expect(
    tools.map(({ definition: { name, description }, needsApproval }) => [name, description, needsApproval]),
  ).toEqual([
    ["p_get_pets_id_toys", "Toys of a pet.", false],
    ["p_delete_pets", "DELETE /pets", true],
  ]);
  expect((await run({ id: "7" }))?.url).toBe("https://pets.test:8443/pets/7/toys");
});

test("applies approval under either name of an operation", () => {
  const approved = (operations: string[], approval: string[]) =>
    declare({ operations, approval }, document).tools.map(({ needsApproval }) => needsApproval);
  expect(approved(["PUT /orders/{id}"], ["changeOrder"])).toEqual([true]);
  expect(approved(["changeOrder", "getOrder"], ["PUT /orders/{id}"])).toEqual([true, false]);
});

test.each<[Record<string, unknown>, string, string]>([
  [{ operations: ["twice"] }, nameless, 'operationId "twice" twice: choose "GET /pets" or "DELETE /pets" instead.'],
  [{ operations: ["toys"] }, nameless, 'has no operation "toys". It has: GET /pets/{id}/toys, twice, twice.'],
  [{ operations: ["toys"] }, "openapi: 3.1.0", 'has no operation "toys". It has: none.'],
  [{ operations: ["getOrder"], approval: ["getOrdr"] }, document, '"getOrdr" under approval is not one of the chosen'],
  [{ operations: ["deleteAll"] }, document, 'has no operation "deleteAll". It has: getOrder, changeOrder'],
  [{ operations: ["upload"] }, document, 'The operation "upload" takes image/png, not JSON or a form.'],
  [{ operations: ["session"] }, document, 'needs the cookie "sid"'],
  [{ operations: ["getOrder"] }, document.replace(/servers:.*\n/, ""), "set base_url"],
  [
    { operations: ["getOrder"] },
    document.replace("#/components/parameters/Fields", "other.yaml#/x"),
    "points outside the OpenAPI document",
  ],
  [
    { operations: ["getOrder"] },
    document.replace("#/components/parameters/Fields", "#/components/x"),
    "is not in the OpenAPI document",
  ],
  [{ operations: ["getOrder"] }, "swagger: '2.0'", "shop.yaml: The document is not OpenAPI 3."],
  [{ operations: ["getOrder"] }, "{", "shop.yaml: "],
  [{ operations: [] }, document, "openapi.0.operations"],
])("refuses %j with the reason: %#", (source, text, message) => {
  expect(() => declare(source, text)).toThrow(
    expect.objectContaining({ name: "ConfigError", message: expect.stringContaining(message) }),
  );
});
