import { createColumnHelper } from "@tanstack/react-table";
import type { Run } from "../../src/contract/schemas/run.ts";
import { failedTurns } from "../parts/failed-turns.ts";
import { repliedShare } from "../parts/replied-share.ts";
import type { sortingFeatures } from "../parts/sorting.ts";
import { flakyCount, varyingCount } from "./flaky-count.ts";

const column = createColumnHelper<typeof sortingFeatures, Run>();
const last = { sortUndefined: "last" as const };

interface ColumnLook {
  readonly label: string;
  readonly number?: true;
  readonly title?: string;
}

/** How the head of each column reads. */
export const runColumnLooks: Readonly<Record<string, ColumnLook>> = {
  name: { label: "Test" },
  model: { label: "Model" },
  overall: { label: "Overall [95 %]" },
  baseline: { label: "Baseline", title: "Difference to the pinned run of the same test" },
  success: { label: "Success", number: true, title: "Turns with a reply" },
  flaky: { label: "Flaky", number: true, title: "Scenarios whose attempts do not agree" },
  failed: { label: "No reply", number: true, title: "Turns whose request failed" },
  cost: { label: "Cost", number: true },
  duration: { label: "Duration", number: true },
  when: { label: "When", number: true },
};

/** What the list of runs can be sorted by. */
export const runColumns = column.columns([
  column.accessor("test_name", { id: "name", sortFn: "text" }),
  column.accessor("model_id", { id: "model", sortFn: "text" }),
  column.accessor((run) => run.summary?.average_scores["overall"], { id: "overall", ...last }),
  column.display({ id: "baseline" }),
  column.accessor((run) => repliedShare(run.summary) ?? undefined, { id: "success", ...last }),
  column.accessor((run) => flakyCount(run.summary) ?? varyingCount(run.summary), { id: "flaky" }),
  column.accessor((run) => failedTurns(run).failed, { id: "failed" }),
  column.accessor((run) => run.summary?.cost?.total, { id: "cost", ...last }),
  column.accessor(durationOf, { id: "duration", ...last }),
  column.accessor((run) => Date.parse(run.created_at), { id: "when" }),
]);

function durationOf({ started_at, finished_at }: Run): number | undefined {
  return started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : undefined;
}
