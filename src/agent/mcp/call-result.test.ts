import { expect, test } from "vitest";
import { resultToText } from "./call-result.ts";

test("writes out texts, links and resources, and only mentions pictures and sound", () => {
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

test("adds structured content once", () => {
  const structuredContent = { a: 1 };
  expect(resultToText({ content: [], structuredContent })).toBe('{"a":1}');
  expect(resultToText({ content: [{ type: "text", text: '{ "a": 1 }' }], structuredContent })).toBe('{ "a": 1 }');
  expect(resultToText({ content: [{ type: "text", text: "One." }], structuredContent })).toBe('One.\n\n{"a":1}');
});

test.each([
  [["Hi"], "Hi"],
  [["1.50"], 1.5],
  [["[1, 2]"], [1, 2]],
  [
    ["a", '{ "b": 2 }'],
    ["a", { b: 2 }],
  ],
])("does not repeat structured content that only wraps the text: %j", (texts, result) => {
  const content = texts.map((text) => ({ type: "text", text }));
  expect(resultToText({ content, structuredContent: { result } })).toBe(texts.join("\n\n"));
});

test.each([
  ["the text of a file", { content: "the text of a file" }],
  ['[\n  {"name": "Ada"}\n]', { entities: [{ name: "Ada" }] }],
])("does not repeat what the reference servers wrap: %j", (text, structuredContent) => {
  expect(resultToText({ content: [{ type: "text", text }], structuredContent })).toBe(text);
});

const picture = { type: "image", mimeType: "image/png", data: "A".repeat(4096) };
const words = { type: "text", text: "Hi" };
const unset = { annotations: null, _meta: null };

test.each([
  [[picture], { content: [picture] }],
  [[picture], { ...picture, ...unset }],
  [[words, picture], { result: [{ ...words, ...unset }, picture] }],
])(
  "nor is content that stands there once more, as the file server and Python's library have it: %#",
  (content, structuredContent) => {
    expect(resultToText({ content, structuredContent })).toBe(resultToText({ content }));
  },
);

test.each([
  [["Hi"], { result: "Ho" }],
  [["Hi"], { result: "Hi", count: 1 }],
  [["20"], { celsius: 20 }],
  [["Hi"], { text: "Hi" }],
  [["Hi"], { result: [{ type: "text", text: "Ho" }] }],
  [["[1]"], { ids: [1], more: true }],
  [["a"], { result: ["a", "b"] }],
  [[], { result: [] }],
])("adds structured content that says more: %j and %j", (texts, structuredContent) => {
  const content = texts.map((text) => ({ type: "text", text }));
  expect(resultToText({ content, structuredContent })).toBe([...texts, JSON.stringify(structuredContent)].join("\n\n"));
});

test.each([{ content: [] }, {}, { content: null, structuredContent: null, isError: false, _meta: {} }])(
  "an empty result says so: %j",
  (result) => {
    expect(resultToText(result)).toBe("The tool gave no content.");
  },
);

test.each([
  ["null for what is not there", { content: [{ type: "text", text: "Hi", annotations: null }] }, "Hi"],
  ["a text alone", { content: "Hi" }, "Hi"],
  ["texts alone", { content: ["Hi", "you"] }, "Hi\n\nyou"],
  ["one block alone", { content: { type: "text", text: "Hi" } }, "Hi"],
  ["a text that is none", { content: [{ type: "text", text: { a: 1 } }] }, '{"a":1}'],
  ["a picture of no type", { content: [{ type: "image", data: "AAAA" }] }, "[image, 1 KB, not shown]"],
  ["structured content alone", { structuredContent: { a: 1 } }, '{"a":1}'],
  ["a structured list", { content: [], structuredContent: [1, 2] }, "[1,2]"],
  ["something else", { temperature: 20, isError: false, _meta: {} }, '{"temperature":20}'],
  [
    "a kind of content that is not known",
    { content: [{ type: "json", json: { a: 1 } }] },
    '[content of an unknown kind]\n{"type":"json","json":{"a":1}}',
  ],
  [
    "much content of a kind that is not known",
    { content: [{ type: "video", data: "A".repeat(10_000) }] },
    "[content of an unknown kind, 10 KB, not shown]",
  ],
])("shows a result with %s as well as possible", (_, result, text) => {
  expect(resultToText(result)).toBe(text);
});

test("does not show structured content that is nested too deep", () => {
  const structuredContent = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  expect(resultToText({ content: [], structuredContent })).toBe("[nested too deep to be shown]");
});
