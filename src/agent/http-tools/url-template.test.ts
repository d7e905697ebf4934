import fc from "fast-check";
import { expect, test } from "vitest";
import { ToolError } from "../tools/tool.ts";
import { parseUrlTemplate } from "./url-template.ts";

const orders = parseUrlTemplate("https://shop.test/v1/orders/{id}/items/{item}?all=1", "The tool");

test("fills the path with encoded arguments and changes nothing else", () => {
  expect(orders.parameters).toEqual(["id", "item"]);
  expect(orders.fill({ id: "a/b?c#d", item: 7 }).href).toBe("https://shop.test/v1/orders/a%2Fb%3Fc%23d/items/7?all=1");
  expect(orders.fill({ id: "ä ö", item: true }).pathname).toBe("/v1/orders/%C3%A4%20%C3%B6/items/true");
});

test.each([
  ["..", "x"],
  [".", "x"],
  ["x", ".."],
  ["", "x"],
  [null, "x"],
  [{}, "x"],
  [[], "x"],
  [["a", ""], "x"],
  [[["a"]], "x"],
  [[".."], "x"],
])("refuses %j and %j", (id, item) =>
  expect(() => orders.fill({ id, item })).toThrow(expect.objectContaining({ name: "ToolError" })),
);

test("refuses dots that climb up only when joined", () => {
  const pair = parseUrlTemplate("https://shop.test/a/{x}{y}/b", "The tool");
  expect(() => pair.fill({ x: ".", y: "." })).toThrow("do not make a valid URL");
  expect(pair.fill({ x: "..", y: "a" }).pathname).toBe("/a/..a/b");
});

test("does not take a missing argument from the prototype", () => {
  const template = parseUrlTemplate("https://shop.test/{toString}", "The tool");
  expect(() => template.fill({})).toThrow('The argument "toString"');
});

test.each([
  ["https://{host}/x", "only in the path"],
  ["https://shop.test:{port}/x", "needs a full URL"],
  ["https://shop.test/x?q={q}", "only in the path"],
  ["/relative/{id}", "needs a full URL"],
  ["ftp://shop.test/{id}", "needs a full URL"],
  ["https://u:p@shop.test/{id}", "password"],
])("refuses %s at the start", (template, reason) => {
  expect(() => parseUrlTemplate(template, "The tool")).toThrow(reason);
});

function fillOrRefuse(id: string, item: string) {
  try {
    const { origin, search, pathname } = orders.fill({ id, item });
    return { refused: false, origin, search, pathname };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { refused: true, origin: "", search: "", pathname: "" };
  }
}

test("keeps origin, query and number of path parts whatever the arguments", () => {
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("..", "%2e%2e", "..%2f", "\\", "//x", "\ud800"),
  );
  fc.assert(
    fc.property(value, value, (id, item) => {
      const filled = fillOrRefuse(id, item);
      expect(filled.refused || filled.origin === "https://shop.test").toBe(true);
      expect(filled.refused || filled.search === "?all=1").toBe(true);
      expect(filled.refused || /^\/v1\/orders\/[^/]+\/items\/[^/]+$/.test(filled.pathname)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
