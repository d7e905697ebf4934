import { compact } from "../../src/base/compact.ts";
import { useQuery, useQueryClient, type Query } from "@tanstack/react-query";
import { ArrowLeftRight } from "lucide-react";
import { Fragment } from "react";
import type { RunComparison, SettingChange } from "../../src/contract/schemas/comparison.ts";
import { fetchComparison } from "../api/runs.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatCount, formatScore } from "../parts/text/format.ts";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { useModelName } from "../parts/runs/model-names.ts";
import { useRowKeys } from "../parts/browser/events.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { SimulatedUsersNote } from "../parts/runs/simulated-users.tsx";
import { DiffText, useWordDiff } from "../transcript/diff-text.tsx";
import { CorrectedEffects } from "../review/corrected-means.tsx";
import { useRun } from "../run/use-run.ts";
import { ChangedList } from "./changed-list.tsx";
import { EffectTable } from "./effect-table.tsx";
import { NotWorsePanel } from "./not-worse-panel.tsx";
import { RunPickers } from "./run-pickers.tsx";
import { useComparedName, VerdictBanner } from "./verdict-banner.tsx";

/** A retry also reloads the list of runs, which may have failed for the same reason. */
const hasFailed = ({ state }: Query): boolean => state.status === "error";

/** Compares two runs, named by `?baseline=` and `?candidate=`. */
export default function CompareScreen() {
  const [params] = useSearchState();
  const client = useQueryClient();
  const baseline = params.get("baseline") ?? "";
  const candidate = params.get("candidate") ?? "";
  const margin = params.get("margin") ?? "";
  const same = baseline !== "" && baseline === candidate;
  const ready = baseline !== "" && candidate !== "" && !same;
  useRowKeys();
  const comparison = useQuery({
    queryKey: ["compare", baseline, candidate, margin],
    queryFn: ({ signal }) =>
      fetchComparison(compact({ baseline, candidate, margin: margin !== "" ? margin : undefined }), signal),
    enabled: ready,
  });

  const title = useComparedTitle(comparison.data);

  return (
    <Screen
      title={title}
      heading="Compare"
      actions={
        ready && (
          <button
            type="button"
            className="button"
            onClick={() => changeSearch({ baseline: candidate, candidate: baseline })}
          >
            <ArrowLeftRight aria-hidden size={14} /> Swap
          </button>
        )
      }
    >
      <RunPickers baseline={baseline} candidate={candidate} shownError={comparison.error} />
      {same && (
        <p role="status" className="panel p-4 text-soft">
          Baseline and candidate are the same run. Choose two different runs.
        </p>
      )}
      {ready && comparison.isPending && <Skeleton rows={6} label="Comparing" />}
      {comparison.isError && (
        <FailedNotice error={comparison.error} onRetry={() => void client.refetchQueries({ predicate: hasFailed })} />
      )}
      {comparison.isError && margin !== "" && <NotWorsePanel comparison={undefined} margin={margin} />}
      {comparison.data && (
        <>
          <VerdictBanner comparison={comparison.data} />
          {comparison.data.settings && <SettingChanges changes={comparison.data.settings} />}
          {comparison.data.simulated_users?.baseline && (
            <SimulatedUsersNote users={comparison.data.simulated_users.baseline} label="Baseline" />
          )}
          {comparison.data.simulated_users?.candidate && (
            <SimulatedUsersNote users={comparison.data.simulated_users.candidate} label="Candidate" />
          )}
          <UnpairedNote comparison={comparison.data} />
          <MeansNote comparison={comparison.data} />
          {comparison.data.comparable && (
            <>
              <NotWorsePanel comparison={comparison.data} margin={margin} />
              <EffectTable scores={comparison.data.scores} />
              <CorrectedEffects comparison={comparison.data} />
              <ChangedList key={`${baseline} ${candidate}`} comparison={comparison.data} />
            </>
          )}
        </>
      )}
    </Screen>
  );
}

