import { ChevronLeft, ChevronRight, ChevronsDownUp, ChevronsUpDown } from "lucide-react";
import type { RefObject } from "react";
import { Link } from "wouter";
import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../src/contract/schemas/evaluation-response.ts";
import { DemoBadge } from "../parts/runs/run-status.tsx";
import { formatScore } from "../parts/text/format.ts";
import { runPath } from "../parts/address/paths.ts";
import { runName } from "../parts/runs/run-facts.ts";
import { SegmentedControl } from "../parts/forms/segmented-control.tsx";
import { changeSearch } from "../parts/address/search-state.ts";
import { AttemptSquare } from "../run/grid/attempt-square.tsx";
import { toScenarioRow } from "../run/grid/scenario-rows.ts";
import { DiffLegend } from "./diff-text.tsx";
import { EditScenarioLink } from "./edit-scenario-link.tsx";
import {
  historyLabels,
  historyModes,
  viewLabels,
  viewModes,
  type HistoryMode,
  type PassedMode,
  type ViewMode,
} from "./transcript-modes.ts";

interface TranscriptHeaderProps {
  readonly ref: RefObject<HTMLElement | null>;
  readonly results: EvaluationResponse;
  readonly scenario: ScenarioResult;
  readonly attempt: AttemptResult;
  readonly mode: ViewMode;
  /** Null if the run has only one kind of history. */
  readonly history: HistoryMode | null;
  readonly anyFailure: boolean;
  readonly onFailure: (step: 1 | -1) => void;
  /** Null if there are no passed turns to fold. */
  readonly passed: PassedMode | null;
}

/** Breadcrumb, attempts and controls. Sticky on a large screen. */
export function TranscriptHeader({
  ref,
  results,
  scenario,
  attempt,
  mode,
  history,
  anyFailure,
  onFailure,
  passed,
}: TranscriptHeaderProps) {
  const { scenarioId, cells } = toScenarioRow(scenario);
  const hasDiff =
    (mode === "side" || mode === "inline") && attempt.interactions.some((turn) => turn.reference_reply !== "");
  return (
    <header
      ref={ref}
      className="z-10 -mx-4 grid gap-2 border-b border-line bg-canvas px-4 py-3 sm:-mx-6 sm:px-6 md:sticky md:top-0 print:static"
    >
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex max-w-full items-center gap-x-3 sm:max-w-80">
          <Link href={runPath(results.run_id)} className="link verbatim line-clamp-1 text-sm" title={runName(results)}>
            {runName(results)}
          </Link>
          <span aria-hidden className="text-faint">
            /
          </span>
        </span>
        <h1 className="verbatim line-clamp-2 text-lg font-semibold" title={scenarioId}>
          {scenarioId}
        </h1>
        {results.demo && <DemoBadge />}
        <span className="no-print sm:ml-auto">
          <EditScenarioLink scenarioId={scenarioId} />
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <nav aria-label="Attempts" className="flex flex-wrap items-center gap-1">
          <span className="mr-1 text-sm">
            Attempt {attempt.attempt} of {cells.length}
            <span className="text-soft">
              {" "}
              {attempt.outcome && `· outcome ${outcomeWord(attempt.outcome.value)} `}
              {(!attempt.outcome || attempt.average_scores["overall"] !== undefined) &&
                `· overall ${formatScore(attempt.average_scores["overall"])}`}
            </span>
          </span>
          {cells.map((cell) => (
            <AttemptSquare
              key={cell.attempt}
              runId={results.run_id}
              scenarioId={scenarioId}
              cell={cell}
              current={cell.attempt === attempt.attempt}
              search={history === "reference" ? "?history=reference" : ""}
            />
          ))}
        </nav>
        <span className="flex gap-1" title={anyFailure ? undefined : "No turns failed in this run."}>
          <button type="button" className="button" disabled={!anyFailure} onClick={() => onFailure(-1)}>
            <ChevronLeft aria-hidden size={14} /> Previous failure
          </button>
          <button type="button" className="button" disabled={!anyFailure} onClick={() => onFailure(1)}>
            Next failure <ChevronRight aria-hidden size={14} />
          </button>
        </span>
        <SegmentedControl
          legend="How reply and reference are shown"
          segments={viewModes.map((value) => ({ value, label: viewLabels[value] }))}
          value={mode}
          onChange={(value) => changeSearch({ view: value === "side" ? null : value })}
        />
        {passed && (
          <button
            type="button"
            className="button"
            onClick={() => changeSearch({ passed: passed === "open" ? null : "open" })}
          >
            {passed === "open" ? <ChevronsDownUp aria-hidden size={14} /> : <ChevronsUpDown aria-hidden size={14} />}
            {passed === "open" ? "Hide passed turns" : "Show passed turns"}
          </button>
        )}
        {hasDiff && <DiffLegend />}
        {history && (
          <span className="flex items-center gap-2 text-sm text-soft">
            <span aria-hidden>History</span>
            <SegmentedControl
              legend="What the model saw before each turn"
              segments={historyModes.map((value) => ({ value, label: historyLabels[value] }))}
              value={history}
              onChange={(value) => changeSearch({ history: value === "own" ? null : value })}
            />
          </span>
        )}
      </div>
    </header>
  );
}

const outcomeWord = (value: 0 | 1 | null): string => (value === null ? "undecided" : value === 1 ? "met" : "missed");
