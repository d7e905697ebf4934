import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { toApiError } from "../api/api-error.ts";
import { type ComparedRuns, fetchRuns } from "../api/runs.ts";
import { useBaselines } from "../parts/runs/baselines.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatInteger, formatMoment, formatScore } from "../parts/text/format.ts";
import { runName } from "../parts/runs/run-facts.ts";
import { useModelName } from "../parts/runs/model-names.ts";
import { changeSearch } from "../parts/address/search-state.ts";
import { useRun } from "../run/use-run.ts";
import { newestPair, suggestCounterpart } from "./suggested-pair.ts";

interface RunPickersProps {
  readonly baseline: string;
  readonly candidate: string;
  /** An error the screen shows already; the same error is not repeated here. */
  readonly shownError: Error | null;
}

/** Chooses the two runs to compare among the newest ones. */
export function RunPickers({ baseline, candidate, shownError }: RunPickersProps) {
  const runs = useQuery({
    queryKey: ["runs", "for comparing"],
    queryFn: ({ signal }) => fetchRuns({ state: "completed", limit: "200" }, signal),
  });
  const known = runs.data?.runs ?? [];
  const nameOf = useModelName();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
      <RunSelect label="Baseline (before)" name="baseline" value={baseline} runs={known} />
      <RunSelect label="Candidate (after)" name="candidate" value={candidate} runs={known} />
      {runs.isError && codeOf(runs.error) !== codeOf(shownError) && (
        <div className="sm:col-span-2">
          <FailedNotice error={runs.error} onRetry={() => void runs.refetch()} />
        </div>
      )}
      <SuggestedPair
        choice={{ baseline, candidate }}
        runs={known}
        describe={(run) => describeRun(run, nameOf(run.model_id))}
      />
      {runs.data?.next_cursor && (
        <p className="text-sm text-soft sm:col-span-2">
          Showing the newest {formatInteger(known.length)}. To compare older runs,{" "}
          <Link href="/runs" className="link">
            select them under Runs
          </Link>
          .
        </p>
      )}
      {runs.isSuccess && known.length < 2 && (
        <p className="text-sm text-soft sm:col-span-2">
          A comparison needs two completed runs. Run the same scenarios again with another model, prompt or setting.
        </p>
      )}
    </div>
  );
}

const codeOf = (error: Error | null): string | null => error && toApiError(error).code;

interface RunSelectProps {
  readonly label: string;
  readonly name: "baseline" | "candidate";
  readonly value: string;
  readonly runs: readonly Run[];
}

function RunSelect({ label, name, value, runs }: RunSelectProps) {
  const nameOf = useModelName();
  const unknown = value !== "" && !runs.some((run) => run.run_id === value);
  // A stopped run, or one older than the list, is loaded on its own.
  const other = useRun(value, { enabled: unknown });
  return (
    <label className="grid gap-1 text-xs font-medium text-soft">
      {label}
      <select className="field" value={value} onChange={(event) => changeSearch({ [name]: event.target.value })}>
        <option value="">choose a run</option>
        {unknown && (
          <option value={value}>{other.data ? describeRun(other.data, nameOf(other.data.model_id)) : value}</option>
        )}
        {runs.map((run) => (
          <option key={run.run_id} value={run.run_id}>
            {describeRun(run, nameOf(run.model_id))}
          </option>
        ))}
      </select>
    </label>
  );
}

function describeRun(run: Run, model: string): string {
  const score = formatScore(run.summary?.average_scores["overall"]);
  const parts = [clip(runName(run)), clip(model), score, formatMoment(run.created_at, Date.now())];
  return [...parts, ...(run.state === "completed" ? [] : [run.state])].join(" · ").replace(directionMarks, "");
}

/** An option cannot contain <bdi>, so a direction mark in a name would reorder the text after it. */
const directionMarks = /[\u202A-\u202E\u2066-\u2069]/g;

/** A select is as wide as its longest option and cuts off the end. */
const clip = (text: string): string =>
  text.length > maxNameLength ? `${text.slice(0, maxNameLength - 1).toWellFormed()}…` : text;

const maxNameLength = 32;

interface SuggestedPairProps {
  readonly choice: ComparedRuns;
  readonly runs: readonly Run[];
  readonly describe: (run: Run) => string;
}

/** Suggests a comparison while a run is missing. */
function SuggestedPair({ choice, runs, describe }: SuggestedPairProps) {
  const id = choice.candidate || choice.baseline;
  const listed = runs.find((run) => run.run_id === id);
  const other = useRun(id, { enabled: id !== "" && !listed });
  const chosen = listed ?? other.data;
  const baselines = useBaselines();
  if (choice.baseline !== "" && choice.candidate !== "") return null;
  if (id === "") {
    const pair = newestPair(runs);
    if (!pair) return null;
    const text = `Choose two runs, or compare the last two of “${runName({ test_name: pair.testName })}”.`;
    return <Suggestion text={text} action="Compare them" pair={pair} />;
  }
  const found = chosen && suggestCounterpart({ choice, chosen, runs, pinned: baselines[chosen.test_name]?.runId });
  if (!found) {
    return chosen ? <p className="text-sm text-soft sm:col-span-2">Choose a run to compare it with.</p> : null;
  }
  const text = `Choose the other run, or use one of the same test: ${describe(found.run)}.`;
  return <Suggestion text={text} action="Compare with it" pair={found.pair} />;
}

function Suggestion({ text, action, pair }: { text: string; action: string; pair: ComparedRuns }) {
  return (
    <p className="panel flex flex-wrap items-center gap-3 p-4 text-sm sm:col-span-2">
      <span className="verbatim line-clamp-3">{text}</span>
      <button
        type="button"
        className="button button-primary"
        onClick={() => changeSearch({ baseline: pair.baseline, candidate: pair.candidate })}
      >
        {action}
      </button>
    </p>
  );
}
