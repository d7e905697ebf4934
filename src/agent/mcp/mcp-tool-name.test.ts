import { expect, test } from "vitest";
import { toolNamePattern } from "../tool-name.ts";
import { mcpToolName } from "./mcp-tool-name.ts";

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
