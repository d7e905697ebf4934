import { Link } from "wouter";
import type { AttemptOutcome } from "../parts/judge-attempt.ts";
import { formatScore } from "../parts/format.ts";
import { transcriptPath } from "../parts/paths.ts";
import type { AttemptCell } from "./scenario-rows.ts";

const marks: Record<AttemptOutcome, string> = {
  passed: "",
  failed: "×",
  errored: "!",
  unscored: "·",
  waiting: "",
  unfinished: "…",
};

interface AttemptSquareProps {
  readonly runId: string;
  readonly scenarioId: string;
  readonly cell: AttemptCell;
  readonly current?: boolean;
  /** Kept from the address the link stands at. */
  readonly search?: string;
}

/** One attempt: filled as high as its overall score, × when it failed, ! when a request failed, dashed when it was not run or not to its end. */
export function AttemptSquare({ runId, scenarioId, cell, current = false, search = "" }: AttemptSquareProps) {
  const label = `Attempt ${cell.attempt}: ${words(cell)}`;
  return (
    <Link
      href={transcriptPath({ runId, scenarioId, attempt: cell.attempt }) + search}
      aria-label={label}
      aria-current={current ? "page" : undefined}
      title={label}
      className={`attempt-square ${cell.outcome}`}
    >
      <span aria-hidden className="fill" style={{ height: `${(cell.overall ?? 0) * 100}%` }} />
      <span aria-hidden className="mark">
        {marks[cell.outcome]}
      </span>
    </Link>
  );
}

function words({ outcome, overall }: AttemptCell): string {
  if (outcome === "errored") return "a request failed";
  if (outcome === "unscored") return "not scored";
  if (outcome === "waiting") return "not run";
  if (outcome === "unfinished") return "not finished";
  return `${outcome}, overall ${formatScore(overall)}`;
}
