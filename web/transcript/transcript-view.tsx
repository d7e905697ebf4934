import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { isFailure, turnOutcome } from "../../src/contract/schemas/outcome.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { isOutcomeScore, scoreLabel } from "../parts/runs/scores.ts";
import { runPath, transcriptPath } from "../parts/address/paths.ts";
import { runTitle } from "../parts/runs/run-facts.ts";
import { useListOffset, useStickyHeaderHeight } from "../parts/browser/layout.ts";
import { useKeys } from "../parts/browser/events.ts";
import { useModelName } from "../parts/runs/model-names.ts";
import { usePrinting } from "../parts/browser/page-state.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { outcomeInAttempt, type FailureSearch, type TurnPosition } from "./failures.ts";
import { OutcomeLine, OutcomePanel } from "./outcome-panel.tsx";
import { TranscriptHeader } from "./transcript-header.tsx";
import {
  inHistoryMode,
  nextViewMode,
  readHistoryMode,
  readPassedMode,
  readViewMode,
  replyWithOtherHistory,
  type HistoryMode,
  type ViewMode,
} from "./transcript-modes.ts";
import { UserEndPanel } from "./simulated-user.tsx";
import { outcomeLabel } from "./outcome-badge.tsx";
import { TurnCard } from "./turn-card.tsx";
import { JudgementList } from "./turn-scores.tsx";

interface TranscriptViewProps {
  readonly run: Run;
  readonly results: EvaluationResponse;
  readonly scenario: ScenarioResult;
  readonly attempt: AttemptResult;
  /** The next or previous failing turn of the run, wrapping around. */
  readonly findFailure: (search: FailureSearch) => Promise<TurnPosition | null>;
  /** False if no turn is known to fail. */
  readonly anyFailure: boolean;
}

