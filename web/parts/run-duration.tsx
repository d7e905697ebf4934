import type { Run } from "../../src/contract/schemas/run.ts";
import { formatDuration } from "./format.ts";
import { useNow } from "./use-now.ts";

/** How long a run took, or has taken so far. */
export function RunDuration({ run }: { run: Run }) {
  const now = useNow(run.finished_at || !run.started_at ? 0 : 1000);
  if (!run.started_at) return <span className="text-faint">–</span>;
  const end = run.finished_at ? Date.parse(run.finished_at) : now;
  return <span className="whitespace-nowrap">{formatDuration(Math.max(0, end - Date.parse(run.started_at)))}</span>;
}
