import type { Element, Root, RootContent } from "hast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { safeHref } from "../parts/safe-href.ts";
import { markdownTags, type MarkdownElement, type MarkdownNode, type MarkdownTag } from "./markdown-node.ts";

/** More than this the browser draws for seconds. */
const mostElements = 10_000;

/** Deeper than anything a person would read, and far from where the stack ends. */
const deepest = 100;

/** Quotes or lists within each other on one line, as a model writes that repeats itself: known to be too deep at a glance. */
const nestedTooDeeply = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))){50}/m;

const processor = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true }).freeze();

/** A text as Markdown, HTML in it as text. Null when there is too much in it to draw. */
export function parseMarkdown(text: string): readonly MarkdownNode[] | null {
  if (nestedTooDeeply.test(text)) return null;
  try {
    return convert(processor.runSync(processor.parse(text)));
  } catch {
    // Nested more deeply than the parser itself can follow.
    return null;
  }
}

function convert(root: Root): readonly MarkdownNode[] | null {
  let elements = 0;
  const toNodes = (content: readonly RootContent[], depth: number): MarkdownNode[] => {
    if (depth > deepest) throw new RangeError("nested too deeply");
    return content.flatMap((node) => {
      if (node.type === "text" || node.type === "raw") return node.value;
      if (node.type !== "element") return [];
      elements += 1;
      if (elements > mostElements) throw new RangeError("too many elements");
      const children = toNodes(node.children, depth + 1);
      const tag = tagOf(node);
      return tag ? { tag, children, ...detailsOf(node) } : children;
    });
  };
  return toNodes(root.children, 0);
}

/** Undefined for what is not drawn as an element of its own. */
function tagOf({ tagName }: Element): MarkdownTag | undefined {
  if (/^h[1-6]$/.test(tagName)) return "heading";
  return markdownTags.find((tag) => tag === tagName);
}

function detailsOf({ properties }: Element): Partial<MarkdownElement> {
  const { href, src, alt, start, align, checked } = properties;
  const target = safeHref(textOf(href ?? src));
  return {
    ...(target !== undefined && { href: target }),
    ...(typeof alt === "string" && { alt }),
    ...(typeof start === "number" && { start }),
    ...((align === "left" || align === "center" || align === "right") && { align }),
    ...(typeof checked === "boolean" && { checked }),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
