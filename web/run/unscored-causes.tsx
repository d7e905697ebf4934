import { TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import { formatCount, formatInteger } from "../parts/format.ts";
import { transcriptPath } from "../parts/paths.ts";
import type { RunDigest, UnscoredGroup } from "./run-digest.ts";

/** As many causes as help; a judge may say something else each time. */
const mostCauses = 5;

/** Why replies and conversations have no score, such as a judge that could not be asked. The figures below are without them. */
export function UnscoredCauses({ runId, digest: { unscored, unjudged } }: { runId: string; digest: RunDigest }) {
  return (
    <>
      <CauseList
        label="Replies without an overall score"
        title={`${formatCount(sum(unscored), "reply has", "replies have")} no overall score`}
        runId={runId}
        groups={unscored}
      />
      <CauseList
        label="Conversations without a verdict"
        title={`${formatCount(sum(unjudged), "conversation was", "conversations were")} not judged`}
        runId={runId}
        groups={unjudged}
      />
    </>
  );
}

const sum = (groups: readonly UnscoredGroup[]): number => groups.reduce((total, { count }) => total + count, 0);

interface CauseListProps {
  readonly label: string;
  readonly title: string;
  readonly runId: string;
  readonly groups: readonly UnscoredGroup[];
}

function CauseList({ label, title, runId, groups }: CauseListProps) {
  if (groups.length === 0) return null;
  const more = groups.length - mostCauses;
  return (
    <section aria-label={label} className="grid gap-1 rounded-lg bg-warn-ground p-3 text-sm">
      <h2 className="flex items-center gap-1.5 font-semibold text-warn">
        <TriangleAlert aria-hidden size={15} className="shrink-0" />
        {title}
      </h2>
      <ul className="grid gap-0.5">
        {groups.slice(0, mostCauses).map(({ reason, count, first }) => (
          <li key={reason} className="verbatim">
            {formatInteger(count)} × {reason}{" "}
            <Link href={transcriptPath({ runId, ...first })} className="link">
              Show the first one
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-soft">and {formatCount(more, "other cause")}</p>}
    </section>
  );
}
