import { useEffect, useState } from "react";
import { headParts, directionClass, isLong } from "../parts/text/long-text.ts";
import { ShowAllButton, VerbatimText } from "../parts/text/verbatim-text.tsx";
import { diffInWorker } from "./diff-in-worker.ts";
import { withMarks, type PlacedMark } from "./reply-marks.ts";
import type { DiffPart } from "./word-diff.ts";

interface DiffTextProps {
  readonly parts: readonly DiffPart[];
  /** Leaves out the parts that only the other text has. */
  readonly without?: "removed" | "added";
  /** The places of the reply that lower a score. */
  readonly marks?: readonly PlacedMark[];
}

/** Added parts are highlighted, removed ones have a dashed underline. A long text is cut until the user expands it. */
export function DiffText({ parts, without, marks = [] }: DiffTextProps) {
  const [whole, setWhole] = useState(false);
  const all = withMarks(parts, marks).filter((part) => part.kind !== without);
  const length = all.reduce((sum, part) => sum + part.text.length, 0);
  const shown = whole ? all : headParts(all);
  if (length === 0) return <VerbatimText text="" />;
  return (
    <>
      <p dir="auto" className={`verbatim ${without ? "" : "inline-diff"} ${whole ? directionClass({ length }) : ""}`}>
        {shown.map((part, index) => {
          if (part.mark)
            return (
              <mark key={index} title={part.mark.reason} className="reply-mark">
                {part.text}
              </mark>
            );
          if (part.kind === "removed") return <del key={index}>{part.text}</del>;
          if (part.kind === "added") return <ins key={index}>{part.text}</ins>;
          return <span key={index}>{part.text}</span>;
        })}
      </p>
      {isLong({ length }) && !whole && <ShowAllButton length={length} onShow={() => setWhole(true)} />}
    </>
  );
}

/** A reply in which the words that are not in the reference are highlighted. */
export function MarkedReply({ reference, reply }: { reference: string; reply: string }) {
  const diff = useWordDiff(reference, reply);
  if (diff.state === "done" && diff.parts) return <DiffText parts={diff.parts} without="removed" />;
  return <VerbatimText text={reply} />;
}

/** Explains the marks of a diff between reference and reply. */
export function DiffLegend() {
  return (
    <span className="text-sm text-soft">
      <span className="diff-extra px-0.5">extra</span> and <span className="diff-missing px-0.5">missing</span> versus
      reference
    </span>
  );
}

type WordDiffState = { readonly state: "waiting" } | { readonly state: "done"; readonly parts: DiffPart[] | null };

const waiting: WordDiffState = { state: "waiting" };

/** The word diff of two texts, computed in a worker. `parts` is null if they are too different for a word diff. */
export function useWordDiff(reference: string, reply: string): WordDiffState {
  const [result, setResult] = useState(waiting);
  useEffect(() => {
    let current = true;
    setResult(waiting);
    void diffInWorker(reference, reply).then((parts) => {
      if (current) setResult({ state: "done", parts });
    });
    return () => {
      current = false;
    };
  }, [reference, reply]);
  return result;
}
