import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { toApiError } from "../api-error.ts";
import { listRuns } from "../api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatInteger, formatMoment, formatScore } from "../parts/format.ts";
import { runName } from "../parts/run-name.ts";
import { useModelName } from "../parts/use-model-name.ts";
import { changeSearch } from "../parts/use-search-state.ts";
import { useRun } from "../run/use-run.ts";
import { OfferedPair } from "./offered-pair.tsx";

interface RunPickersProps {
  readonly baseline: string;
  readonly candidate: string;
  /** A failure that is told of elsewhere: of the same one nothing is said here. */
  readonly told: Error | null;
}

/** Which two runs are compared, out of the newest ones. */
export function RunPickers({ baseline, candidate, told }: RunPickersProps) {
  const runs = useQuery({
    queryKey: ["runs", "for comparing"],
    queryFn: ({ signal }) => listRuns({ state: "completed", limit: "200" }, signal),
  });
  const known = runs.data?.runs ?? [];
  const nameOf = useModelName();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
      <RunSelect label="Baseline (before)" name="baseline" value={baseline} runs={known} />
      <RunSelect label="Candidate (after)" name="candidate" value={candidate} runs={known} />
      {runs.isError && codeOf(runs.error) !== codeOf(told) && (
        <div className="sm:col-span-2">
          <FailedNotice error={runs.error} onRetry={() => void runs.refetch()} />
        </div>
      )}
      <OfferedPair
        choice={{ baseline, candidate }}
        runs={known}
        describe={(run) => describe(run, nameOf(run.model_id))}
      />
      {runs.data?.next_cursor && (
        <p className="text-sm text-soft sm:col-span-2">
          These are the newest {formatInteger(known.length)}.{" "}
          <Link href="/runs" className="link">
            Find older ones under Runs
          </Link>
          , and choose two there.
        </p>
      )}
      {runs.isSuccess && known.length < 2 && (
        <p className="text-sm text-soft sm:col-span-2">
          Two finished runs are needed: run the same scenarios again with another model, prompt or setting.
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
  // One that was stopped, or is older than the list, is asked for by itself.
  const other = useRun(value, { enabled: unknown });
  return (
    <label className="grid gap-1 text-xs font-medium text-soft">
      {label}
      <select className="field" value={value} onChange={(event) => changeSearch({ [name]: event.target.value })}>
        <option value="">choose a run</option>
        {unknown && (
          <option value={value}>{other.data ? describe(other.data, nameOf(other.data.model_id)) : value}</option>
        )}
        {runs.map((run) => (
          <option key={run.run_id} value={run.run_id}>
            {describe(run, nameOf(run.model_id))}
          </option>
        ))}
      </select>
    </label>
  );
}

function describe(run: Run, model: string): string {
  const score = formatScore(run.summary?.average_scores["overall"]);
  const parts = [clip(runName(run)), clip(model), score, formatMoment(run.created_at, Date.now())];
  return [...parts, ...(run.state === "completed" ? [] : [run.state])].join(" · ").replace(turningMarks, "");
}

/** No element can hold a name apart in an option: one that turns the direction of writing would turn what follows it. */
const turningMarks = /[\u202A-\u202E\u2066-\u2069]/g;

/** A browser draws a choice as wide as its longest text, and cuts off what comes last. */
const clip = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text);

const longest = 32;
