import { expect, test } from "vitest";
import { toolNamePattern } from "../messages/tool-name.ts";
import { mcpToolName, renameArguments } from "./mcp-servers.ts";

test("prefixes a tool with its server", () => {
  expect(mcpToolName("files", "read-file")).toBe("files__read-file");
});

test("changes names that providers refuse, each to a unique one", () => {
  const long = "x".repeat(100);
  const names = ["read.file", "read/file", "read file", "lésen", long, `${long}y`, ""].map((tool) =>
    mcpToolName("a", tool),
  );
  expect(names.every((name) => toolNamePattern.test(name))).toBe(true);
  expect(new Set(names).size).toBe(names.length);
});

const text = { type: "string" };

test("keeps argument names that every provider accepts", () => {
  const schema = { type: "object", properties: { city: text, "per-page": text, "a.b": text }, required: ["city"] };
  const args = { city: "Graz" };
  const named = renameArguments(schema);
  expect(named.schema).toBe(schema);
  expect(named.toServer(args)).toBe(args);
});

test("replaces other argument names for the model and restores them for the server", () => {
  const { schema, toServer } = renameArguments({
    type: "object",
    properties: {
      $top: { type: "integer" },
      top: text,
      "filter[state]": { ...text, description: "Which." },
      name: text,
    },
    required: ["$top", "name"],
  });
  expect(schema).toEqual({
    type: "object",
    properties: {
      top_: { type: "integer", description: "$top" },
      top: text,
      filter_state: { ...text, description: "Which." },
      name: text,
    },
    required: ["top_", "name"],
  });
  expect(toServer({ top_: 3, top: "x", filter_state: "open", other: 1 })).toEqual({
    $top: 3,
    top: "x",
    "filter[state]": "open",
    other: 1,
  });
});

test("keeps a schema without properties", () => {
  const schema = { type: "object" };
  expect(renameArguments(schema).schema).toBe(schema);
});
