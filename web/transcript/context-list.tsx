import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import type { ContextPassage } from "../../src/contract/schemas/acting/context.ts";
import { formatCount } from "../parts/text/format.ts";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";

/** The retrieved passages of a turn, folded. */
export function ContextList({ context: passages = [] }: Pick<InteractionResult, "context">) {
  if (passages.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="text-soft">{formatCount(passages.length, "retrieved passage")}</summary>
      <ol className="mt-1 grid grid-cols-[minmax(0,1fr)] gap-2 pl-4">
        {passages.map((passage, index) => (
          <li key={index} className="grid gap-1 border-l-2 border-line pl-3">
            <PassageHead passage={passage} />
            <VerbatimText text={passage.text} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function PassageHead({ passage: { id, source, score } }: { passage: ContextPassage }) {
  const facts = [source, id, score !== undefined && `score ${Number(score.toPrecision(3))}`].filter(Boolean);
  return facts.length === 0 ? null : <p className="verbatim text-xs text-soft">{facts.join(" · ")}</p>;
}
