import { useQuery, useQueryClient, type Query } from "@tanstack/react-query";
import { ArrowLeftRight } from "lucide-react";
import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import { compareRuns } from "../compare-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useRowKeys } from "../parts/use-row-keys.ts";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { ChangedList } from "./changed-list.tsx";
import { EffectTable } from "./effect-table.tsx";
import { RunPickers } from "./run-pickers.tsx";
import { SettingChanges } from "./setting-changes.tsx";
import { UnpairedNote } from "./unpaired-note.tsx";
import { useComparedName } from "./use-compared-name.ts";
import { VerdictBanner } from "./verdict-banner.tsx";

/** The list of runs may have failed with the comparison, for the same reason. */
const hasFailed = ({ state }: Query): boolean => state.status === "error";

/** Is the change real? `?baseline=` and `?candidate=` name the runs. */
export default function CompareScreen() {
  const [params] = useSearchState();
  const client = useQueryClient();
  const baseline = params.get("baseline") ?? "";
  const candidate = params.get("candidate") ?? "";
  const same = baseline !== "" && baseline === candidate;
  const ready = baseline !== "" && candidate !== "" && !same;
  useRowKeys();
  const comparison = useQuery({
    queryKey: ["compare", baseline, candidate],
    queryFn: ({ signal }) => compareRuns({ baseline, candidate }, signal),
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
      <RunPickers baseline={baseline} candidate={candidate} told={comparison.error} />
      {same && (
        <p role="status" className="panel p-4 text-soft">
          Baseline and candidate are the same run. Choose another one for either of them.
        </p>
      )}
      {ready && comparison.isPending && <Skeleton rows={6} label="Comparing" />}
      {comparison.isError && (
        <FailedNotice error={comparison.error} onRetry={() => void client.refetchQueries({ predicate: hasFailed })} />
      )}
      {comparison.data && (
        <>
          <VerdictBanner comparison={comparison.data} />
          {comparison.data.settings && <SettingChanges changes={comparison.data.settings} />}
          <UnpairedNote comparison={comparison.data} />
          {comparison.data.comparable && (
            <>
              <EffectTable scores={comparison.data.scores} />
              <ChangedList key={`${baseline} ${candidate}`} comparison={comparison.data} />
            </>
          )}
        </>
      )}
    </Screen>
  );
}

/** For the title of the tab: somebody may have several comparisons open. */
function useComparedTitle(comparison: RunComparison | undefined): string {
  const candidate = useComparedName(comparison?.candidate);
  const baseline = useComparedName(comparison?.baseline);
  return comparison ? `${candidate} against ${baseline}` : "Compare";
}
