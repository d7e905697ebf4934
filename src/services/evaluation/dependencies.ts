import type { PlanHelpers } from "../../runs/option-problems.ts";
import type { PlanLimits } from "../../runs/plan-limits.ts";
import type { ScenarioLibrary } from "../../runs/scenario-library.ts";
import type { Runs } from "../../runs/runs.ts";
import type { ReadJsonLimits } from "../http/read-json.ts";
import type { ShellDependencies } from "../http/shell.ts";

/** What the evaluation service is made of. */
export interface EvaluationDependencies extends ShellDependencies {
  readonly runs: Runs;
  readonly library: ScenarioLibrary;
  /** The one-file viewer, with a place for a run's data. */
  readonly reportTemplate: () => Promise<string>;
  readonly bodyLimits: ReadJsonLimits;
  readonly planLimits: PlanLimits;
  /** What the operator offers beside the model under test. */
  readonly helpers: PlanHelpers;
  /** Throws when the endpoint can be refused before any call. */
  readonly checkEndpoint: (planned: { readonly pointer: string; readonly endpoint: string }) => void;
  /** Address of the agent backend that is served beside it, where there is one. */
  readonly ownAgent?: () => string | null;
}
