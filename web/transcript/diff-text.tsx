import type { DiffPart } from "./word-diff.ts";

interface DiffTextProps {
  readonly parts: readonly DiffPart[];
  /** Leave out what only the other side has. */
  readonly without?: "removed" | "added";
}

/** In one text what only the reference has is struck through; side by side it is dotted. What only the reply has is underlined. */
export function DiffText({ parts, without }: DiffTextProps) {
  return (
    <p dir="auto" className={`verbatim ${without ? "" : "inline-diff"}`}>
      {parts.map((part, index) => {
        if (part.kind === without) return null;
        if (part.kind === "removed") return <del key={index}>{part.text}</del>;
        if (part.kind === "added") return <ins key={index}>{part.text}</ins>;
        return <span key={index}>{part.text}</span>;
      })}
    </p>
  );
}
