import { ReplyText } from "../markdown/reply-text.tsx";
import { TextPane, VerbatimText } from "../parts/text/verbatim-text.tsx";
import { DiffText, useWordDiff } from "./diff-text.tsx";
import type { PlacedMark } from "./reply-marks.ts";
import type { ViewMode } from "./transcript-modes.ts";

interface ReplyComparisonProps {
  readonly reference: string;
  readonly reply: string;
  readonly mode: ViewMode;
  /** The places of the reply that lower a score. */
  readonly marks?: readonly PlacedMark[];
}

/** The reference beside the model's reply. */
export function ReplyComparison({ reference, reply, mode, marks = [] }: ReplyComparisonProps) {
  if (reference === "")
    return <TextPane title="Reply (no reference to compare with)">{replyText(reply, mode, marks)}</TextPane>;
  if (mode === "plain" || mode === "rendered")
    return <TwoPanes reference={reference} reply={reply} mode={mode} marks={marks} />;
  return <DiffedReply reference={reference} reply={reply} mode={mode} marks={marks} />;
}

function DiffedReply({ reference, reply, mode, marks = [] }: ReplyComparisonProps) {
  const diff = useWordDiff(reference, reply);
  if (diff.state === "waiting") return <TwoPanes reference={reference} reply={reply} mode="plain" marks={marks} />;
  if (diff.parts === null) {
    return (
      <TwoPanes reference={reference} reply={reply} mode="plain" marks={marks} note="too different for a word diff" />
    );
  }
  if (diff.parts.every((part) => part.kind === "same")) {
    return <TextPane title="Reply, same as the reference">{replyText(reply, "plain", marks)}</TextPane>;
  }
  if (mode === "inline") {
    return (
      <TextPane title="Reference to reply">
        <DiffText parts={diff.parts} marks={marks} />
      </TextPane>
    );
  }
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <TextPane title="Reference">
        <DiffText parts={diff.parts} without="added" />
      </TextPane>
      <TextPane title="Reply">
        <DiffText parts={diff.parts} without="removed" marks={marks} />
      </TextPane>
    </div>
  );
}

function TwoPanes({ reference, reply, mode, marks = [], note }: ReplyComparisonProps & { note?: string }) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <TextPane title="Reference">{plain(reference, mode)}</TextPane>
      <TextPane title={note ? `Reply (${note})` : "Reply"}>{replyText(reply, mode, marks)}</TextPane>
    </div>
  );
}

const plain = (text: string, mode: ViewMode) =>
  mode === "rendered" && text !== "" ? <ReplyText text={text} /> : <VerbatimText text={text} />;

/** The reply with its marks; rendered Markdown has other characters than the reply, so it shows none. */
const replyText = (text: string, mode: ViewMode, marks: readonly PlacedMark[]) =>
  marks.length > 0 && mode !== "rendered" ? (
    <DiffText parts={[{ kind: "same", text }]} marks={marks} without="removed" />
  ) : (
    plain(text, mode)
  );
