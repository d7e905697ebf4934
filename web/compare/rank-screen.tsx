import { useQuery } from "@tanstack/react-query";
import { rankRuns } from "../rank-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { scoreLabel } from "../parts/format.ts";
import { overallFirst } from "../parts/score-order.ts";
import { Screen } from "../parts/screen.tsx";
import { SelectField } from "../parts/select-field.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useModelName } from "../parts/use-model-name.ts";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { useRun } from "../run/use-run.ts";
import { RankTable } from "./rank-table.tsx";

/** Which model to choose? `?runs=` names the runs, comma separated, `?score=` what they are ranked by. */
export default function RankScreen() {
  const [params] = useSearchState();
  const runs = params.get("runs") ?? "";
  const score = params.get("score") ?? "";
  const [first = ""] = runs.split(",");
  const { data: run } = useRun(first, { enabled: first !== "" });
  const nameOf = useModelName();
  const ranking = useQuery({
    queryKey: ["rank", runs, score],
    queryFn: ({ signal }) => rankRuns({ runs, score }, signal),
    enabled: first !== "",
  });
  const scores = Object.keys(run?.summary?.average_scores ?? {}).toSorted(overallFirst);
  const chosen = ranking.data?.score ?? score;
  // A refusal lists no runs, so whatever may be a model's UUID is looked up.
  const named = (text: string): string => text.replace(/[\da-f-]{32,36}/gi, nameOf);

  return (
    <Screen title="Rank">
      {first === "" && <p className="panel p-4 text-soft">Choose three runs or more among the runs to rank them.</p>}
      {scores.length > 1 && (
        <div className="max-w-60">
          <SelectField
            label="By"
            value={chosen}
            options={scores.map((name) => ({ id: name, label: scoreLabel(name) }))}
            onChoice={(name) => changeSearch({ score: name })}
          />
        </div>
      )}
      {first !== "" && ranking.isPending && <Skeleton rows={4} label="Ranking" />}
      {ranking.isError && <FailedNotice error={ranking.error} onRetry={() => void ranking.refetch()} />}
      {ranking.data && (
        <>
          <section aria-label="Verdict" className="rounded-lg border border-line bg-sunken p-4">
            <p className="verbatim text-lg font-semibold">{named(ranking.data.sentence)}</p>
            {ranking.data.notes.map((note) => (
              <p key={note} className="mt-1 text-sm text-soft">
                {named(note)}
              </p>
            ))}
          </section>
          {ranking.data.comparable && <RankTable ranking={ranking.data} />}
        </>
      )}
    </Screen>
  );
}
