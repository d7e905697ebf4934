import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";

/** What a run is scored by. */
export interface ScoredBy {
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
}
