import { Link } from "wouter";
import type { EvaluationResponse, ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import { isFailure } from "../../src/contract/schemas/outcome.ts";
import type { RunScenario } from "../../src/contract/schemas/run-scenarios.ts";
import { fetchRunScenarios } from "../api/runs.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatCount } from "../parts/text/format.ts";
import { fromSegment, runPath, toSegment } from "../parts/address/paths.ts";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { usePathSegments, useSearchState } from "../parts/address/search-state.ts";
import { sortedScenarios, type RunScenarioQuery } from "../run/grid/scenario-rows.ts";
import { isRunNotFound, isUnderWay } from "../run/run-progress.ts";
import { useLiveRun } from "../run/use-live-run.ts";
import { isLarge, useResults, useRun, useScenarioResults } from "../run/use-run.ts";
import { hasFailure, nextFailure, nextFailureWrapping, type FailureSearch, type TurnPosition } from "./failures.ts";
import { inHistoryMode, readHistoryMode, resultsWithHistory } from "./transcript-modes.ts";
import { TranscriptView } from "./transcript-view.tsx";

/** One attempt at one scenario. For a large run, only that scenario is loaded. */
export default function TranscriptScreen() {
  const [, runSegment = "", scenarioSegment = "", attemptSegment = ""] = usePathSegments();
  const [params] = useSearchState();
  const runId = fromSegment(runSegment);
  const run = useRun(runId);
  const deleted = isRunNotFound(run.error);
  const large = run.data !== undefined && isLarge(run.data);
  const whole = useResults(runId, { enabled: run.data !== undefined && !large && !deleted });
  const part = useScenarioResults(runId, fromSegment(scenarioSegment), { enabled: large && !deleted });
  const results = large ? part : whole;
  useLiveRun(runId, isUnderWay(run));

  const error = run.data && !deleted ? results.error : run.error;
  if (!run.data || !results.data || deleted) {
    return (
      <Screen title="Transcript">
        {error ? (
          <FailedNotice error={error} onRetry={() => void (run.data ? results : run).refetch()} />
        ) : (
          <Skeleton rows={8} label="Loading the transcript" />
        )}
      </Screen>
    );
  }

  const { data } = results;
  const history = readHistoryMode(params.get("history"));
  const scenario = data.results.scenarios.find((entry) => toSegment(entry.scenario_id) === scenarioSegment);
  const attempt =
    scenario && inHistoryMode(scenario, history).attempts.find((entry) => String(entry.attempt) === attemptSegment);
  if (!scenario || !attempt) return <NoSuchAttempt runId={runId} scenario={scenario} asked={attemptSegment} />;
  const shown = resultsWithHistory(data, history);
  return (
    <TranscriptView
      run={run.data}
      results={data}
      scenario={scenario}
      attempt={attempt}
      anyFailure={!isWhole(data, large) || hasFailure(shown.results.scenarios)}
      findFailure={async (search) =>
        isWhole(data, large)
          ? findFailureInResults(shown, search)
          : findFailureInLargeRun(runId, { scenario: inHistoryMode(scenario, history), search })
      }
    />
  );
}

/** A service without the scenario filter sends all scenarios of a large run too. */
const isWhole = ({ results }: EvaluationResponse, large: boolean): boolean => !large || results.scenarios.length > 1;

interface NoSuchAttemptProps {
  readonly runId: string;
  readonly scenario: ScenarioResult | undefined;
  readonly asked: string;
}

function NoSuchAttempt({ runId, scenario, asked }: NoSuchAttemptProps) {
  return (
    <Screen title="Transcript">
      <p className="panel p-4">
        {scenario
          ? `This scenario has ${formatCount(scenario.attempts.length, "attempt")}; there is no attempt ${fromSegment(asked)}.`
          : "This scenario is not part of this run."}{" "}
        <Link href={runPath(runId)} className="link">
          Back to the run
        </Link>
      </p>
    </Screen>
  );
}

/** The next failure of a run whose results are all loaded. */
const findFailureInResults = (results: EvaluationResponse, search: FailureSearch): TurnPosition | null =>
  nextFailureWrapping(
    sortedScenarios(results).map(({ scenario }) => scenario),
    search,
  );

/** The next failure of a large run: in this scenario, else in the next listed one. */
async function findFailureInLargeRun(
  runId: string,
  { scenario, search }: { scenario: ScenarioResult; search: FailureSearch },
): Promise<TurnPosition | null> {
  const inScenario = nextFailure([scenario], search);
  if (inScenario) return inScenario;
  const { step } = search;
  const list = (query: RunScenarioQuery) => fetchRunScenarios(runId, query, new AbortController().signal);
  const around = await list({ around: scenario.scenario_id, limit: 3 });
  const here = around.scenarios.findIndex(({ scenario_id }) => scenario_id === scenario.scenario_id);
  const neighbour = toPosition(around.scenarios[here + step], step);
  if (neighbour) return neighbour;
  const failing = around.counts.failing + around.counts.flaky;
  if (failing === 0) return null;
  const ends = await list({ offset: step === 1 ? 0 : failing - 1, limit: 1 });
  return toPosition(ends.scenarios[0], step);
}

/** The first failed attempt of a scenario, or the last when going back. */
function toPosition(row: RunScenario | undefined, step: 1 | -1): TurnPosition | null {
  const failed = row?.attempts.filter(({ outcome }) => isFailure(outcome)) ?? [];
  const attempt = step === 1 ? failed[0] : failed.at(-1);
  return row && attempt ? { scenarioId: row.scenario_id, attempt: attempt.attempt, turn: undefined } : null;
}
