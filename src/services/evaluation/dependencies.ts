import type { RedactionRule } from "../../contract/schemas/acting/traces.ts";
import type { Workload } from "../../contract/ports/store.ts";
import type { PlanHelpers } from "../../runs/plan/option-problems.ts";
import type { PlanLimits } from "../../runs/plan/limits.ts";
import type { ScenarioLibrary } from "../../runs/scenario-library.ts";
import type { Runs } from "../../runs/runs.ts";
import type { HealthParts } from "../http/health.ts";
import type { ShellDependencies } from "../http/shell.ts";
import type { SpanReceiver } from "./otel/receiver.ts";
import type { WorldServer } from "./routes/world-endpoints.ts";

export interface EvaluationDependencies extends ShellDependencies, HealthParts {
  readonly runs: Runs;
  /** What is stored and executed, for metrics. */
  readonly workload: () => Promise<Workload>;
  readonly library: ScenarioLibrary;
  /** The single-file viewer, with a placeholder for a run's data. */
  readonly reportTemplate: () => Promise<string>;
  readonly planLimits: PlanLimits;
  /** Judges, labellers and scorers that the operator offers. */
  readonly helpers: PlanHelpers;
  /** Throws when the endpoint can be refused before any call. */
  readonly checkEndpoint: (planned: { readonly pointer: string; readonly endpoint: string }) => void;
  /** Text that is replaced in imported conversations. */
  readonly redact?: readonly RedactionRule[] | undefined;
  /** The private endpoints of worlds. */
  readonly worlds?: WorldServer | undefined;
  /** Receives the spans of agents under test. */
  readonly spans?: SpanReceiver | undefined;
  /** Address of the agent backend served by the same process, if any. */
  readonly ownAgent?: () => string | null;
}
