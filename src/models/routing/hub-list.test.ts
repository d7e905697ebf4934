import { expect, test } from "vitest";
import { createHubList } from "./hub-list.ts";

test("joins the lists of all upstreams; one that fails only lacks its own", async () => {
  const list = createHubList([
    { name: null, list: async () => ["meta/llama", "no-slash"] },
    { name: "groq", list: async () => ["mixtral", "meta/llama"] },
    { name: "down", list: () => Promise.reject(new Error("down")) },
  ]);
  expect(await list()).toEqual(["meta/llama", "groq/mixtral", "groq/meta/llama"]);
});
