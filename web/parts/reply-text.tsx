import { lazyView } from "./lazy-view.tsx";

const MarkdownText = lazyView(() => import("./markdown-text.tsx"));

/** A reply as Markdown; as plain text until the code for it is there. */
export function ReplyText({ text }: { text: string }) {
  return (
    <MarkdownText
      text={text}
      fallback={
        <p dir="auto" className="verbatim">
          {text}
        </p>
      }
    />
  );
}
