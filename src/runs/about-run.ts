import type { ComparedRun } from "../contract/comparison.ts";
import { shownEndpoint } from "../contract/shown-endpoint.ts";
import type { RunRecord } from "../contract/store.ts";

/** What tells a run from others it stands beside. */
export function aboutRun({ id, settings, demo }: RunRecord): ComparedRun {
  const { test_name, model_id, endpoint } = settings;
  return { run_id: id, test_name, model_id, endpoint: shownEndpoint(endpoint), demo };
}
