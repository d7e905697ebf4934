import { formatDate, formatMoment } from "../parts/text/format.ts";
import { useNow } from "../parts/text/time.tsx";
import { useRun } from "./use-run.ts";

/** When a run was created: what tells runs of one test and model apart. Rankings and comparisons name their runs by id only. */
export function RunDate({ runId }: { runId: string }) {
  const { data } = useRun(runId);
  const now = useNow(0);
  if (!data) return null;
  return (
    <time dateTime={data.created_at} title={formatDate(data.created_at)} className="whitespace-nowrap">
      {formatMoment(data.created_at, now)}
    </time>
  );
}
