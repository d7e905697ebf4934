import { Link } from "wouter";
import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { fromSegment, runPath, toSegment } from "../parts/paths.ts";
import { isEnded } from "../parts/run-state.ts";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { usePathSegments } from "../parts/use-path-segments.ts";
import { useSearchState } from "../parts/use-search-state.ts";
import { useLiveRun } from "../run/use-live-run.ts";
import { isLarge, useResults, useRun, useScenarioResults } from "../run/use-run.ts";
import { findFailureBeyond, findFailureHere } from "./find-failure.ts";
import { inHistory, readHistoryMode, resultsInHistory } from "./history-mode.ts";
import { TranscriptView } from "./transcript-view.tsx";

/** One attempt at one scenario. Of a large run only that scenario is read. */
export default function TranscriptScreen() {
  const [, runSegment = "", scenarioSegment = "", attemptSegment = ""] = usePathSegments();
  const [params] = useSearchState();
  const runId = fromSegment(runSegment);
  const run = useRun(runId);
  const large = run.data !== undefined && isLarge(run.data);
  const whole = useResults(runId, { enabled: run.data !== undefined && !large });
  const part = useScenarioResults(runId, fromSegment(scenarioSegment), { enabled: large });
  const results = large ? part : whole;
  useLiveRun(runId, run.data !== undefined && !isEnded(run.data.state));

  const error = run.data ? results.error : run.error;
  if (!results.data) {
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
  if (!scenario || !attempt) return <NoSuchAttempt runId={runId} known={scenario !== undefined} />;
  return (
    <TranscriptView
      results={data}
      scenario={scenario}
      attempt={attempt}
      findFailure={async (direction) =>
        isWhole(data, large)
          ? findFailureHere(resultsInHistory(data, history), direction)
          : findFailureBeyond(runId, { scenario: inHistory(scenario, history), direction })
      }
    />
  );
}

/** A service that cannot leave out the other scenarios has sent them all. */
const isWhole = ({ results }: EvaluationResponse, large: boolean): boolean => !large || results.scenarios.length > 1;

function NoSuchAttempt({ runId, known }: { runId: string; known: boolean }) {
  return (
    <Screen title="Transcript">
      <p className="panel p-4">
        {known ? "This attempt has no turns yet." : "This run has no such scenario."}{" "}
        <Link href={runPath(runId)} className="link">
          Back to the run
        </Link>
      </p>
    </Screen>
  );
}