/** Names both runs, to tell browser tabs with comparisons apart. */
function useComparedTitle(comparison: RunComparison | undefined): string {
  const candidate = useComparedName(comparison?.candidate);
  const baseline = useComparedName(comparison?.baseline);
  return comparison ? `${candidate} vs. ${baseline}` : "Compare";
}

/** The settings that differ between the runs. */
function SettingChanges({ changes }: { changes: readonly SettingChange[] }) {
  const modelName = useModelName();
  if (changes.length === 0) {
    return (
      <p className="text-sm text-soft">
        Both runs used the same model, prompts and parameters: any difference is noise, or a change on the provider's
        side.
      </p>
    );
  }
  return (
    <section aria-label="Changed settings" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4 text-sm">
      <h2 className="font-semibold">Changed settings</h2>
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        {changes.map(({ setting, baseline, candidate }) => (
          <Fragment key={setting}>
            <dt className="mono verbatim text-soft">{setting}</dt>
            <dd className="min-w-0">
              {setting === "model_id" ? (
                <p className="verbatim">
                  {modelName(String(baseline))} → {modelName(String(candidate))}
                </p>
              ) : typeof baseline === "string" && typeof candidate === "string" ? (
                <ChangedText before={baseline} after={candidate} />
              ) : (
                <p className="verbatim">
                  {valueText(baseline)} → {valueText(candidate)}
                </p>
              )}
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

function ChangedText({ before, after }: { before: string; after: string }) {
  const diff = useWordDiff(before, after);
  const parts = diff.state === "done" ? diff.parts : null;
  // Without a common part, the diff would join two words into one: "generatedboth".
  if (parts?.some(({ kind }) => kind === "same")) return <DiffText parts={parts} />;
  return (
    <p className="verbatim">
      {before} → {after}
    </p>
  );
}

function valueText(value: SettingChange["baseline"]): string {
  if (value === null) return "not set";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Says why the means below differ from those of the whole runs, which the lists above show. */
function MeansNote({ comparison }: { comparison: RunComparison }) {
  const overall = comparison.scores.find(({ name }) => name === "overall");
  const baseline = useRun(comparison.baseline.run_id).data?.summary?.average_scores["overall"];
  const candidate = useRun(comparison.candidate.run_id).data?.summary?.average_scores["overall"];
  if (!overall) return null;
  const parts = [
    { name: "baseline", whole: baseline, compared: overall.baseline },
    { name: "candidate", whole: candidate, compared: overall.candidate },
  ].flatMap(({ name, whole, compared }) =>
    whole === undefined || formatScore(whole) === formatScore(compared)
      ? []
      : [`the ${name} ${formatScore(compared)} instead of ${formatScore(whole)}`],
  );
  if (parts.length === 0) return null;
  return (
    <p className="text-sm text-soft">
      Only the {formatCount(overall.interactions, "turn")} that both runs have are compared: over these, overall is{" "}
      {parts.join(" and ")} over the whole run.
    </p>
  );
}

/** Turns left out of the comparison, with the reason. */
function UnpairedNote({ comparison: { unpaired, notes } }: { comparison: RunComparison }) {
  const parts = [
    unpaired.baseline_only > 0 && `${formatCount(unpaired.baseline_only, "turn")} only in the baseline`,
    unpaired.candidate_only > 0 && `${formatCount(unpaired.candidate_only, "turn")} only in the candidate`,
    unpaired.changed > 0 &&
      `${formatCount(unpaired.changed, "turn")} with the same id but a different question or reference`,
  ].filter((part): part is string => part !== false);
  if (parts.length + notes.length === 0) return null;
  return (
    <section aria-label="Left out" className="grid gap-1 text-sm text-soft">
      <h2 className="font-semibold text-ink">Not compared</h2>
      <ul className="grid list-disc gap-0.5 pl-5">
        {[...parts, ...notes].map((part) => (
          <li key={part} className="verbatim">
            {part}
          </li>
        ))}
      </ul>
    </section>
  );
}
