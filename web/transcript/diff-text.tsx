import { useState } from "react";
import { beginningOfParts, directionClass, isLong } from "../parts/long-text.ts";
import { VerbatimText } from "../parts/verbatim-text.tsx";
import { WholeTextButton } from "../parts/whole-text-button.tsx";
import type { DiffPart } from "./word-diff.ts";

interface DiffTextProps {
  readonly parts: readonly DiffPart[];
  /** Leave out what only the other side has. */
  readonly without?: "removed" | "added";
}

/**
 * In one text what only the reference has is struck through; side by side it is dotted. What only the reply has is underlined.
 * Of a long text the beginning, until all of it is asked for.
 */
export function DiffText({ parts, without }: DiffTextProps) {
  const [whole, setWhole] = useState(false);
  const all = parts.filter((part) => part.kind !== without);
  const length = all.reduce((sum, part) => sum + part.text.length, 0);
  const shown = whole ? all : beginningOfParts(all);
  if (length === 0) return <VerbatimText text="" />;
  return (
    <>
      <p dir="auto" className={`verbatim ${without ? "" : "inline-diff"} ${whole ? directionClass({ length }) : ""}`}>
        {shown.map((part, index) => {
          if (part.kind === "removed") return <del key={index}>{part.text}</del>;
          if (part.kind === "added") return <ins key={index}>{part.text}</ins>;
          return <span key={index}>{part.text}</span>;
        })}
      </p>
      {isLong({ length }) && !whole && <WholeTextButton length={length} onShow={() => setWhole(true)} />}
    </>
  );
}
