import { ReplyText } from "../markdown/reply-text.tsx";
import { TextPane, VerbatimText } from "../parts/text/verbatim-text.tsx";
import { DiffText, useWordDiff } from "./diff-text.tsx";
import type { ViewMode } from "./transcript-modes.ts";

interface ReplyComparisonProps {
  readonly reference: string;
  readonly reply: string;
  readonly mode: ViewMode;
}

/** The reference beside the model's reply. */
export function ReplyComparison({ reference, reply, mode }: ReplyComparisonProps) {
  if (reference === "") return <TextPane title="Reply (no reference to compare with)">{plain(reply, mode)}</TextPane>;
  if (mode === "plain" || mode === "rendered") return <TwoPanes reference={reference} reply={reply} mode={mode} />;
  return <DiffedReply reference={reference} reply={reply} mode={mode} />;
}

function DiffedReply({ reference, reply, mode }: ReplyComparisonProps) {
  const diff = useWordDiff(reference, reply);
  if (diff.state === "waiting") return <TwoPanes reference={reference} reply={reply} mode="plain" />;
  if (diff.parts === null) {
    return <TwoPanes reference={reference} reply={reply} mode="plain" note="too different for a word diff" />;
  }
  if (diff.parts.every((part) => part.kind === "same")) {
    return <TextPane title="Reply, same as the reference">{plain(reply, "plain")}</TextPane>;
  }
  if (mode === "inline") {
    return (
      <TextPane title="Reference to reply">
        <DiffText parts={diff.parts} />
      </TextPane>
    );
  }
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <TextPane title="Reference">
        <DiffText parts={diff.parts} without="added" />
      </TextPane>
      <TextPane title="Reply">
        <DiffText parts={diff.parts} without="removed" />
      </TextPane>
    </div>
  );
}

function TwoPanes({ reference, reply, mode, note }: ReplyComparisonProps & { note?: string }) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <TextPane title="Reference">{plain(reference, mode)}</TextPane>
      <TextPane title={note ? `Reply (${note})` : "Reply"}>{plain(reply, mode)}</TextPane>
    </div>
  );
}

const plain = (text: string, mode: ViewMode) =>
  mode === "rendered" && text !== "" ? <ReplyText text={text} /> : <VerbatimText text={text} />;
