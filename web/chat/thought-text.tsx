import { VerbatimText } from "../parts/verbatim-text.tsx";
import { GrowingText } from "./growing-text.tsx";

/** What the model thought before it answered: folded, and never part of the reply. */
export function ThoughtText({ text = "", live }: { text: string | undefined; live: boolean }) {
  if (text === "") return null;
  return (
    <details className="rounded-md border border-line text-sm text-soft">
      <summary className="px-3 py-1.5">Reasoning</summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line p-3">
        {live ? <GrowingText text={text} /> : <VerbatimText text={text} />}
      </div>
    </details>
  );
}
