import { expect, test } from "vitest";
import { parseMarkdown, type MarkdownNode } from "../../../web/markdown/parse-markdown.ts";

const wordsOf = (nodes: readonly MarkdownNode[] | null): string =>
  (nodes ?? []).map((node) => (typeof node === "string" ? node : wordsOf(node.children))).join("");

const tagsOf = (nodes: readonly MarkdownNode[] | null): string[] =>
  (nodes ?? []).flatMap((node) => (typeof node === "string" ? [] : [node.tag, ...tagsOf(node.children)]));

test("parses tags with the attributes they need", () => {
  expect(parseMarkdown("# Title\n\n3. **three**")).toEqual([
    { tag: "heading", children: ["Title"] },
    "\n",
    {
      tag: "ol",
      start: 3,
      children: ["\n", { tag: "li", children: [{ tag: "strong", children: ["three"] }] }, "\n"],
    },
  ]);
  expect(JSON.stringify(parseMarkdown("|a|\n|-:|\n|1|\n\n- [x] done"))).toMatch(
    /"align":"right".*"tag":"input","children":\[\],"checked":true/,
  );
});

test("keeps only http, https and mailto targets", () => {
  const [paragraph] =
    parseMarkdown("[a](https://e.example/) [b](javascript:x) ![c](data:x) ![d](http://f.example/)") ?? [];
  expect(paragraph).toEqual({
    tag: "p",
    children: [
      { tag: "a", href: "https://e.example/", children: ["a"] },
      " ",
      { tag: "a", children: ["b"] },
      " ",
      { tag: "img", alt: "c", children: [] },
      " ",
      { tag: "img", alt: "d", href: "http://f.example/", children: [] },
    ],
  });
});

test("keeps HTML as text and decodes entities", () => {
  const html = "<script>alert(1)</script>\n\nAT&amp;T <b onclick=x>bold</b>";
  expect(wordsOf(parseMarkdown(html))).toBe("<script>alert(1)</script>\nAT&T <b onclick=x>bold</b>");
  expect(tagsOf(parseMarkdown(html))).toEqual(["p"]);
});

test("parses footnotes and strikethrough", () => {
  const tags = tagsOf(parseMarkdown("~~no~~ yes[^1]\n\n[^1]: why"));
  expect(tags).toEqual(expect.arrayContaining(["del", "sup", "section", "heading"]));
});

test.each([
  ["quotes on one line", ">".repeat(5000)],
  [
    "lists within lists, line by line",
    Array.from({ length: 120 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"),
  ],
  ["emphasis within emphasis", `${"*a **b ".repeat(150)}${"b** a* ".repeat(150)}`],
  ["a table without end", `|a|b|\n|-|-|\n${"|1|2|\n".repeat(5000)}`],
])("%s is too large to render", (_name, text) => {
  expect(parseMarkdown(text)).toBeNull();
});
