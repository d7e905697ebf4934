import { Fragment, type ReactNode } from "react";
import { ErrorBoundary } from "../parts/screen/error-boundary.tsx";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";
import type { MarkdownElement, MarkdownNode } from "./parse-markdown.ts";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { useMarkdown, useStreamingMarkdown } from "./use-markdown.ts";

/** A reply rendered as Markdown; as plain text until it is parsed, and when it cannot be rendered. */
export const ReplyText = ({ text }: { text: string }) => <MarkdownReply key={text} text={text} />;

function MarkdownReply({ text }: { text: string }) {
  const nodes = useMarkdown(text);
  const plain = <VerbatimText text={text} />;
  if (nodes === null) return plain;
  return (
    <ErrorBoundary fallback={plain}>
      <MarkdownText nodes={nodes} />
    </ErrorBoundary>
  );
}

/** A reply that is still growing, as Markdown. The shown text may be some milliseconds behind. */
export function StreamingReplyText({ text }: { text: string }) {
  const nodes = useStreamingMarkdown(text);
  const plain = <VerbatimText text={text} />;
  if (nodes === null) return plain;
  return (
    <ErrorBoundary fallback={plain}>
      <MarkdownText nodes={nodes} />
    </ErrorBoundary>
  );
}

function MarkdownText({ nodes }: { nodes: readonly MarkdownNode[] }) {
  return <div className="prose-reply">{draw(nodes)}</div>;
}

const draw = (nodes: readonly MarkdownNode[]): ReactNode =>
  nodes.map((node, index) => (
    <Fragment key={index}>{typeof node === "string" ? node : <MarkdownPart element={node} />}</Fragment>
  ));

function MarkdownPart({ element }: { element: MarkdownElement }) {
  const { tag: Tag, href, alt, start, align, checked, kind } = element;
  const children = draw(element.children);
  switch (Tag) {
    case "br":
    case "hr":
      return <Tag />;
    case "heading":
      // Headings in a reply must not appear in the outline of the page.
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
    case "token":
      return <span className={`code-${kind}`}>{children}</span>;
    case "pre":
      return <CodeBlock text={textOf(element)}>{children}</CodeBlock>;
    case "table":
      return <ScrollingTable>{children}</ScrollingTable>;
    case "p":
    case "ul":
    case "blockquote":
    case "th":
    case "td":
      // Every block has its own text direction.
      return (
        <Tag dir="auto" style={align && { textAlign: align }}>
          {children}
        </Tag>
      );
    default:
      return <Tag>{children}</Tag>;
  }
}

function CodeBlock({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className="code-block">
      <pre>{children}</pre>
      <CopyButton text={text.replace(/\n$/, "")} />
    </div>
  );
}

const textOf = (node: MarkdownNode): string =>
  typeof node === "string" ? node : node.children.map((child) => textOf(child)).join("");

/** Images are shown as links and never loaded, because a model could leak data through an image's URL. */
function OutsideLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (href === undefined) return <>{children}</>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow" className="link">
      {children}
    </a>
  );
}

/** Scrolls horizontally, also by keyboard. */
const ScrollingTable = ({ children }: { children: ReactNode }) => (
  <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Table">
    <table>{children}</table>
  </div>
);
