import type { Logger } from "pino";
import type { RunSettings } from "../../contract/evaluation-request.ts";
import type { PlanLimits } from "../../runs/plan-run.ts";
import type { Runs } from "../../runs/runs.ts";
import type { ApiKey } from "../../settings/api-keys.ts";
import type { Readiness } from "../http/health.ts";
import type { ReadJsonLimits } from "../http/read-json.ts";

/** What the evaluation service is made of. */
export interface EvaluationDependencies {
  readonly runs: Runs;
  readonly log: Logger;
  readonly version: string;
  readonly bodyLimits: ReadJsonLimits;
  readonly planLimits: PlanLimits;
  /** Throws when the endpoint can be refused before any call. */
  readonly checkEndpoint: (settings: Pick<RunSettings, "endpoint" | "protocol">) => void;
  readonly apiKeys: readonly ApiKey[];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: () => readonly string[];
  readonly readiness: Readiness;
}
