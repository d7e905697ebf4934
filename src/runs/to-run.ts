import type { Run } from "../contract/run.ts";
import type { RunRecord } from "../contract/store.ts";

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** The public view of a stored run. */
export function toRun(record: RunRecord): Run {
  return {
    run_id: record.id,
    test_name: record.settings.test_name,
    endpoint: record.settings.endpoint,
    model_id: record.settings.model_id,
    state: record.state,
    message: record.message === "" ? stateMessage(record) : record.message,
    demo: record.demo,
    created_at: new Date(record.created_at).toISOString(),
    started_at: iso(record.started_at),
    finished_at: iso(record.finished_at),
    progress: record.progress,
    summary: record.summary,
  };
}

function stateMessage({ state, progress }: RunRecord): string {
  if (state === "queued") return "Waiting for a worker";
  return `${progress.interactions_done} of ${progress.interactions_total} interactions done`;
}
