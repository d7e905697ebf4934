import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { adjustedInterval, withInterval } from "../../src/base/numbers.ts";
import type { RankedRun, RunRanking } from "../../src/contract/schemas/comparison.ts";
import { DemoBadge } from "../parts/runs/run-status.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import {
  formatCount,
  formatDuration,
  formatEffect,
  formatInteger,
  formatMoney,
  formatP,
  formatScore,
  formatSentence,
} from "../parts/text/format.ts";
import { compareScoreNames, scoreLabel } from "../parts/runs/scores.ts";
import { comparePath, runPath } from "../parts/address/paths.ts";
import { runName } from "../parts/runs/run-facts.ts";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { SelectField } from "../parts/forms/fields.tsx";
import { useModelName } from "../parts/runs/model-names.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { fetchRanking } from "../api/runs.ts";
import { RunDate } from "../run/run-date.tsx";
import { useRun } from "../run/use-run.ts";
import { SideBySide } from "./side-by-side.tsx";

/** Ranks the runs in `?runs=` (comma-separated ids) by the score in `?score=`. */
export default function RankScreen() {
  const [params] = useSearchState();
  const runs = params.get("runs") ?? "";
  const score = params.get("score") ?? "";
  const [first = ""] = runs.split(",");
  const { data: run } = useRun(first, { enabled: first !== "" });
  const nameOf = useModelName();
  const ranking = useQuery({
    queryKey: ["rank", runs, score],
    queryFn: ({ signal }) => fetchRanking({ runs, score }, signal),
    enabled: first !== "",
  });
  const scores = Object.keys(run?.summary?.average_scores ?? {}).toSorted(compareScoreNames);
  const chosen = ranking.data?.score ?? score;
  // A refusal lists no runs, so every possible UUID in its text is looked up.
  const named = (text: string): string => text.replace(/[\da-f-]{32,36}/gi, nameOf);

  return (
    <Screen title="Rank">
      {first === "" && <p className="panel p-4 text-soft">Select three or more runs under Runs to rank them.</p>}
      {scores.length > 1 && (
        <div className="max-w-60">
          <SelectField
            label="Rank by"
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
            <p className="verbatim text-lg font-semibold">{formatSentence(named(ranking.data.sentence))}</p>
            {ranking.data.notes.map((note) => (
              <p key={note} className="mt-1 text-sm text-soft">
                {named(note)}
              </p>
            ))}
          </section>
          {ranking.data.comparable && <RankTable ranking={ranking.data} />}
          {ranking.data.comparable && <AdjustmentNote ranking={ranking.data} />}
          {ranking.data.comparable && <SideBySide runs={ranking.data.runs} />}
        </>
      )}
    </Screen>
  );
}

/** A score that only compares replies with references ranks how close they are, without a verdict's colour. */
const closenessStyles: typeof placeStyles = {
  best: { label: "closest", className: "text-soft" },
  may_be_best: { label: "may be closest", className: "text-soft" },
  behind: { label: "less close", className: "text-soft" },
};

const placeStyles: Record<RankedRun["place"], { label: string; className: string }> = {
  best: { label: "best", className: "text-good" },
  may_be_best: { label: "may be best", className: "text-soft" },
  behind: { label: "behind", className: "text-bad" },
};

/** The data behind means, intervals and p values. */
function AdjustmentNote({ ranking: { runs, scenarios } }: { ranking: RunRanking }) {
  const pairs = runs.find(({ to_first }) => to_first)?.to_first?.adjusted_for ?? 1;
  return (
    <p className="text-sm text-soft">
      Means are over the {formatCount(scenarios, "scenario")} that all runs share.
      {pairs > 1 &&
        ` Distances, p and places are corrected for ${formatCount(pairs, "pair")} of runs; the comparison of two runs is not.`}
    </p>
  );
}

/** The runs, best first, with cost and latency. */
export function RankTable({ ranking }: { ranking: RunRanking }) {
  const { runs, score, scenarios, closeness } = ranking;
  const styles = closeness ? closenessStyles : placeStyles;
  const nameOf = useModelName();
  const [first] = runs;
  const priced = runs.some((run) => run.cost_per_1000_turns !== null);
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Runs by score">
      <table className="data-table card-table">
        <caption className="sr-only">
          Runs by {scoreLabel(score)} over {formatInteger(scenarios)} shared scenarios, with 95 % intervals
        </caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">{scoreLabel(score)}</th>
            <th scope="col">vs. #1</th>
            <th scope="col" className="number">
              p
            </th>
            <th scope="col" className="number">
              No reply
            </th>
            {priced && (
              <th scope="col" className="number">
                Cost per 1,000
              </th>
            )}
            <th scope="col" className="number">
              Median latency
            </th>
            <th scope="col">Place</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run_id}>
              <th scope="row" className="verbatim min-w-32">
                <Link href={runPath(run.run_id)} className="link">
                  {nameOf(run.model_id)}
                </Link>{" "}
                <span className="block text-xs font-normal text-soft">
                  {runName(run)} · <RunDate runId={run.run_id} /> {run.demo && <DemoBadge short />}
                </span>
              </th>
              <td className="whitespace-nowrap tabular-nums" data-label={scoreLabel(score)} data-wide="">
                {withInterval(formatScore(run.mean), run, formatScore)}
              </td>
              <td className="whitespace-nowrap tabular-nums" data-label="vs. #1" data-wide="">
                {run.to_first && first && (
                  <Link
                    href={comparePath({ baseline: first.run_id, candidate: run.run_id })}
                    className="link"
                    title="Compare the two"
                  >
                    {withInterval(formatEffect(run.to_first.effect), adjustedInterval(run.to_first), formatEffect)}
                  </Link>
                )}
              </td>
              <td
                className="number"
                data-label="p"
                title={run.to_first ? `p of the pair by itself: ${formatP(run.to_first.p ?? null)}` : undefined}
              >
                {run.to_first && formatP(run.to_first.p_adjusted)}
              </td>
              <td className="number" data-label="No reply">
                {formatInteger(run.failed)}
              </td>
              {priced && (
                <td className="number" data-label="Cost per 1,000">
                  {run.cost_per_1000_turns === null ? "–" : formatMoney(run.cost_per_1000_turns)}
                </td>
              )}
              <td className="number" data-label="Median latency">
                {formatDuration(run.latency_ms)}
              </td>
              <td className={`whitespace-nowrap ${styles[run.place].className}`} data-label="Place">
                {styles[run.place].label}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
