import { useCallback, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { isFailure, thresholdOf, turnOutcome } from "../../src/contract/schemas/outcome.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { runPath, transcriptPath } from "../parts/paths.ts";
import { runTitle } from "../parts/run-title.ts";
import { useCoveredHeight } from "../parts/use-covered-height.ts";
import { useKeys } from "../parts/use-keys.ts";
import { useModelName } from "../parts/use-model-name.ts";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { AttemptNotes } from "./attempt-notes.tsx";
import type { TurnPlace } from "./failure-order.ts";
import { inHistory, otherReply, readHistoryMode } from "./history-mode.ts";
import { outcomeWords } from "./outcome-badge.tsx";
import { TranscriptHeader } from "./transcript-header.tsx";
import { TurnList } from "./turn-list.tsx";
import { nextViewMode, readViewMode } from "./view-mode.ts";

interface TranscriptViewProps {
  readonly run: Run;
  readonly results: EvaluationResponse;
  readonly scenario: ScenarioResult;
  readonly attempt: AttemptResult;
  /** The next or previous failing turn of the run, going round at its end. */
  readonly findFailure: (direction: { from: TurnPlace; step: 1 | -1 }) => Promise<TurnPlace | null>;
  /** False where it is known that no turn fails. */
  readonly anyFailure: boolean;
}

/** One conversation, turn by turn, with keys to move through the failures of the whole run. */
export function TranscriptView({ run, results, scenario, attempt, findFailure, anyFailure }: TranscriptViewProps) {
  const [params] = useSearchState();
  const nameOf = useModelName();
  const [, navigate] = useLocation();
  /** Why the next failure could not be looked for. */
  const [trouble, setTrouble] = useState<unknown>(null);
  const header = useRef<HTMLElement>(null);
  const covered = useCoveredHeight(header);
  const history = readHistoryMode(params.get("history"));
  const mode = readViewMode(params.get("view"));
  const shown = useMemo(() => inHistory(scenario, history), [scenario, history]);
  const turns = attempt.interactions;
  const bad = firstBad(attempt, thresholdOf(scenario));
  /** In the list of turns. The address counts them as the scenario does, and some of those may be missing. */
  const position = params.has("turn") ? positionOf(attempt, Number(params.get("turn")) - 1 || 0) : Math.max(0, bad);
  const turn = turns[position]?.turn_index ?? 0;
  const otherOf = useCallback(
    (turnIndex: number) => otherReply(scenario, { mode: history, attempt: attempt.attempt, turnIndex }),
    [scenario, history, attempt.attempt],
  );

  const here: TurnPlace = { scenarioId: scenario.scenario_id, attempt: attempt.attempt, turn };
  const goTo = (place: TurnPlace | null): void => {
    if (!place) return;
    const kept = new URLSearchParams([
      ...(place.turn === undefined ? [] : [["turn", String(place.turn + 1)]]),
      ...(mode === "side" ? [] : [["view", mode]]),
      ...(history === "own" ? [] : [["history", history]]),
    ]).toString();
    const path = transcriptPath({ runId: results.run_id, scenarioId: place.scenarioId, attempt: place.attempt });
    navigate(kept === "" ? path : `${path}?${kept}`);
  };
  const goToTurn = (step: 1 | -1): void => {
    const next = turns[position + step];
    if (next) changeSearch({ turn: String(next.turn_index + 1) });
  };
  const goToAttempt = (step: 1 | -1): void => {
    const next = shown.attempts[shown.attempts.indexOf(attempt) + step];
    if (next) goTo({ ...here, attempt: next.attempt });
  };
  const goToFailure = (step: 1 | -1): void => {
    setTrouble(null);
    findFailure({ from: here, step }).then(goTo, setTrouble);
  };

  useKeys({
    j: () => goToTurn(1),
    k: () => goToTurn(-1),
    n: () => goToFailure(1),
    p: () => goToFailure(-1),
    d: () => changeSearch({ view: nextViewMode(mode) }),
    a: () => changeSearch({ across: params.get("across") === String(turn + 1) ? null : String(turn + 1) }),
    h: () => scenario.reference_attempts && changeSearch({ history: history === "own" ? "reference" : null }),
    "]": () => goToAttempt(1),
    "[": () => goToAttempt(-1),
    c: () => navigate(`/compare?candidate=${encodeURIComponent(results.run_id)}`),
    u: () => navigate(runPath(results.run_id)),
  });

  return (
    <div className="mx-auto grid w-full max-w-7xl grid-cols-[minmax(0,1fr)] gap-4 px-4 pb-6 sm:px-6">
      <title>
        {`${scenario.scenario_id}, attempt ${attempt.attempt} · ${runTitle(run, nameOf(run.model_id))} · Rehearsal`}
      </title>
      <TranscriptHeader
        ref={header}
        results={results}
        scenario={shown}
        attempt={attempt}
        mode={mode}
        history={scenario.reference_attempts ? history : null}
        anyFailure={anyFailure}
        onFailure={goToFailure}
      />
      {/* Keys move through the turns while the focus stays: whoever does not see where to is told. */}
      <p role="status" className="sr-only">
        {placeWords(scenario, attempt, turns[position])}
      </p>
      {trouble !== null && <FailedNotice error={trouble} />}
      <AttemptNotes attempt={attempt} />
      <TurnList
        key={`${scenario.scenario_id} ${attempt.attempt} ${history}`}
        scenario={shown}
        attempt={attempt}
        turn={position}
        chosen={params.has("turn") || bad > 0}
        covered={covered}
        mode={mode}
        across={Number(params.get("across") ?? 0) - 1}
        history={history}
        otherOf={otherOf}
      />
    </div>
  );
}

function placeWords(scenario: ScenarioResult, { attempt }: AttemptResult, turn: InteractionResult | undefined): string {
  if (!turn) return "";
  const outcome = turnOutcome(turn, thresholdOf(scenario));
  return `${scenario.scenario_id}, attempt ${attempt}, turn ${turn.turn_index + 1}: ${outcomeWords(outcome)}`;
}

/** Where a turn of the scenario stands, or the next one that is there. */
function positionOf({ interactions }: AttemptResult, turnIndex: number): number {
  const position = interactions.findIndex((turn) => turn.turn_index >= turnIndex);
  return position === -1 ? interactions.length - 1 : position;
}

const firstBad = ({ interactions }: AttemptResult, threshold: number): number =>
  interactions.findIndex((turn) => isFailure(turnOutcome(turn, threshold)));
