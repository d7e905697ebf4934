import { lazyView } from "./lazy-view.tsx";
import { RenderFailureGuard } from "./render-failure-guard.tsx";

const MarkdownText = lazyView(() => import("./markdown-text.tsx"));

/** A reply as Markdown; as plain text until the code for it is there, and where it cannot be drawn: a model may nest without end. */
export function ReplyText({ text }: { text: string }) {
  const plain = (
    <p dir="auto" className="verbatim">
      {text}
    </p>
  );
  return (
    <RenderFailureGuard key={text} fallback={plain}>
      <MarkdownText text={text} fallback={plain} />
    </RenderFailureGuard>
  );
}
