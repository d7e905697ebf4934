import { TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import { formatCount, formatInteger } from "../parts/format.ts";
import { transcriptPath } from "../parts/paths.ts";
import type { RunDigest } from "./run-digest.ts";

/** As many causes as help; a judge may say something else each time. */
const mostCauses = 5;

/** Why replies have no overall score, such as a judge that could not be asked. The figures below are without them. */
export function UnscoredCauses({ runId, digest: { unscored } }: { runId: string; digest: RunDigest }) {
  if (unscored.length === 0) return null;
  const count = unscored.reduce((sum, group) => sum + group.count, 0);
  const more = unscored.length - mostCauses;
  return (
    <section aria-label="Replies without an overall score" className="grid gap-1 rounded-lg bg-warn-ground p-3 text-sm">
      <h2 className="flex items-center gap-1.5 font-semibold text-warn">
        <TriangleAlert aria-hidden size={15} className="shrink-0" />
        {formatCount(count, "reply has", "replies have")} no overall score
      </h2>
      <ul className="grid gap-0.5">
        {unscored.slice(0, mostCauses).map(({ reason, count: times, first }) => (
          <li key={reason} className="verbatim">
            {formatInteger(times)} × {reason}{" "}
            <Link href={transcriptPath({ runId, ...first })} className="link">
              First one
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-soft">and {formatCount(more, "other cause")}</p>}
    </section>
  );
}
