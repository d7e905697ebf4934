import { useQuery } from "@tanstack/react-query";
import type { Run } from "../../src/contract/run.ts";
import { listRuns } from "../api.ts";
import { formatDate, formatScore } from "../parts/format.ts";
import { useModelName } from "../parts/use-model-name.ts";
import { changeSearch } from "../parts/use-search-state.ts";

/** Which two runs are compared, out of the newest ones. */
export function RunPickers({ baseline, candidate }: { baseline: string; candidate: string }) {
  const runs = useQuery({
    queryKey: ["runs", "for comparing"],
    queryFn: ({ signal }) => listRuns({ state: "completed" }, signal),
  });
  const known = runs.data?.runs ?? [];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
      <RunSelect label="Baseline (before)" name="baseline" value={baseline} runs={known} />
      <RunSelect label="Candidate (after)" name="candidate" value={candidate} runs={known} />
      {runs.isSuccess && known.length < 2 && (
        <p className="text-sm text-soft sm:col-span-2">
          Two finished runs are needed: run the same scenarios again with another model, prompt or setting.
        </p>
      )}
    </div>
  );
}

interface RunSelectProps {
  readonly label: string;
  readonly name: "baseline" | "candidate";
  readonly value: string;
  readonly runs: readonly Run[];
}

function RunSelect({ label, name, value, runs }: RunSelectProps) {
  const nameOf = useModelName();
  const unknown = value !== "" && !runs.some((run) => run.run_id === value);
  return (
    <label className="grid gap-1 text-xs font-medium text-soft">
      {label}
      <select className="field" value={value} onChange={(event) => changeSearch({ [name]: event.target.value })}>
        <option value="">choose a run</option>
        {unknown && <option value={value}>{value}</option>}
        {runs.map((run) => (
          <option key={run.run_id} value={run.run_id}>
            {describe(run, nameOf(run.model_id))}
          </option>
        ))}
      </select>
    </label>
  );
}

const describe = (run: Run, model: string): string =>
  `${run.test_name} · ${model} · ${formatScore(run.summary?.average_scores["overall"])} · ${formatDate(run.created_at)}`;
