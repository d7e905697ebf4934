import { Link } from "wouter";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { fromSegment, runPath, toSegment } from "../parts/paths.ts";
import { isEnded } from "../parts/run-state.ts";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { usePathSegments } from "../parts/use-path-segments.ts";
import { useLiveRun } from "../run/use-live-run.ts";
import { useResults } from "../run/use-run.ts";
import { TranscriptView } from "./transcript-view.tsx";

export default function TranscriptScreen() {
  const [, runSegment = "", scenarioSegment = "", attemptSegment = ""] = usePathSegments();
  const runId = fromSegment(runSegment);
  const results = useResults(runId);
  useLiveRun(runId, results.data !== undefined && !isEnded(results.data.state));

  if (results.isError && !results.data) {
    return (
      <Screen title="Transcript">
        <FailedNotice error={results.error} onRetry={() => void results.refetch()} />
      </Screen>
    );
  }
  if (!results.data) {
    return (
      <Screen title="Transcript">
        <Skeleton rows={8} label="Loading the transcript" />
      </Screen>
    );
  }

  const scenario = results.data.results.scenarios.find((entry) => toSegment(entry.scenario_id) === scenarioSegment);
  const attempt = scenario?.attempts.find((entry) => String(entry.attempt) === attemptSegment);
  if (!scenario || !attempt) {
    return (
      <Screen title="Transcript">
        <p className="panel p-4">
          {scenario ? "This attempt has no turns yet." : "This run has no such scenario."}{" "}
          <Link href={runPath(runId)} className="link">
            Back to the run
          </Link>
        </p>
      </Screen>
    );
  }
  return <TranscriptView results={results.data} scenario={scenario} attempt={attempt} />;
}
