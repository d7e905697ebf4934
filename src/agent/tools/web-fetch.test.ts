import { expect, test, vi } from "vitest";
import { defaultLimits } from "./agent-limits.ts";
import { capBytes } from "../messages/tool-result.ts";
import { webFetch, type FetchedPage, type FetchPage } from "./web-fetch.ts";

const context = { signal: new AbortController().signal, now: () => 0 };

function toolOver(answer: (url: string) => Partial<FetchedPage & { ok: true }> | FetchedPage) {
  const fetchPage = vi.fn<FetchPage>(async (url) => {
    const page = answer(url);
    if (page.ok === false) return page;
    return { ok: true, url, status: 200, content_type: "text/html; charset=utf-8", text: "", ...page };
  });
  const tool = webFetch({ fetchPage });
  return { fetchPage, read: (url: string, start?: number) => tool.run({ url, ...(start && { start }) }, context) };
}

test("labels a page with its source and title", async () => {
  const { read, fetchPage } = toolOver(() => ({ text: "<title>T</title><h1>A</h1><p>b" }));
  expect(await read("https://example.test/a#part")).toBe("Source: https://example.test/a\nTitle: T\n\n# A\n\nb");
  expect(fetchPage.mock.calls).toEqual([["https://example.test/a", { signal: context.signal, maxBytes: 2_097_152 }]]);
});

test.each(["text/plain", "application/json", "application/ld+json", "TEXT/CSV; charset=x", "application/rss+xml"])(
  "%s is read as it is",
  async (content_type) => {
    const { read } = toolOver(() => ({ content_type, text: '{"a": 1}' }));
    expect(await read("https://example.test/")).toBe('Source: https://example.test/\n\n{"a": 1}');
  },
);

test.each(["image/png", "application/pdf", "application/octet-stream", ""])(
  "refuses %j with the reason",
  async (type) => {
    const { read } = toolOver(() => ({ content_type: type, text: "x" }));
    await expect(read("https://example.test/")).rejects.toThrow("Only HTML, plain text and JSON can be read.");
  },
);

test.each(["example.test", "file:///etc/passwd", "javascript:1", "data:text/html,x", "https://u:p@example.test/", ""])(
  "%j is refused before any request",
  async (url) => {
    const { read, fetchPage } = toolOver(() => ({}));
    await expect(read(url)).rejects.toThrow(expect.objectContaining({ name: "ToolError" }));
    expect(fetchPage).not.toHaveBeenCalled();
  },
);

const redirect = (redirect_to: string) => ({ ok: false, reason: "It redirects.", redirect_to }) as const;

test("follows three redirects, each checked, and no fourth", async () => {
  const hops = (last: number) =>
    toolOver((url) => {
      const hop = Number(new URL(url).pathname.slice(1));
      return hop === last ? { text: "end" } : redirect(`https://example.test/${hop + 1}`);
    });
  expect(await hops(3).read("https://example.test/0")).toContain("Source: https://example.test/3");
  const { read, fetchPage } = hops(4);
  await expect(read("https://example.test/0")).rejects.toThrow("redirects more than 3 times");
  expect(fetchPage).toHaveBeenCalledTimes(4);
});

test("refuses a redirect to something that is not a web address", async () => {
  const { read, fetchPage } = toolOver(() => redirect("file:///etc/passwd"));
  await expect(read("https://example.test/")).rejects.toThrow("not file:");
  expect(fetchPage).toHaveBeenCalledTimes(1);
});

test("reports a refusal and a bad status", async () => {
  const refused = toolOver(() => ({ ok: false, reason: "the address is not public." }));
  await expect(refused.read("http://127.0.0.1/")).rejects.toThrow(
    "http://127.0.0.1/ cannot be read: the address is not public.",
  );
  await expect(toolOver(() => ({ status: 404 })).read("https://example.test/x")).rejects.toThrow("answered HTTP 404.");
  const gone = toolOver(() => ({ status: 410, text: "<title>T</title><p>We moved on." }));
  await expect(gone.read("https://example.test/x")).rejects.toThrow("answered HTTP 410: We moved on.");
});

test("returns a long page in parts", async () => {
  const { read } = toolOver(() => ({ content_type: "text/plain", text: "a".repeat(40_000) + "b".repeat(5) }));
  expect(await read("https://example.test/")).toContain('[cut: 40005 characters in all; go on with "start": 40000]');
  expect(await read("https://example.test/", 40_000)).toBe("Source: https://example.test/\n\nbbbbb");
  expect(await read("https://example.test/", 50_000)).toContain("(no text here)");
});

test.each(["漢", "é", "👋", "a"])("returns all of a page of %s despite the size limit", async (character) => {
  const text = Array.from({ length: 70_000 }, (_, index) => `${character}${index % 10}`).join("");
  const { read } = toolOver(() => ({ content_type: "text/plain", text }));
  let all = "";
  for (let more = true; more;) {
    const part = String(await read("https://example.test/", all.length));
    expect(capBytes(part, defaultLimits.toolResultBytes)).toBe(part);
    const [body = "", hint] = part.slice("Source: https://example.test/\n\n".length).split("\n[cut: ");
    expect(body.isWellFormed()).toBe(true);
    all += body;
    more = hint !== undefined;
    expect(!more || hint?.endsWith(`"start": ${all.length}]`)).toBe(true);
  }
  expect(all === text).toBe(true);
});
