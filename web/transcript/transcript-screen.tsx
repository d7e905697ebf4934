import { Link } from "wouter";
import type { EvaluationResponse, ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatCount } from "../parts/format.ts";
import { fromSegment, runPath, toSegment } from "../parts/paths.ts";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { usePathSegments } from "../parts/use-path-segments.ts";
import { useSearchState } from "../parts/use-search-state.ts";
import { isGone } from "../run/is-gone.ts";
import { isUnderWay } from "../run/is-under-way.ts";
import { useLiveRun } from "../run/use-live-run.ts";
import { isLarge, useResults, useRun, useScenarioResults } from "../run/use-run.ts";
import { hasFailure } from "./failure-order.ts";
import { findFailureBeyond, findFailureHere } from "./find-failure.ts";
import { inHistory, readHistoryMode, resultsInHistory } from "./history-mode.ts";
import { TranscriptView } from "./transcript-view.tsx";

/** One attempt at one scenario. Of a large run only that scenario is read. */
export default function TranscriptScreen() {
  const [, runSegment = "", scenarioSegment = "", attemptSegment = ""] = usePathSegments();
  const [params] = useSearchState();
  const runId = fromSegment(runSegment);
  const run = useRun(runId);
  const gone = isGone(run.error);
  const large = run.data !== undefined && isLarge(run.data);
  const whole = useResults(runId, { enabled: run.data !== undefined && !large && !gone });
  const part = useScenarioResults(runId, fromSegment(scenarioSegment), { enabled: large && !gone });
  const results = large ? part : whole;
  useLiveRun(runId, isUnderWay(run));

  const error = run.data && !gone ? results.error : run.error;
  if (!run.data || !results.data || gone) {
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
    scenario && inHistory(scenario, history).attempts.find((entry) => String(entry.attempt) === attemptSegment);
  if (!scenario || !attempt) return <NoSuchAttempt runId={runId} scenario={scenario} asked={attemptSegment} />;
  const shown = resultsInHistory(data, history);
  return (
    <TranscriptView
      run={run.data}
      results={data}
      scenario={scenario}
      attempt={attempt}
      anyFailure={!isWhole(data, large) || hasFailure(shown.results.scenarios)}
      findFailure={async (direction) =>
        isWhole(data, large)
          ? findFailureHere(shown, direction)
          : findFailureBeyond(runId, { scenario: inHistory(scenario, history), direction })
      }
    />
  );
}

/** A service that cannot leave out the other scenarios has sent them all. */
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
          : "This run has no such scenario."}{" "}
        <Link href={runPath(runId)} className="link">
          Back to the run
        </Link>
      </p>
    </Screen>
  );
}
