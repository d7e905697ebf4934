import { lazyView } from "./lazy-view.tsx";
import { RenderFailureGuard } from "./render-failure-guard.tsx";

const MarkdownText = lazyView(() => import("./markdown-text.tsx"));

/** Quotes or lists within each other on one line, as a model writes that repeats itself: they take seconds to read, and overflow. */
const nestedTooDeeply = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))){50}/m;

/** A reply as Markdown; as plain text until the code for it is there, and where it cannot be drawn. */
export function ReplyText({ text }: { text: string }) {
  const plain = (
    <p dir="auto" className="verbatim">
      {text}
    </p>
  );
  if (nestedTooDeeply.test(text)) return plain;
  return (
    <RenderFailureGuard key={text} fallback={plain}>
      <MarkdownText text={text} fallback={plain} />
    </RenderFailureGuard>
  );
}
