import { CircleHelp, ShieldCheck, TrendingDown, type LucideIcon } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import type { NotWorse, RunComparison } from "../../src/contract/schemas/comparison.ts";
import { TextField } from "../parts/forms/fields.tsx";
import { changeSearch } from "../parts/address/search-state.ts";
import { formatSentence } from "../parts/text/format.ts";

/** "Is it safe to switch?": the margin of the address, and the answer in one sentence. */
export function NotWorsePanel({ comparison, margin }: { comparison: RunComparison | undefined; margin: string }) {
  const not_worse = comparison?.not_worse;
  return (
    <section aria-label="Not worse by a margin" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
      <h2 className="font-semibold">Is it safe to switch?</h2>
      <MarginForm key={margin} margin={margin} />
      {not_worse && <NotWorseAnswer answer={not_worse} />}
    </section>
  );
}

function NotWorseAnswer({ answer: { verdict, sentence, measures, next } }: { answer: NotWorse }) {
  const { icon: Icon, className } = styles[verdict];
  return (
    <div role="status" className="grid gap-1">
      <p className={`verbatim flex items-baseline gap-2 font-semibold ${className}`}>
        <Icon aria-hidden size={16} className="shrink-0 self-center" /> {formatSentence(sentence)}
      </p>
      {measures.length > 1 && (
        <ul className="grid list-disc gap-0.5 pl-5 text-sm text-soft">
          {measures.map((measure) => (
            <li key={measure.name} className="verbatim">
              {formatSentence(measure.sentence)}
            </li>
          ))}
        </ul>
      )}
      {next !== null && <pre className="mono overflow-x-auto text-xs whitespace-pre-wrap text-soft">{next}</pre>}
    </div>
  );
}

const styles: Record<NotWorse["verdict"], { readonly icon: LucideIcon; readonly className: string }> = {
  not_worse: { icon: ShieldCheck, className: "text-good" },
  worse: { icon: TrendingDown, className: "text-bad" },
  undecided: { icon: CircleHelp, className: "text-warn" },
};

/** The margin is part of the address, so that an answer can be shared. */
function MarginForm({ margin }: { margin: string }) {
  const [text, setText] = useState(margin);
  const ask = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    changeSearch({ margin: text.trim() === "" ? null : text.trim() });
  };
  return (
    <form onSubmit={ask} className="flex flex-wrap items-end gap-2 wrap-anywhere">
      <TextField
        label="Accepted loss"
        value={text}
        onText={setText}
        placeholder="0.02"
        spellCheck={false}
        hint="0.02 of overall, or overall=0.02,success=5%,latency_ms=10% (success is replied)"
      />
      <button type="submit" className="button self-start sm:mt-6">
        Ask
      </button>
    </form>
  );
}
