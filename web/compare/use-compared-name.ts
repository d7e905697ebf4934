import type { RunComparison } from "../../src/contract/schemas/comparison.ts";
import { formatMoment } from "../parts/format.ts";
import { runName } from "../parts/run-name.ts";
import { useModelName } from "../parts/use-model-name.ts";
import { useRun } from "../run/use-run.ts";

/** A compared run. Often both are of one test and one model, and only when they were made tells them apart. */
export function useComparedName(run: RunComparison["baseline"] | undefined): string {
  const nameOf = useModelName();
  const { data } = useRun(run?.run_id ?? "", { enabled: run !== undefined });
  if (!run) return "";
  const name = `${runName(run)} (${nameOf(run.model_id)})`;
  return data ? `${formatMoment(data.created_at, Date.now())} ${name}` : name;
}
