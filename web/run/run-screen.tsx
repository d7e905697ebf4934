import { useMemo } from "react";
import { Link } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { DemoBadge, RunStateBadge } from "../parts/runs/run-status.tsx";
import { FailedNotice, WarningList } from "../parts/screen/notices.tsx";
import { failedTurns, isEnded, runName, runTitle } from "../parts/runs/run-facts.ts";
import { formatInteger } from "../parts/text/format.ts";
import { lazyComponent } from "../parts/screen/lazy-component.tsx";
import { fromSegment } from "../parts/address/paths.ts";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { useModelName } from "../parts/runs/model-names.ts";
import { usePathSegments, useSearchState } from "../parts/address/search-state.ts";
import { CorrectedMeans } from "../review/corrected-means.tsx";
import { ScenarioGrid } from "./grid/scenario-grid.tsx";
import { hasActed, KeyFigures } from "./key-figures.tsx";
import { NoReplyBanner } from "./no-reply-banner.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunDetails } from "./run-details.tsx";
import { isRunNotFound, isUnderWay, titleProgress } from "./run-progress.ts";
import { DigestView } from "./summary/digest-view.tsx";
import { countListed, digestResults } from "./summary/run-digest.ts";
import { FailureCauses, NoFailures } from "./summary/turn-causes.tsx";
import { useLiveRun } from "./use-live-run.ts";
import { isLarge, useResults, useRun } from "./use-run.ts";

const SequencePanel = lazyComponent(() => import("./sequence-panel.tsx"));
const ScorePanel = lazyComponent(() => import("./summary/score-panel.tsx"));

/** One run. A large run is read page by page, any other run at once. */
export default function RunScreen() {
  const id = fromSegment(usePathSegments()[1] ?? "");
  const [params] = useSearchState();
  const run = useRun(id);
  const nameOf = useModelName();
  const deleted = isRunNotFound(run.error);
  const whole = run.data !== undefined && !isLarge(run.data);
  const results = useResults(id, { enabled: whole && !deleted });
  useLiveRun(id, isUnderWay(run));
  const listed = useMemo(() => results.data && countListed(digestResults(results.data)), [results.data]);

  if (!run.data || deleted) {
    return (
      <Screen title="Run">
        {run.isError ? (
          <FailedNotice error={run.error} onRetry={() => void run.refetch()} />
        ) : (
          <Skeleton rows={10} label="Loading the run" />
        )}
      </Screen>
    );
  }

  const tab = readTab(params.get("tab"));
  // An unreachable service fails both queries: show one notice.
  const failed = run.isError ? run : results;
  return (
    <Screen
      title={titleProgress(run.data) + runTitle(run.data, nameOf(run.data.model_id))}
      heading={<RunHeading run={run.data} />}
      actions={<RunActions run={run.data} />}
    >
      {failed.isError && <FailedNotice error={failed.error} onRetry={() => void failed.refetch()} />}
      <NoReplyBanner run={run.data} results={results.data} />
      <KeyFigures run={run.data} results={results.data} />
      {run.data.sequence && (
        <SequencePanel run={run.data} fallback={<Skeleton rows={4} label="Loading the comparison" />} />
      )}
      <WarningList warnings={run.data.warnings} />
      <RunTabs tab={tab} failures={listed ?? failedTurns(run.data).failed} />
      {whole && results.isPending ? (
        <Skeleton rows={8} label="Loading the results" />
      ) : (
        (results.data || !whole) && <RunTabContent tab={tab} run={run.data} results={results.data} />
      )}
    </Screen>
  );
}

function RunHeading({ run }: { run: Run }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="verbatim line-clamp-3" title={runName(run)}>
        {runName(run)}
      </span>
      <span className="font-medium">
        <RunStateBadge run={run} />
      </span>
      {run.demo && <DemoBadge />}
      {run.tags?.map((tag) => (
        <span key={tag} className="tag font-normal">
          {tag}
        </span>
      ))}
    </span>
  );
}

const tabs = ["scenarios", "scores", "failures", "details"] as const;
type RunTab = (typeof tabs)[number];

const readTab = (value: string | null): RunTab => tabs.find((tab) => tab === value) ?? "scenarios";

const tabLabels: Record<RunTab, string> = {
  scenarios: "Scenarios",
  scores: "Scores",
  failures: "Errors",
  details: "Details",
};

/** Links, so that every tab has an address. */
function RunTabs({ tab, failures }: { tab: RunTab; failures: number }) {
  const path = usePathname();
  return (
    <nav aria-label="Views of the run" className="no-print -mb-1 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map((name) => (
        <Link
          key={name}
          href={name === "scenarios" ? path : `${path}?tab=${name}`}
          aria-current={name === tab ? "page" : undefined}
          className="border-b-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-soft no-underline hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {tabLabels[name]}
          {name === "failures" && failures > 0 && ` (${formatInteger(failures)})`}
        </Link>
      ))}
    </nav>
  );
}

interface RunTabContentProps {
  readonly tab: RunTab;
  readonly run: Run;
  /** Undefined for a large run. */
  readonly results: EvaluationResponse | undefined;
}

function RunTabContent({ tab, run, results }: RunTabContentProps) {
  switch (tab) {
    case "scenarios":
      return <ScenarioGrid run={run} results={results} />;
    case "scores":
      return (
        <>
          <CorrectedMeans run={run} />
          <ScorePanel run={run} results={results} fallback={<Skeleton rows={6} label="Loading the scores" />} />
        </>
      );
    case "failures":
      // Reading all turns of a large run is only worth it if some failed.
      return results === undefined &&
        isEnded(run.state) &&
        run.progress.interactions_failed === 0 &&
        !hasActed(run.summary) ? (
        <NoFailures turns={run.progress.interactions_done} />
      ) : (
        <DigestView run={run} results={results}>
          {(digest) => digest && <FailureCauses runId={run.run_id} digest={digest} />}
        </DigestView>
      );
    case "details":
      return <RunDetails run={run} results={results} />;
  }
}
