import type { JudgeVerdict } from "../../src/contract/schemas/judge.ts";
import { formatPercent, formatScore, scoreLabel } from "../parts/format.ts";

interface JudgementListProps {
  readonly title: string;
  readonly judgements: Readonly<Record<string, JudgeVerdict>>;
}

/** What a judge said, question by question, with every vote's reason. */
export function JudgementList({ title, judgements }: JudgementListProps) {
  const entries = Object.entries(judgements);
  if (entries.length === 0) return null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-xs font-semibold text-soft">{title}</h3>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 text-sm">
        {entries.map(([name, verdict]) => (
          <li key={name} className="grid grid-cols-[minmax(0,1fr)] gap-1 rounded-md border border-line p-2">
            <span className="flex flex-wrap items-baseline gap-x-2">
              <span className="verbatim font-medium">{scoreLabel(name)}</span>
              <span className="verbatim">
                {verdict.verdict ?? (verdict.value === null ? "no verdict" : "no majority")}
              </span>
              <span className="text-soft tabular-nums">{formatScore(verdict.value)}</span>
              {verdict.votes.length > 1 && (
                <span className="text-xs text-soft">{formatPercent(verdict.agreement)} of the votes agree</span>
              )}
              {!verdict.judge_audited && <span className="text-xs text-warn">judge never checked against people</span>}
            </span>
            {verdict.votes.map((vote, index) => (
              <p key={index} className="verbatim text-soft">
                {verdict.votes.length > 1 && <span className="font-medium">{vote.choice ?? "unusable"}: </span>}
                {vote.reason || "(no reason given)"}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
