import { Ban } from "lucide-react";
import { Link } from "wouter";
import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { scoreLabel } from "../parts/format.ts";
import { runPath } from "../parts/paths.ts";
import { ChangesLink } from "./changes-link.tsx";
import { useComparedName } from "./use-compared-name.ts";
import { verdictLooks } from "./verdict-looks.ts";

/** The answer in one sentence, or why there is none. */
export function VerdictBanner({ comparison }: { comparison: RunComparison }) {
  const look = comparison.verdict && verdictLooks[comparison.verdict];
  const Icon = look?.icon ?? Ban;
  return (
    <section
      aria-label="Verdict"
      className={`grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 rounded-lg border border-line p-4 ${look?.ground ?? "bg-warn-ground"}`}
    >
      <Icon aria-hidden size={24} className={`mt-0.5 ${look?.className ?? "text-warn"}`} />
      <p className="verbatim text-lg font-semibold">{comparison.sentence}</p>
      {comparison.comparable && !comparison.scores.some(({ name }) => name === "overall") && (
        <p className="col-start-2 text-sm text-warn">
          The overall score could not be compared: this sentence is about {scoreLabel(comparison.scores[0]?.name ?? "")}{" "}
          alone. Look at the other scores before you decide.
        </p>
      )}
      <p className="col-start-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <ComparedRun run={comparison.candidate} />
        <span className="text-soft">against</span>
        <ComparedRun run={comparison.baseline} />
        {(comparison.baseline.demo || comparison.candidate.demo) && <DemoBadge />}
      </p>
      {comparison.comparable && (
        <p className="col-start-2 text-sm">
          <ChangesLink comparison={comparison} />
        </p>
      )}
    </section>
  );
}

function ComparedRun({ run }: { run: RunComparison["baseline"] }) {
  const name = useComparedName(run);
  return (
    <Link href={runPath(run.run_id)} className="link verbatim line-clamp-2" title={name}>
      {name}
    </Link>
  );
}