/** One conversation, turn by turn, with keys that step through the failures of the whole run. */
export function TranscriptView({ run, results, scenario, attempt, findFailure, anyFailure }: TranscriptViewProps) {
  const [params] = useSearchState();
  const nameOf = useModelName();
  const [, navigate] = useLocation();
  const [searchError, setSearchError] = useState<unknown>(null);
  const header = useRef<HTMLElement>(null);
  const covered = useStickyHeaderHeight(header);
  const history = readHistoryMode(params.get("history"));
  const mode = readViewMode(params.get("view"));
  const shown = useMemo(() => inHistoryMode(scenario, history), [scenario, history]);
  const turns = attempt.interactions;
  const failed = firstFailure(attempt, scenario.threshold);
  // The address has the turn's number in the scenario; the list may lack some turns.
  const position = params.has("turn") ? positionOf(attempt, Number(params.get("turn")) - 1 || 0) : Math.max(0, failed);
  const turn = turns[position]?.turn_index ?? 0;
  const otherOf = useCallback(
    (turnIndex: number) => replyWithOtherHistory(scenario, { mode: history, attempt: attempt.attempt, turnIndex }),
    [scenario, history, attempt.attempt],
  );

  const here: TurnPosition = { scenarioId: scenario.scenario_id, attempt: attempt.attempt, turn };
  const goTo = (place: TurnPosition | null): void => {
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
    setSearchError(null);
    findFailure({ from: here, step }).then(goTo, setSearchError);
  };

  useKeys({
    j: () => goToTurn(1),
    k: () => goToTurn(-1),
    n: () => goToFailure(1),
    p: () => goToFailure(-1),
    d: () => changeSearch({ view: nextViewMode(mode) }),
    a: () => changeSearch({ across: params.get("across") === String(turn + 1) ? null : String(turn + 1) }),
    b: () => changeSearch({ beside: params.get("beside") === String(turn + 1) ? null : String(turn + 1) }),
    h: () =>
      scenario.reference_attempts &&
      changeSearch({ turn: String(turn + 1), history: history === "own" ? "reference" : null }),
    "]": () => goToAttempt(1),
    "[": () => goToAttempt(-1),
    f: () => changeSearch({ passed: params.get("passed") === "open" ? null : "open" }),
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
        passed={countPassed(attempt, scenario.threshold) > 1 ? readPassedMode(params) : null}
      />
      {/* Keys change the current turn without moving the focus, so screen readers need an announcement. */}
      <p role="status" className="sr-only">
        {positionText(scenario, attempt, turns[position])}
      </p>
      {searchError !== null && <FailedNotice error={searchError} />}
      <AttemptNotes attempt={attempt} />
      <UserEndPanel
        key={`${scenario.scenario_id} ${attempt.attempt}`}
        runId={run.run_id}
        scenarioId={scenario.scenario_id}
        attempt={attempt}
      />
      <TurnList
        key={`${scenario.scenario_id} ${attempt.attempt} ${history}`}
        run={run}
        scenario={shown}
        attempt={attempt}
        turn={position}
        chosen={params.has("turn") || failed > 0}
        covered={covered}
        mode={mode}
        across={Number(params.get("across") ?? 0) - 1}
        beside={Number(params.get("beside") ?? 0) - 1}
        history={history}
        otherOf={otherOf}
        unfolded={readPassedMode(params) === "open"}
      />
      {attempt.outcome && <OutcomePanel outcome={attempt.outcome} />}
    </div>
  );
}

function positionText(scenario: ScenarioResult, attempt: AttemptResult, turn: InteractionResult | undefined): string {
  if (!turn) return "";
  const outcome = outcomeInAttempt(turn, { attempt, threshold: scenario.threshold });
  return `${scenario.scenario_id}, attempt ${attempt.attempt}, turn ${turn.turn_index + 1}: ${outcomeLabel(outcome)}`;
}

/** The list position of a turn of the scenario, or of the next one in the list. */
function positionOf({ interactions }: AttemptResult, turnIndex: number): number {
  const position = interactions.findIndex((turn) => turn.turn_index >= turnIndex);
  return position === -1 ? interactions.length - 1 : position;
}

const countPassed = ({ interactions }: AttemptResult, threshold: number | undefined): number =>
  interactions.filter((turn) => turnOutcome(turn, threshold) === "passed").length;

const firstFailure = (attempt: AttemptResult, threshold: number | undefined): number =>
  attempt.interactions.findIndex((turn) => isFailure(outcomeInAttempt(turn, { attempt, threshold })));

interface TurnListProps {
  readonly run: Run;
  readonly scenario: ScenarioResult;
  readonly attempt: AttemptResult;
  /** Position of the current turn in the list. */
  readonly turn: number;
  /** Scrolls to the current turn: the address names it, or it failed. */
  readonly chosen: boolean;
  /** Height of the sticky header above the list. */
  readonly covered: number;
  readonly mode: ViewMode;
  /** Index in the scenario of the turn shown across all attempts. */
  readonly across: number;
  /** Index in the scenario of the turn shown beside other runs. */
  readonly beside: number;
  readonly history: HistoryMode;
  readonly otherOf: (turnIndex: number) => InteractionResult | null;
  /** Shows all of every passed turn. */
  readonly unfolded: boolean;
}

function TurnList({
  run,
  scenario,
  attempt,
  turn,
  chosen,
  covered,
  mode,
  across,
  beside,
  history,
  otherOf,
  unfolded,
}: TurnListProps) {
  const list = useRef<HTMLDivElement>(null);
  const offset = useListOffset(list);
  const turns = attempt.interactions;
  const printing = usePrinting();
  const { threshold } = scenario;
  const [folds, setFolds] = useState<ReadonlyMap<number, boolean>>(new Map());
  const onFold = useCallback(
    (index: number, folded: boolean) => setFolds((before) => new Map(before).set(index, folded)),
    [],
  );
  const isFolded = (index: number): boolean => {
    const interaction = turns[index];
    if (!interaction || printing || turnOutcome(interaction, threshold) !== "passed") return false;
    return (
      folds.get(interaction.turn_index) ??
      (!unfolded && index !== turn && across !== interaction.turn_index && beside !== interaction.turn_index)
    );
  };
  const virtualizer = useWindowVirtualizer({
    count: turns.length,
    estimateSize: (index) => (isFolded(index) ? 42 : 420),
    gap: 12,
    overscan: printing ? turns.length : 4,
    scrollMargin: offset,
    scrollPaddingStart: covered,
  });

  useEffect(() => {
    if (chosen && offset > 0) virtualizer.scrollToIndex(turn, { align: turn === 0 ? "end" : "start" });
  }, [virtualizer, turn, chosen, offset, covered]);

  if (turns.length === 0) return <p className="panel p-4 text-soft">No turns yet: this attempt has not run.</p>;
  return (
    <div ref={list} className="virtual-list" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => {
        const interaction = turns[item.index];
        if (!interaction) return null;
        return (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            className="virtual-item print:mb-4"
            style={{ transform: `translateY(${item.start - offset}px)` }}
          >
            <TurnCard
              run={run}
              turn={interaction}
              scenario={scenario}
              attempt={attempt.attempt}
              mode={mode}
              current={item.index === turn}
              across={across === interaction.turn_index}
              beside={beside === interaction.turn_index}
              other={otherOf(interaction.turn_index)}
              history={history}
              folded={isFolded(item.index)}
              onFold={turns.length > 1 && turnOutcome(interaction, threshold) === "passed" ? onFold : null}
            />
          </div>
        );
      })}
    </div>
  );
}

/** Notes on the attempt as a whole: outcome, unfinished, replay, and the judge's verdict on the conversation. */
function AttemptNotes({ attempt }: { attempt: AttemptResult }) {
  const { conversation, replay, interactions, outcome } = attempt;
  const cutShort = attempt.unfinished === true && interactions.length > 0;
  const judged =
    conversation &&
    Object.keys({ ...conversation.judgements, ...conversation.score_reasons }).some((name) => !isOutcomeScore(name));
  if (!judged && !replay && !cutShort && !outcome) return null;
  return (
    <section aria-label="About this attempt" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      {outcome && <OutcomeLine outcome={outcome} />}
      {cutShort && <p className="text-sm">This attempt is not finished: some turns have not run.</p>}
      {replay && <p className="verbatim text-sm">{replay.sentence}</p>}
      {conversation && <JudgementList title="Judge, on the whole conversation" judgements={conversation.judgements} />}
      {conversation && <UnjudgedReasons conversation={conversation} />}
    </section>
  );
}

/** The reasons why the judge was not called at all. */
function UnjudgedReasons({ conversation }: { conversation: NonNullable<AttemptResult["conversation"]> }) {
  if (Object.keys(conversation.judgements).length > 0) return null;
  const reasons = Object.entries(conversation.score_reasons).filter(
    ([name]) => !isOutcomeScore(name) && name !== "simulated_user",
  );
  return reasons.map(([name, reason]) => (
    <p key={name} className="verbatim text-sm">
      <span className="font-medium">{scoreLabel(name)}</span> {reason}
    </p>
  ));
}
