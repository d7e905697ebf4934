import { useMemo } from "react";
import { useLocation } from "wouter";
import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../src/contract/evaluation-response.ts";
import { runPath, transcriptPath } from "../parts/paths.ts";
import { useKeys } from "../parts/use-keys.ts";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { toScenarioRows } from "../run/scenario-rows.ts";
import { AttemptNotes } from "./attempt-notes.tsx";
import { neighbourFailure, type TurnPlace } from "./failure-order.ts";
import { TranscriptHeader } from "./transcript-header.tsx";
import { TurnList } from "./turn-list.tsx";
import { nextViewMode, readViewMode } from "./view-mode.ts";

interface TranscriptViewProps {
  readonly results: EvaluationResponse;
  readonly scenario: ScenarioResult;
  readonly attempt: AttemptResult;
}

/** One conversation, turn by turn, with keys to move through the failures of the whole run. */
export function TranscriptView({ results, scenario, attempt }: TranscriptViewProps) {
  const [params] = useSearchState();
  const [, navigate] = useLocation();
  const rows = useMemo(() => toScenarioRows(results), [results]);
  const last = attempt.interactions.length - 1;
  const turn = Math.min(last, Math.max(0, Number(params.get("turn") ?? 1) - 1 || 0));
  const mode = readViewMode(params.get("view"));

  const here: TurnPlace = { scenarioId: scenario.scenario_id, attempt: attempt.attempt, turn };
  const goTo = (place: TurnPlace | null): void => {
    if (!place) return;
    const path = transcriptPath({ runId: results.run_id, ...place });
    const view = mode === "side" ? "" : `${path.includes("?") ? "&" : "?"}view=${mode}`;
    navigate(path + view);
  };
  const goToTurn = (next: number): void => {
    if (next >= 0 && next <= last) changeSearch({ turn: String(next + 1) });
  };
  const goToAttempt = (step: 1 | -1): void => {
    const next = scenario.attempts[scenario.attempts.indexOf(attempt) + step];
    if (next) goTo({ ...here, attempt: next.attempt });
  };
  const goToFailure = (step: 1 | -1): void => goTo(neighbourFailure(rows, { from: here, step }));

  useKeys({
    j: () => goToTurn(turn + 1),
    k: () => goToTurn(turn - 1),
    n: () => goToFailure(1),
    p: () => goToFailure(-1),
    d: () => changeSearch({ view: nextViewMode(mode) }),
    a: () => changeSearch({ across: params.get("across") === String(turn + 1) ? null : String(turn + 1) }),
    "]": () => goToAttempt(1),
    "[": () => goToAttempt(-1),
    c: () => navigate(`/compare?candidate=${encodeURIComponent(results.run_id)}`),
    u: () => navigate(runPath(results.run_id)),
  });

  return (
    <div className="mx-auto grid w-full max-w-7xl grid-cols-[minmax(0,1fr)] gap-4 px-4 pb-6 sm:px-6">
      <title>{`${scenario.scenario_id}, attempt ${attempt.attempt} · Rehearsal`}</title>
      <TranscriptHeader
        results={results}
        row={rows.find((row) => row.scenario === scenario)}
        attempt={attempt}
        mode={mode}
        onFailure={goToFailure}
      />
      <AttemptNotes attempt={attempt} />
      <TurnList
        key={`${scenario.scenario_id} ${attempt.attempt}`}
        scenario={scenario}
        attempt={attempt}
        turn={turn}
        chosen={params.has("turn")}
        mode={mode}
        across={Number(params.get("across") ?? 0) - 1}
      />
    </div>
  );
}
