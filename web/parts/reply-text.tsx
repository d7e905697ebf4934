import { MarkdownText } from "../markdown/markdown-text.tsx";
import { useMarkdown } from "../markdown/use-markdown.ts";
import { RenderFailureGuard } from "./render-failure-guard.tsx";
import { VerbatimText } from "./verbatim-text.tsx";

/** A reply as Markdown; as plain text until it has been read as such, and where it cannot be drawn. */
export const ReplyText = ({ text }: { text: string }) => <MarkdownReply key={text} text={text} />;

function MarkdownReply({ text }: { text: string }) {
  const nodes = useMarkdown(text);
  const plain = <VerbatimText text={text} />;
  if (nodes === null) return plain;
  return (
    <RenderFailureGuard fallback={plain}>
      <MarkdownText nodes={nodes} />
    </RenderFailureGuard>
  );
}
