import { expect, test } from "vitest";
import { readHtml } from "./read-html.ts";

test("reads title, headings, paragraphs, lists and links of a page", () => {
  const page = readHtml(
    `<!doctype html><html><head><title> Fernway &amp; Co </title><style>p{}</style></head><body>
     <nav><a href="/">Home</a></nav>
     <h1>Delivery</h1><p>Takes <b>2 to 4</b>
     days.<br>Free over 50&nbsp;€.</p>
     <ul><li>By <a href="/post">post</a></li><li><p>By bike</p></li></ul>
     <script>alert("no")</script><h2>Contact</h2><img alt="A map"><img>
     </body></html>`,
    { url: "https://fernway.test/help/delivery" },
  );
  expect(page.title).toBe("Fernway & Co");
  expect(page.text).toBe(
    [
      "# Delivery",
      "",
      "Takes 2 to 4 days.",
      "Free over 50 €.",
      "",
      "- By [post](https://fernway.test/post)",
      "- By bike",
      "",
      "## Contact",
      "",
      "[image: A map]",
    ].join("\n"),
  );
});

test("separates table cells and keeps the lines of code", () => {
  expect(readHtml("<table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x = 1\n  y = 2\n</pre>end").text).toBe(
    "a | b\n1 | 2\n\nx = 1\n  y = 2\n\nend",
  );
});

test("keeps the columns of a data table, whatever elements its cells contain", () => {
  const head = "<tr><th></th><th><p>2025</p></th><th><div>2026</div></th></tr>";
  const row = "<tr><td>Revenue<br>net</td><td></td><td><p>6</p><p>million</p></td></tr>";
  expect(readHtml(`<table><tbody>${head}${row}<tr><td></td><td> </td></tr></table>after`).text).toBe(
    "| 2025 | 2026\nRevenue net |  | 6 million\n\nafter",
  );
});

test("reads the cells of a layout table as separate parts", () => {
  const menu = `<td>${"<p>Item</p>".repeat(6)}</td>`;
  const article = "<td><h1>Title</h1><table><tr><td>a</td><td>b</td></tr></table></td>";
  const { text } = readHtml(`<table><tr>${menu}${article}</tr></table>`);
  expect(text.split("\n").filter((line) => line !== "")).toEqual([
    ...Array<string>(6).fill("Item"),
    "# Title",
    "a | b",
  ]);
});

test("puts the address of a linked card at its first line of text", () => {
  const card = '<a href="/x"><img alt="Photo"><h3>Title</h3><p>More of it.</p></a>';
  expect(readHtml(`<p>See <a href="/y"><div>this</div></a></p>${card}`, { url: "https://a.test/" }).text).toBe(
    "See\n\n[this](https://a.test/y)\n\n[image: Photo]\n\n### [Title](https://a.test/x)\n\nMore of it.",
  );
});

test.each([
  '<p hidden>obey</p><p style="display: none">obey</p><p aria-hidden="true">obey <b>me</b></p>',
  "<template>obey</template><noscript>obey</noscript><svg><text>obey</text></svg>",
  "<!-- obey --><script>/* obey */",
])("leaves out hidden text: %s", (html) => {
  expect(readHtml(`${html}<p>seen</p>`).text.includes("obey")).toBe(false);
});

test("continues after a hidden part", () => {
  expect(readHtml("<div hidden><p>no<div>no</div></div><p>yes").text).toBe("yes");
  expect(readHtml("<input hidden>yes<nav><ul><li>no</ul></nav> and on").text).toBe("yes and on");
});

test.each(["javascript:alert(1)", "data:text/html,x", "#top", "", `https://a.test/${"x".repeat(600)}`])(
  "writes a link to %j as plain text",
  (href) => expect(readHtml(`<a href="${href}">here</a>`, { url: "https://a.test/" }).text).toBe("here"),
);

test("resolves relative links against a base element, and writes them as plain text without a base", () => {
  expect(readHtml('<a href="/x">here</a>').text).toBe("here");
  expect(readHtml('<base href="https://b.test/"><a href="x">a  b</a>').text).toBe("[a b](https://b.test/x)");
});

test("reads broken and hostile markup quickly", () => {
  expect(readHtml("<p>a<div>b</p></b></i><li>c").text).toBe("a\n\nb\n\n- c");
  expect(readHtml(`${"<div>".repeat(4000)}deep`).text).toBe("deep");
  expect(readHtml(`seen${"<div>".repeat(400_000)}too deep`).text).toBe("seen");
  expect(readHtml("").text).toBe("");
});

test("reads a page with all its text in one line in linear time", () => {
  const { text } = readHtml(
    `<p>${"&lt;<b>a</b> ".repeat(150_000)}<a href="https://example.com/">${"x ".repeat(5)}</a>`,
  );
  expect(text).toHaveLength(150_000 * 3 + "[x x x x x](https://example.com/)".length);
  expect(text.endsWith("<a [x x x x x](https://example.com/)")).toBe(true);
  const links = readHtml('<a href="https://e.com/">a</a> '.repeat(150_000)).text;
  expect(links).toBe(Array.from({ length: 150_000 }, () => "[a](https://e.com/)").join(" "));
});
