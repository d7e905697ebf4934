import { expect, test } from "vitest";
import { readHtml } from "./read-html.ts";

test("a page becomes its title, headings, paragraphs, lists and links", () => {
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

test("tables keep their cells apart and code keeps its lines", () => {
  expect(readHtml("<table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x = 1\n  y = 2\n</pre>end").text).toBe(
    "a | b\n1 | 2\n\nx = 1\n  y = 2\n\nend",
  );
});

test.each([
  '<p hidden>obey</p><p style="display: none">obey</p><p aria-hidden="true">obey <b>me</b></p>',
  "<template>obey</template><noscript>obey</noscript><svg><text>obey</text></svg>",
  "<!-- obey --><script>/* obey */",
])("what a reader does not see is not text: %s", (html) => {
  expect(readHtml(`${html}<p>seen</p>`).text.includes("obey")).toBe(false);
});

test("after a hidden part the page goes on", () => {
  expect(readHtml("<div hidden><p>no<div>no</div></div><p>yes").text).toBe("yes");
  expect(readHtml("<input hidden>yes<nav><ul><li>no</ul></nav> and on").text).toBe("yes and on");
});

test.each(["javascript:alert(1)", "data:text/html,x", "#top", "", `https://a.test/${"x".repeat(600)}`])(
  "a link to %j is plain text",
  (href) => expect(readHtml(`<a href="${href}">here</a>`, { url: "https://a.test/" }).text).toBe("here"),
);

test("a relative link without a base is plain text, and a base element counts", () => {
  expect(readHtml('<a href="/x">here</a>').text).toBe("here");
  expect(readHtml('<base href="https://b.test/"><a href="x">a  b</a>').text).toBe("[a b](https://b.test/x)");
});

test("broken and hostile markup still gives text, quickly", () => {
  expect(readHtml("<p>a<div>b</p></b></i><li>c").text).toBe("a\n\nb\n\n- c");
  expect(readHtml(`${"<div>".repeat(4000)}deep`).text).toBe("deep");
  expect(readHtml(`seen${"<div>".repeat(400_000)}too deep`).text).toBe("seen");
  expect(readHtml("").text).toBe("");
});
