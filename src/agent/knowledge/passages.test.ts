import fc from "fast-check";
import { expect, test } from "vitest";
import { splitMarkdown, splitText } from "./passages.ts";

const places = (text: string) =>
  splitMarkdown(text).map(({ headings, lines, text: body }) => [headings.join(" / "), lines?.from, lines?.to, body]);

test("ends passages at headings and gives their lines", () => {
  const text = "Intro\n\n# Delivery\n\nTwo days.\nOr four.\n\n## Express\nNext day.\n\n# Returns\n- free\n- 30 days\n";
  expect(places(text)).toEqual([
    ["", 1, 1, "Intro"],
    ["Delivery", 5, 6, "Two days.\nOr four."],
    ["Delivery / Express", 9, 9, "Next day."],
    ["Returns", 12, 13, "- free\n- 30 days"],
  ]);
});

test("reads underlined headings, ignores headings in code, skips front matter", () => {
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
])("finds the heading of %j quickly, without its closing signs", (line, heading) => {
  expect(places(`${line}\ntext`)).toEqual([[heading, 2, 2, "text"]]);
});

test("keeps a section that is only a heading", () => {
  expect(
    places("# Shop\n\n## Phone: 555-1234\n## Fax: none\n\n## Hours\n9 to 5\n\nSundays\n-------\n\n### Closed\n"),
  ).toEqual([
    ["Shop", 3, 4, "Phone: 555-1234\n\nFax: none"],
    ["Shop / Hours", 7, 7, "9 to 5"],
    ["Shop / Sundays", 12, 12, "Closed"],
  ]);
});

test("treats no line of plain text as a heading and loses none", () => {
  const text = "---\nInvoice\n-------\n# 5 lamps\n\n\nTotal\n===\n---";
  expect(splitText(text)).toEqual([
    { headings: [], lines: { from: 1, to: 9 }, page: null, text: text.replace("\n\n\n", "\n\n") },
  ]);
  expect(splitText("")).toEqual([]);
});

test("never cuts a character in half", () => {
  const passages = splitMarkdown(`x${"😀".repeat(3_000)}`);
  expect(passages.every((passage) => passage.text.isWellFormed())).toBe(true);
});

test("skips missing heading levels", () => {
  expect(places("### Deep\na\n# Top\nb\n")).toEqual([
    ["Deep", 2, 2, "a"],
    ["Top", 4, 4, "b"],
  ]);
});

test("splits a long section between paragraphs with a short overlap", () => {
  const long = "x ".repeat(350).trim();
  const passages = splitMarkdown(`# A\n\n${long}\n\nshort\n\n${long}\n`);
  expect(passages.map(({ text }) => text)).toEqual([`${long}\n\nshort`, `short\n\n${long}`]);
  expect(passages.map(({ lines }) => lines)).toEqual([
    { from: 3, to: 5 },
    { from: 5, to: 7 },
  ]);
});

test("cuts an endless paragraph at sentences, with its lines", () => {
  const passages = splitMarkdown(`${"One sentence here. ".repeat(200)}\n${"a,b,c\n".repeat(400)}`);
  expect(passages.length).toBeGreaterThan(4);
  expect(passages.every(({ text }) => text.length <= 1500)).toBe(true);
  expect(passages[0]?.text.endsWith(".")).toBe(true);
  expect(passages.at(-1)?.lines?.to).toBe(401);
});

test("splits a large file without paragraphs quickly", () => {
  // In a time that grows with the square of the length this would take minutes.
  const log = Array.from({ length: 300_000 }, (_, index) => `2026-01-01 line ${index} happened`).join("\n");
  expect(splitMarkdown(log).at(-1)?.lines?.to).toBe(300_000);
});

test("loses no paragraph, keeps passages short, and lines within the file", () => {
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
