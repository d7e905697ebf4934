import { compact } from "../../src/base/compact.ts";
import type { Element, Root, RootContent } from "hast";
import { highlightCode, type CodeTokenKind } from "./highlight-code.ts";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

/** Rendered Markdown. Only the tags and attributes listed here reach the page. */
export type MarkdownNode = string | MarkdownElement;

export interface MarkdownElement {
  readonly tag: MarkdownTag;
  readonly children: readonly MarkdownNode[];
  /** Target of a link or image: an absolute http, https or mailto URL. */
  readonly href?: string;
  readonly alt?: string;
  readonly start?: number;
  readonly align?: "left" | "center" | "right";
  /** Kind of a token of highlighted code. */
  readonly kind?: CodeTokenKind;
  /** State of a task list item. */
  readonly checked?: boolean;
}

const markdownTags = [
  "a",
  "blockquote",
  "br",
  "code",
  "del",
  "em",
  "heading",
  "hr",
  "img",
  "input",
  "li",
  "ol",
  "p",
  "pre",
  "section",
  "strong",
  "sup",
  "token",
  "table",
  "tbody",
  "td",
  "th",
  "thead",
  "tr",
  "ul",
] as const;
type MarkdownTag = (typeof markdownTags)[number];

/** Browsers take seconds to render more. */
const mostElements = 10_000;

/** Far below the depth that overflows the stack. */
const deepest = 100;

/** Matches dozens of quote or list markers on one line, as written by a looping model, without parsing them. */
const nestedTooDeeply = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))){50}/m;

const processor = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true }).freeze();

/** Parses Markdown; HTML in it stays text. Null when the result is too large or too deep to render. */
export function parseMarkdown(text: string): readonly MarkdownNode[] | null {
  if (nestedTooDeeply.test(text)) return null;
  try {
    return convertToken(processor.runSync(processor.parse(text)));
  } catch {
    // The parser itself overflows the stack.
    return null;
  }
}

function convertToken(root: Root): readonly MarkdownNode[] | null {
  let elements = 0;
  const toNodes = (content: readonly RootContent[], depth: number): MarkdownNode[] => {
    if (depth > deepest) throw new RangeError("nested too deeply");
    return content.flatMap((node) => {
      if (node.type === "text" || node.type === "raw") return node.value;
      if (node.type !== "element") return [];
      elements += 1;
      if (elements > mostElements) throw new RangeError("too many elements");
      const isCode = node.tagName === "code";
      const children = isCode ? codeOf(node) : toNodes(node.children, depth + 1);
      if (isCode) elements += children.length;
      const tag = tagOf(node);
      return tag ? { tag, children, ...detailsOf(node) } : children;
    });
  };
  return toNodes(root.children, 0);
}

/** The tokens of a code block, or the text of inline code. */
function codeOf({ children, properties }: Element): MarkdownNode[] {
  const code = children.map((child) => (child.type === "text" ? child.value : "")).join("");
  const names = Array.isArray(properties["className"]) ? properties["className"].map(String) : [];
  const language = names.find((name) => name.startsWith("language-"))?.slice("language-".length) ?? "";
  return highlightCode(code, language).map(({ kind, text }) =>
    kind === undefined ? text : { tag: "token", kind, children: [text] },
  );
}

/** Undefined for elements of which only the children are rendered. */
function tagOf({ tagName }: Element): MarkdownTag | undefined {
  if (/^h[1-6]$/.test(tagName)) return "heading";
  return markdownTags.find((tag) => tag === tagName);
}

function detailsOf({ properties }: Element): Partial<MarkdownElement> {
  const { href, src, alt, start, align, checked } = properties;
  const target = safeHref(textOf(href ?? src));
  return compact({
    href: target,
    alt: typeof alt === "string" ? alt : undefined,
    start: typeof start === "number" ? start : undefined,
    align: align === "left" || align === "center" || align === "right" ? align : undefined,
    checked: typeof checked === "boolean" ? checked : undefined,
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const allowed = new Set(["http:", "https:", "mailto:"]);

/** The URL if it is an absolute http, https or mailto URL. */
export function safeHref(href: string | undefined): string | undefined {
  const url = href === undefined ? null : URL.parse(href);
  return url && allowed.has(url.protocol) ? url.href : undefined;
}
