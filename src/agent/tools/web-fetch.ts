import { truncateText } from "../../base/text.ts";
import { defaultLimits } from "./agent-limits.ts";
import { firstBytes } from "../messages/tool-result.ts";
import { bodyFailureText, isHtmlType, parseMediaType } from "../text/body-text.ts";
import { readHtml } from "../text/read-html.ts";
import { defineTool, ToolError, type Tool } from "./tool.ts";

/** The response of one address. A redirect is a failure with its target. */
export type FetchedPage =
  | {
      readonly ok: true;
      readonly url: string;
      readonly status: number;
      readonly content_type: string;
      readonly text: string;
    }
  | { readonly ok: false; readonly reason: string; readonly redirect_to?: string | null | undefined };

/** Contract: reaches public addresses only, follows no redirect, sends no credential, reads at most `maxBytes`. */
export type FetchPage = (
  url: string,
  options: { readonly signal: AbortSignal; readonly maxBytes: number },
) => Promise<FetchedPage>;

const mostRedirects = 3;
const shownCharacters = 40_000;
const shownTitle = 300;
const shownFailure = 500;
/** Room for the sentence about the rest of the page. */
const hintBytes = 200;
/** Each part is at least this long, so that reading in parts always progresses. */
const leastBytes = 1000;

/**
 * Reads a public web page as text. `fetchPage` makes the request and refuses addresses that are not public; `resultBytes` is the
 * run's limit for a tool result.
 */
export function webFetch({
  fetchPage,
  maxBytes = 2 * 1024 * 1024,
  resultBytes = defaultLimits.toolResultBytes,
}: {
  fetchPage: FetchPage;
  maxBytes?: number;
  resultBytes?: number;
}): Tool {
  return defineTool({
    idempotent: true,
    ours: true,
    name: "web_fetch",
    description:
      "Reads a public web page (HTML, plain text or JSON) and gives its text. A long page comes in parts: ask again with `start`.",
    parameters: {
      type: "object",
      properties: {
        url: { type: "string", maxLength: 2000, description: "Full address, beginning with https:// or http://." },
        start: { type: "integer", minimum: 0, description: "Where to go on in a long page. Default 0." },
      },
      required: ["url"],
      additionalProperties: false,
    },
    run: async ({ url, start = 0 }: { url: string; start?: number }, { signal }) => {
      const page = await followRedirects(checkUrl(url), (address) => fetchPage(address, { signal, maxBytes }));
      return describePage(page, { start, resultBytes });
    },
  });
}

/** Every redirect is checked like the first address. */
async function followRedirects(first: string, load: (url: string) => Promise<FetchedPage>) {
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const page = await load(url);
    if (page.ok) return page;
    if (!page.redirect_to) throw new ToolError(`${url} cannot be read: ${page.reason}`);
    if (redirects === mostRedirects) throw new ToolError(`${first} redirects more than ${mostRedirects} times.`);
    url = checkUrl(page.redirect_to);
  }
}

function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) throw new ToolError(`"${truncateText(text, 100)}" is not a full web address such as https://example.com/.`);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ToolError(`Only https:// and http:// addresses can be read, not ${url.protocol}`);
  }
  if (url.username || url.password) throw new ToolError("Addresses with a user name or password are not allowed.");
  url.hash = "";
  return url.href;
}

function describePage(
  { url, status, content_type, text }: FetchedPage & { ok: true },
  { start, resultBytes }: { start: number; resultBytes: number },
): string {
  if (status < 200 || status > 299) {
    const said = truncateText(bodyFailureText({ content_type, text }), shownFailure);
    throw new ToolError(`${url} answered HTTP ${status}${said === "" ? "." : `: ${said}`}`);
  }
  const { title, text: body } = toPageText(url, content_type, text);
  const head = title ? `Source: ${url}\nTitle: ${truncateText(title, shownTitle)}` : `Source: ${url}`;
  const room = resultBytes - Buffer.byteLength(head) - hintBytes;
  const part = onePart(body.slice(start, start + shownCharacters), Math.max(leastBytes, room));
  const end = start + part.length;
  const rest = body.length > end ? `\n[cut: ${body.length} characters in all; go on with "start": ${end}]` : "";
  return `${head}\n\n${part || "(no text here)"}${rest}`;
}

/** Cut here, so that the run never cuts off the hint with the next start. */
function onePart(text: string, bytes: number): string {
  const part = firstBytes(text, bytes);
  const isHalf = part.length === shownCharacters && /[\ud800-\udbff]$/.test(part);
  return isHalf ? part.slice(0, -1) : part;
}

function toPageText(url: string, contentType: string, text: string): { title: string | null; text: string } {
  const type = parseMediaType(contentType);
  if (isHtmlType(type)) return readHtml(text, { url });
  if (isPlain(type)) return { title: null, text };
  throw new ToolError(
    `${url} is ${type === "" ? "of no stated type" : type}. Only HTML, plain text and JSON can be read.`,
  );
}

const isPlain = (type: string) =>
  type.startsWith("text/") ||
  /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$|^application\/(?:x-ndjson|x-yaml)$/.test(type);
