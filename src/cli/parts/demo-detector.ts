import type { RunSettings } from "../../contract/evaluation-request.ts";
import type { Demo } from "../../models/demo/demo-models.ts";

/** Tells whether a run will be answered by our own scripted models, so that it can be marked as a demo. */
export function demoDetector({
  demo,
  agentOrigins,
}: {
  demo: Demo | null;
  agentOrigins: () => readonly string[];
}): (settings: RunSettings) => boolean {
  const names = new Set([...(demo?.ids ?? []), ...Object.keys(demo?.studio ?? {})]);
  return ({ endpoint, model_id }) => {
    const origin = URL.parse(endpoint)?.origin;
    return origin !== undefined && agentOrigins().includes(origin) && names.has(model_id);
  };
}
