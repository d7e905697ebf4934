import { expect, test } from "vitest";
import { resultToText } from "./result-to-text.ts";

test("texts, links and resources are written out, pictures and sound are only mentioned", () => {
  expect(
    resultToText({
      content: [
        { type: "text", text: "Here:" },
        { type: "image", mimeType: "image/png", data: "A".repeat(4096) },
        { type: "audio", mimeType: "audio/wav", data: "AAAA" },
        { type: "resource_link", name: "guide", uri: "docs://guide", description: "How to" },
        { type: "resource", resource: { uri: "docs://a", text: "inside" } },
        { type: "resource", resource: { uri: "docs://b", blob: "AAAA", mimeType: "application/pdf" } },
      ],
    }),
  ).toBe(
    [
      "Here:",
      "[image: image/png, 3 KB, not shown]",
      "[audio: audio/wav, 1 KB, not shown]",
      "[resource: guide, docs://guide, How to]",
      "[resource: docs://a]\ninside",
      "[resource: application/pdf, 1 KB, not shown]",
    ].join("\n\n"),
  );
});

test("structured content is added once", () => {
  const structuredContent = { a: 1 };
  expect(resultToText({ content: [], structuredContent })).toBe('{"a":1}');
  expect(resultToText({ content: [{ type: "text", text: '{ "a": 1 }' }], structuredContent })).toBe('{ "a": 1 }');
  expect(resultToText({ content: [{ type: "text", text: "One." }], structuredContent })).toBe('One.\n\n{"a":1}');
});

test("an empty result says so", () => {
  expect(resultToText({ content: [] })).toBe("The tool gave no content.");
});
