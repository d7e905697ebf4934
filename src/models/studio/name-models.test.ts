import { expect, test } from "vitest";
import { nameModels } from "./studio-registry.ts";

const first = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const second = "9b2f6c1e-0000-4000-8000-000000000002";
const secondSibling = "9b2f6c1e-0000-4000-8000-000000000003";

const ids = (models: ReturnType<typeof nameModels>) => [...models].map(([key, { id }]) => [key, id]);

test("keeps two models with one name", () => {
  const models = [first, second].map((id) => ({ name: "support", id }));
  expect(ids(nameModels(models))).toEqual([
    ["support", first],
    ["support-9b2f6c1e", second],
  ]);
});

test("extends the suffix until the key is unique", () => {
  const models = [first, second, secondSibling].map((id) => ({ name: "support", id }));
  const keys = [...nameModels([{ name: "support-9b2f6c1e-", id: first }, ...models]).keys()];
  expect(keys).toEqual(["support-9b2f6c1e-", "support", "support-9b2f6c1e", "support-9b2f6c1e-0"]);
});

test("lists a repeated model once", () => {
  const models = [first, first.toUpperCase()].map((id) => ({ name: "support", id }));
  expect(ids(nameModels(models))).toEqual([["support", first]]);
});
