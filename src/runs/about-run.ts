import type { ComparedRun } from "../contract/schemas/comparison.ts";
import { redactEndpoint } from "../base/secret.ts";
import type { RunRecord } from "../contract/ports/store.ts";

/** What tells a run from others it stands beside. */
export function aboutRun({ id, settings, demo }: RunRecord): ComparedRun {
  const { test_name, model_id, endpoint } = settings;
  return { run_id: id, test_name, model_id, endpoint: redactEndpoint(endpoint), demo };
}
