import type { Element, ElementContent, Root, RootContent } from "hast";
import { toString } from "hast-util-to-string";
import rehypeHighlight from "rehype-highlight";
import rehypeSlug from "rehype-slug";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { visit } from "unist-util-visit";
import type { SitePage } from "./navigation.ts";
import { relativeAddress, type SiteLink } from "./site-links.ts";

interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

/** A heading with the text below it: one search result. */
interface Section extends Heading {
  readonly body: string;
}

export interface RenderedPage {
  readonly page: SitePage;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  /** Its links, for the check for broken links. */
  readonly links: readonly { readonly href: string; readonly link: SiteLink }[];
}

interface RenderOptions {
  readonly page: SitePage;
  readonly markdown: string;
  readonly readLink: (source: string, href: string) => SiteLink;
}

/** Renders a Markdown file as HTML. Raw HTML is dropped: our files use it only for comments. */
export function renderPage({ page, markdown, readLink }: RenderOptions): RenderedPage {
  const links: { href: string; link: SiteLink }[] = [];
  const toTree = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype)
    .use(rehypeSlug)
    .use(rehypeHighlight, { plainText: ["text", "ini"] });
  const tree = toTree.runSync(toTree.parse(markdown)) as Root;
  const sections = sectionsOf(tree.children);
  visit(tree, "element", (element, index, parent) => {
    if (element.tagName === "a" || element.tagName === "img") rewriteLink(element, { page, readLink, links });
    if (element.tagName === "pre") element.properties["tabIndex"] = 0;
    if (element.tagName === "th" && toString(element) === "") element.tagName = "td";
    if (element.tagName === "table" && parent && index !== undefined && !isTableBox(parent)) {
      parent.children[index] = tableBox(element);
    }
    if (/^h[2-4]$/.test(element.tagName)) element.children.push(anchorOf(element));
  });
  const headings = sections.map(({ depth, id, text }) => ({ depth, id, text }));
  return {
    page,
    title: page.label ?? headings[0]?.text ?? page.source,
    html: unified().use(rehypeStringify).stringify(tree),
    headings,
    sections,
    links,
  };
}

interface LinkContext extends Pick<RenderOptions, "page" | "readLink"> {
  readonly links: { href: string; link: SiteLink }[];
}

function rewriteLink(element: Element, { page, readLink, links }: LinkContext): void {
  const name = element.tagName === "a" ? "href" : "src";
  const href = String(element.properties[name] ?? "");
  const link = readLink(page.source, href);
  links.push({ href, link });
  if (link.kind === "page") {
    const anchor = link.anchor === "" ? "" : `#${link.anchor}`;
    element.properties[name] =
      link.target === page.target && anchor !== "" ? anchor : relativeAddress(page.target, link.target) + anchor;
  } else if (link.kind === "file") element.properties[name] = relativeAddress(page.target, link.target);
  else if (link.kind === "repository") {
    element.tagName = "span";
    element.properties = { title: `${link.path} in the repository` };
  }
}

const isTableBox = (parent: Root | Element): boolean =>
  parent.type === "element" && parent.properties["className"]?.includes("table-box") === true;

/** Wide tables scroll on their own, and must then be reachable by keyboard. */
const tableBox = (table: Element): Element => ({
  type: "element",
  tagName: "div",
  properties: { className: ["table-box"], tabIndex: 0 },
  children: [table],
});

const anchorOf = (heading: Element): ElementContent => ({
  type: "element",
  tagName: "a",
  properties: {
    className: ["anchor"],
    href: `#${String(heading.properties["id"])}`,
    ariaLabel: `Link to ${toString(heading)}`,
  },
  children: [{ type: "text", value: "#" }],
});

function sectionsOf(nodes: readonly RootContent[]): Section[] {
  const sections: { depth: number; id: string; text: string; body: string }[] = [];
  for (const node of nodes) {
    const rank = node.type === "element" ? /^h([1-6])$/.exec(node.tagName)?.[1] : undefined;
    if (node.type === "element" && rank !== undefined) {
      sections.push({ depth: Number(rank), id: String(node.properties["id"]), text: toString(node), body: "" });
    } else if (node.type === "element") {
      const section = sections.at(-1);
      if (section) section.body += `${textOf(node)}\n`;
    }
  }
  return sections;
}

/** Text with spaces between elements, so that cells and list items stay separate words. */
function textOf(node: ElementContent): string {
  if (node.type === "text") return node.value;
  return node.type === "element"
    ? node.children.map(textOf).join(/^(tr|ul|ol|tbody|thead|table)$/.test(node.tagName) ? " " : "")
    : "";
}
