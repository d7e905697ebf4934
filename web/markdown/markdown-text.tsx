import { Fragment, type ReactNode } from "react";
import type { MarkdownElement, MarkdownNode } from "./markdown-node.ts";

/** Text written by a model, as Markdown. */
export function MarkdownText({ nodes }: { nodes: readonly MarkdownNode[] }) {
  return <div className="prose-reply">{draw(nodes)}</div>;
}

const draw = (nodes: readonly MarkdownNode[]): ReactNode =>
  nodes.map((node, index) => (
    <Fragment key={index}>{typeof node === "string" ? node : <MarkdownPart element={node} />}</Fragment>
  ));

function MarkdownPart({ element }: { element: MarkdownElement }) {
  const { tag: Tag, href, alt, start, align, checked } = element;
  const children = draw(element.children);
  switch (Tag) {
    case "br":
    case "hr":
      return <Tag />;
    case "heading":
      // Headings of a reply are not headings of this page.
      return (
        <p dir="auto" className="font-semibold">
          {children}
        </p>
      );
    case "a":
      return <OutsideLink href={href}>{children}</OutsideLink>;
    case "img":
      return <OutsideLink href={href}>[image: {alt || "no description"}]</OutsideLink>;
    case "input":
      return <span>{checked ? "☑" : "☐"} </span>;
    case "ol":
      return (
        <ol dir="auto" start={start}>
          {children}
        </ol>
      );
    case "table":
      return <ScrollingTable>{children}</ScrollingTable>;
    case "p":
    case "ul":
    case "blockquote":
    case "th":
    case "td":
      // Each block runs the way its own text does.
      return (
        <Tag dir="auto" style={align && { textAlign: align }}>
          {children}
        </Tag>
      );
    default:
      return <Tag>{children}</Tag>;
  }
}

/** A model could leak data through an image's address, so nothing is loaded: images are links, and only to where links may go. */
function OutsideLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (href === undefined) return <>{children}</>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow" className="link">
      {children}
    </a>
  );
}

/** A table too wide for the page scrolls by itself, and can be reached to do so. */
const ScrollingTable = ({ children }: { children: ReactNode }) => (
  <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Table">
    <table>{children}</table>
  </div>
);
