import { expect, test } from "vitest";
import { toolNamePattern } from "../tool-name.ts";
import { mcpToolName, nameArguments } from "./connected-server.ts";

test("a tool is named after its server", () => {
  expect(mcpToolName("files", "read-file")).toBe("files__read-file");
});

test("names that providers refuse are changed, each to one of its own", () => {
  const long = "x".repeat(100);
  const names = ["read.file", "read/file", "read file", "lésen", long, `${long}y`, ""].map((tool) =>
    mcpToolName("a", tool),
  );
  expect(names.every((name) => toolNamePattern.test(name))).toBe(true);
  expect(new Set(names).size).toBe(names.length);
});

const text = { type: "string" };

test("names that every provider takes stay", () => {
  const schema = { type: "object", properties: { city: text, "per-page": text, "a.b": text }, required: ["city"] };
  const args = { city: "Graz" };
  const named = nameArguments(schema);
  expect(named.schema).toBe(schema);
  expect(named.toServer(args)).toBe(args);
});

test("others are replaced for the model, and put back for the server", () => {
  const { schema, toServer } = nameArguments({
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

test("a schema without properties has nothing to name", () => {
  const schema = { type: "object" };
  expect(nameArguments(schema).schema).toBe(schema);
});
