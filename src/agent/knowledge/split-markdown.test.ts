import fc from "fast-check";
import { expect, test } from "vitest";
import { splitMarkdown, splitText } from "./split-markdown.ts";

const places = (text: string) =>
  splitMarkdown(text).map(({ headings, lines, text: body }) => [headings.join(" / "), lines?.from, lines?.to, body]);

test("passages end at headings and know where they stand", () => {
  const text = "Intro\n\n# Delivery\n\nTwo days.\nOr four.\n\n## Express\nNext day.\n\n# Returns\n- free\n- 30 days\n";
  expect(places(text)).toEqual([
    ["", 1, 1, "Intro"],
    ["Delivery", 5, 6, "Two days.\nOr four."],
    ["Delivery / Express", 9, 9, "Next day."],
    ["Returns", 12, 13, "- free\n- 30 days"],
  ]);
});

test("underlined headings count, headings inside code do not, front matter is skipped", () => {
  expect(places("---\ntitle: x\n---\nTitle\n=====\ntext\n\n```sh\n# not a heading\n\nls\n```\n")).toEqual([
    ["Title", 6, 12, "text\n\n```sh\n# not a heading\n\nls\n```"],
  ]);
});

test.each([
  ["## Title ##", "Title"],
  ["# C#", "C#"],
  ["# C# #  ", "C#"],
  ["# ###", "###"],
  [`# Price${" ".repeat(8_000)}5`, `Price${" ".repeat(8_000)}5`],
])("the heading of %j is found in good time, without the signs that close it", (line, heading) => {
  expect(places(`${line}\ntext`)).toEqual([[heading, 2, 2, "text"]]);
});

test("a section that is nothing but its heading is not lost", () => {
  expect(
    places("# Shop\n\n## Phone: 555-1234\n## Fax: none\n\n## Hours\n9 to 5\n\nSundays\n-------\n\n### Closed\n"),
  ).toEqual([
    ["Shop", 3, 4, "Phone: 555-1234\n\nFax: none"],
    ["Shop / Hours", 7, 7, "9 to 5"],
    ["Shop / Sundays", 12, 12, "Closed"],
  ]);
});

test("where signs mean nothing, no line is a heading and none is lost", () => {
  const text = "---\nInvoice\n-------\n# 5 lamps\n\n\nTotal\n===\n---";
  expect(splitText(text)).toEqual([
    { headings: [], lines: { from: 1, to: 9 }, page: null, text: text.replace("\n\n\n", "\n\n") },
  ]);
  expect(splitText("")).toEqual([]);
});

test("a cut does not go through a character", () => {
  const passages = splitMarkdown(`x${"😀".repeat(3_000)}`);
  expect(passages.every((passage) => passage.text.isWellFormed())).toBe(true);
});

test("a heading level that is left out leaves no gap", () => {
  expect(places("### Deep\na\n# Top\nb\n")).toEqual([
    ["Deep", 2, 2, "a"],
    ["Top", 4, 4, "b"],
  ]);
});

test("a long section is split between paragraphs, and the parts overlap by a short one", () => {
  const long = "x ".repeat(350).trim();
  const passages = splitMarkdown(`# A\n\n${long}\n\nshort\n\n${long}\n`);
  expect(passages.map(({ text }) => text)).toEqual([`${long}\n\nshort`, `short\n\n${long}`]);
  expect(passages.map(({ lines }) => lines)).toEqual([
    { from: 3, to: 5 },
    { from: 5, to: 7 },
  ]);
});

test("an endless paragraph is cut where sentences end, with its lines", () => {
  const passages = splitMarkdown(`${"One sentence here. ".repeat(200)}\n${"a,b,c\n".repeat(400)}`);
  expect(passages.length).toBeGreaterThan(4);
  expect(passages.every(({ text }) => text.length <= 1500)).toBe(true);
  expect(passages[0]?.text.endsWith(".")).toBe(true);
  expect(passages.at(-1)?.lines?.to).toBe(401);
});

test("a large file without paragraphs holds nobody up", () => {
  // In a time that grows with the square of the length this would take minutes.
  const log = Array.from({ length: 300_000 }, (_, index) => `2026-01-01 line ${index} happened`).join("\n");
  expect(splitMarkdown(log).at(-1)?.lines?.to).toBe(300_000);
});

test("paragraphs are not lost, passages stay short, and lines are within the file", () => {
  const line = fc.constantFrom(
    "# H",
    "## I",
    "",
    "word",
    "```",
    "---",
    "===",
    "x".repeat(1200),
    "a. b. c. ".repeat(150),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const written = lines.flatMap((text, index) => (text === "word" ? ["", `word${index}`, ""] : [text]));
      const passages = splitMarkdown(["begin", "", ...written].join("\n"));
      const kept = passages.map((passage) => passage.text).join(" ");
      expect(
        ["begin", ...written.filter((text) => text.startsWith("word"))].filter((word) => !kept.includes(word)),
      ).toEqual([]);
      for (const { lines: place, text: body } of passages) {
        expect(body.trim()).not.toBe("");
        expect(body.length).toBeLessThan(4000);
        expect(place?.from).toBeGreaterThan(0);
        expect(place?.to).toBeGreaterThanOrEqual(place?.from ?? 0);
        expect(place?.to).toBeLessThanOrEqual(written.length + 2);
      }
    }),
  );
});
