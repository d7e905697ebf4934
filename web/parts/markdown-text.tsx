import type { ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { safeHref } from "./safe-href.ts";

/** A model could leak data through an image's address, so nothing is loaded: images are links, and only to where links may go. */
function OutsideLink({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  const target = safeHref(href);
  if (!target) return <>{children}</>;
  return (
    <a href={target} title={target} target="_blank" rel="noopener noreferrer nofollow" className="link">
      {children}
    </a>
  );
}

/** Headings of a reply are not headings of this page. */
const Heading = ({ children }: { children?: ReactNode }) => (
  <p dir="auto" className="font-semibold">
    {children}
  </p>
);

/** A table too wide for the page scrolls by itself, and can be reached to do so. */
const ScrollingTable = ({ children }: { children?: ReactNode }) => (
  <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Table">
    <table>{children}</table>
  </div>
);

const components: Components = {
  // Each block runs the way its own text does.
  p: ({ children }) => <p dir="auto">{children}</p>,
  ul: ({ children }) => <ul dir="auto">{children}</ul>,
  ol: ({ children, start }) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  th: ({ children, style }) => (
    <th dir="auto" style={style}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td dir="auto" style={style}>
      {children}
    </td>
  ),
  table: ({ children }) => <ScrollingTable>{children}</ScrollingTable>,
  a: ({ href, children }) => <OutsideLink href={href}>{children}</OutsideLink>,
  img: ({ src, alt }) => (
    <OutsideLink href={typeof src === "string" ? src : undefined}>[image: {alt || "no description"}]</OutsideLink>
  ),
  input: ({ checked }) => <span>{checked ? "☑" : "☐"} </span>,
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
};

/** Text written by a model, as Markdown. HTML in it is shown as text. */
export default function MarkdownText({ text }: { text: string }) {
  return (
    <div className="prose-reply">
      <Markdown remarkPlugins={[remarkGfm]} components={components} urlTransform={(url) => safeHref(url) ?? ""}>
        {text}
      </Markdown>
    </div>
  );
}
