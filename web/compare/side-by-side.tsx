import { useQuery } from "@tanstack/react-query";
import type { RankedRun } from "../../src/contract/schemas/comparison.ts";
import { fetchRunScenarios } from "../api/runs.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { SelectField } from "../parts/forms/fields.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Skeleton } from "../parts/screen/screen.tsx";
import { formatInteger } from "../parts/text/format.ts";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";
import { useScenarioResults } from "../run/use-run.ts";
import { RepliesOfRuns } from "../transcript/across-runs.tsx";
import { mostRunsBeside } from "../transcript/other-runs.ts";

/** The most scenarios to choose from; the first are those that the best run does worst on. */
const listedScenarios = 200;

/** The replies of all ranked runs to each turn of the scenario in `?scenario=`. */
export function SideBySide({ runs }: { runs: readonly RankedRun[] }) {
  const [params] = useSearchState();
  const shown = runs.slice(0, mostRunsBeside);
  const firstId = shown[0]?.run_id ?? "";
  const list = useQuery({
    queryKey: ["rows", firstId, "side by side"],
    queryFn: ({ signal }) => fetchRunScenarios(firstId, { limit: listedScenarios }, signal),
  });
  const ids = list.data?.scenarios.map(({ scenario_id }) => scenario_id) ?? [];
  const scenarioId = params.get("scenario") ?? ids[0];
  return (
    <section aria-label="Replies side by side" className="panel grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
      <h2 className="font-semibold">Replies side by side</h2>
      {list.isError && <FailedNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={3} label="Loading the scenarios" />}
      {scenarioId !== undefined && (
        <>
          <div className="max-w-100">
            <SelectField
              label="Scenario"
              value={scenarioId}
              options={[...new Set([scenarioId, ...ids])].map((id) => ({ id, label: id }))}
              onChoice={(id) => changeSearch({ scenario: id })}
            />
          </div>
          <p className="text-sm text-soft">
            <span className="diff-extra px-0.5">Highlighted</span>: words not in the reference.
            {runs.length > shown.length &&
              ` The first ${shown.length} of ${formatInteger(runs.length)} runs are shown.`}
          </p>
          <Turns key={scenarioId} runs={shown} scenarioId={scenarioId} />
        </>
      )}
    </section>
  );
}

function Turns({ runs, scenarioId }: { runs: readonly RankedRun[]; scenarioId: string }) {
  const results = useScenarioResults(runs[0]?.run_id ?? "", scenarioId);
  if (results.isError) return <FailedNotice error={results.error} onRetry={() => void results.refetch()} />;
  if (!results.data) return <Skeleton rows={4} label="Loading the turns" />;
  const scenario = results.data.results.scenarios.find(({ scenario_id }) => scenario_id === scenarioId);
  const [attempt] = scenario?.attempts ?? [];
  if (!attempt) return <p className="text-soft">The best run does not have this scenario.</p>;
  return attempt.interactions.map((turn) => (
    <article key={turn.id} aria-label={`Turn ${turn.turn_index + 1}`} className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-sm font-semibold">Turn {turn.turn_index + 1}</h3>
      <VerbatimText text={turn.user_message} />
      {turn.reference_reply !== "" && (
        <details className="text-sm">
          <summary className="text-soft">Reference</summary>
          <VerbatimText text={turn.reference_reply} />
        </details>
      )}
      <RepliesOfRuns runs={runs} scenarioId={scenarioId} turnId={turn.id} attempt={attempt.attempt} />
    </article>
  ));
}
