import { Link } from "wouter";
import { formatScore } from "../../parts/text/format.ts";
import type { AttemptStatus } from "../../parts/runs/scores.ts";
import { transcriptPath } from "../../parts/address/paths.ts";
import type { AttemptCell } from "./scenario-rows.ts";

const outcomes: Record<AttemptStatus, { readonly mark: string; readonly label: string }> = {
  passed: { mark: "", label: "passed" },
  failed: { mark: "×", label: "failed" },
  errored: { mark: "!", label: "request failed" },
  unscored: { mark: "·", label: "not judged" },
  simulator_failed: { mark: "?", label: "simulated user failed" },
  waiting: { mark: "", label: "not run" },
  unfinished: { mark: "…", label: "not finished" },
};

interface AttemptSquareProps {
  readonly runId: string;
  readonly scenarioId: string;
  readonly cell: AttemptCell;
  readonly current?: boolean;
  /** Query string of the current address to keep. */
  readonly search?: string;
}

/** One attempt as a link; the fill shows its overall score, the mark its outcome. */
export function AttemptSquare({ runId, scenarioId, cell, current = false, search = "" }: AttemptSquareProps) {
  const { mark, label } = outcomes[cell.outcome];
  const scored = cell.outcome === "passed" || cell.outcome === "failed" || cell.outcome === "unscored";
  const hasOverall = scored && cell.overall !== null;
  const title = `Attempt ${cell.attempt}: ${label}${hasOverall ? `, overall ${formatScore(cell.overall)}` : ""}`;
  // An attempt may pass by its outcome alone, without an overall score.
  const fill = cell.overall ?? (cell.outcome === "passed" ? 1 : 0);
  return (
    <Link
      href={transcriptPath({ runId, scenarioId, attempt: cell.attempt }) + search}
      aria-label={title}
      aria-current={current ? "page" : undefined}
      title={title}
      className={`attempt-square ${cell.outcome}`}
    >
      <span aria-hidden className="fill" style={{ height: `${fill * 100}%` }} />
      <span aria-hidden className="mark">
        {mark}
      </span>
    </Link>
  );
}

/** Few runs have simulated users, and the square's title explains the mark. */
const legendOutcomes = Object.entries(outcomes).filter(([outcome]) => outcome !== "simulator_failed");

export function AttemptLegend() {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
      <span>Each square is one attempt; fill height = overall score</span>
      {legendOutcomes.map(([outcome, { mark, label }]) => (
        <span key={outcome} className="inline-flex items-center gap-1.5">
          <span aria-hidden className={`attempt-square ${outcome} size-4! text-xs!`}>
            <span className="fill h-3/5" />
            <span className="mark">{mark}</span>
          </span>
          {label}
        </span>
      ))}
    </p>
  );
}
