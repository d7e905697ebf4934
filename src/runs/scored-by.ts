import type { RunSettings } from "../contract/evaluation-request.ts";
import type { Scenario } from "../contract/scenario.ts";

/** What a run is scored by. */
export interface ScoredBy {
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
}
