import { TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import { errorText } from "../../api/api-error.ts";
import { formatCount, formatInteger } from "../../parts/text/format.ts";
import { transcriptPath } from "../../parts/address/paths.ts";
import type { FaultGroup, PageDigest, UnscoredGroup } from "./run-digest.ts";

/** Missed outcomes, wrong tool calls and turns without a reply, each grouped by cause. */
export function FailureCauses({ runId, digest }: { runId: string; digest: PageDigest }) {
  const { turns, failures, missed, wrongCalls } = digest;
  if (failures.length + missed.length + wrongCalls.length === 0) return <NoFailures turns={turns} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <FaultList title="Missed outcomes" noun="attempt" runId={runId} groups={missed} />
      <FaultList title="Wrong tool calls" noun="call" runId={runId} groups={wrongCalls} />
      {failures.length > 0 && <FailedRequests runId={runId} failures={failures} />}
    </div>
  );
}

interface FaultListProps {
  readonly title: string;
  readonly noun: string;
  readonly runId: string;
  readonly groups: readonly FaultGroup[];
}

/** Groups shown: a model may invent a new tool name in every call. */
const maxFaults = 20;

function FaultList({ title, noun, runId, groups }: FaultListProps) {
  if (groups.length === 0) return null;
  const more = groups.length - maxFaults;
  return (
    <section aria-label={title} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="text-base font-semibold">{title}</h2>
      <ul className="panel divide-y divide-line">
        {groups.slice(0, maxFaults).map(({ fault, count, example, first }) => (
          <li
            key={fault}
            className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-0.5 px-4 py-2.5 sm:grid-cols-[7rem_minmax(0,1fr)]"
          >
            <span className="font-semibold text-bad tabular-nums">{formatCount(count, noun)}</span>
            <span className="grid min-w-0 gap-0.5">
              <span className="verbatim font-medium">{fault}</span>
              <span className="verbatim line-clamp-3 text-sm text-soft">{example}</span>
              <Link href={transcriptPath({ runId, ...first })} className="link justify-self-start text-sm">
                Show the first one
              </Link>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-sm text-soft">and {formatCount(more, "other kind")}</p>}
    </section>
  );
}

/** Turns without a reply, grouped by cause, each with the next step. */
function FailedRequests({ runId, failures }: { runId: string; failures: PageDigest["failures"] }) {
  return (
    <ul aria-label="Failed requests" className="grid gap-3">
      {failures.map((group) => {
        const { title, hint } = errorText(group.code);
        return (
          <li key={group.code} className="panel grid gap-1 p-4">
            <h2 className="font-semibold">
              <span className="text-infra">{formatCount(group.count, "turn")} without a reply</span>: {title}
            </h2>
            <p className="verbatim text-sm">{group.example.detail}</p>
            <p className="text-sm">
              <span className="font-semibold">Next: </span>
              {hint}
            </p>
            <p className="flex flex-wrap items-baseline gap-x-4 text-xs text-soft">
              <span className="mono">{group.code}</span>
              {group.example.upstream_status !== null && <span>HTTP {group.example.upstream_status}</span>}
              <span>{formatCount(group.example.tries, "try", "tries")}</span>
              <Link href={transcriptPath({ runId, ...group.first })} className="link">
                Show the first one
              </Link>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

export function NoFailures({ turns }: { turns: number }) {
  return (
    <p className="panel p-4 text-soft">
      {turns === 0 ? "No turns were run." : "No errors: every turn got a reply. Low scores are under Scenarios."}
    </p>
  );
}

/** A judge may word its reason differently each time, so the list is cut. */
const maxCauses = 5;

/** Replies and conversations without a score, grouped by reason. */
export function UnscoredCauses({ runId, digest: { unscored, unjudged } }: { runId: string; digest: PageDigest }) {
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
  const more = groups.length - maxCauses;
  return (
    <section aria-label={label} className="grid gap-1 rounded-lg bg-warn-ground p-3 text-sm">
      <h2 className="flex items-center gap-1.5 font-semibold text-warn">
        <TriangleAlert aria-hidden size={15} className="shrink-0" />
        {title}
      </h2>
      <ul className="grid gap-0.5">
        {groups.slice(0, maxCauses).map(({ reason, count, first }) => (
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
