import { isLocalTarget } from "../../../contract/schemas/acting/target.ts";
import { EvaluationRequest } from "../../../contract/schemas/evaluation-request.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { CreatedRun } from "../../../contract/ports/store.ts";
import { invalidFieldsError } from "../../../runs/plan/fields-error.ts";
import type { RunPlan } from "../../../runs/plan/plan-run.ts";
import { planRuns, type PlannedRuns } from "../../../runs/plan/plan-variants.ts";
import type { Warning } from "../../../contract/errors/problem.ts";
import type { NewRunOptions } from "../../../runs/runs.ts";
import { unknownFields } from "../../http/body/unknown-fields.ts";
import { validate } from "../../http/body/validate.ts";
import type { EvaluationDependencies } from "../dependencies.ts";

type Planners = Pick<EvaluationDependencies, "runs" | "planLimits" | "helpers" | "checkEndpoint" | "worlds">;

/** Validates a request and returns the plan of its runs, with a warning per unknown field. Throws a `ServiceError` for what cannot be run. */
export async function planRequest(
  body: unknown,
  { runs, planLimits, helpers, checkEndpoint, worlds }: Planners,
  owner: string | null,
): Promise<{ readonly planned: PlannedRuns; readonly warnings: readonly Warning[] }> {
  const request = await runs.withRecordedUsers(validate(EvaluationRequest, body), owner);
  const planned = planRuns(request, planLimits, helpers);
  for (const { plan } of planned.runs) {
    for (const endpoint of plan.survey.endpoints(plan)) checkEndpoint(endpoint);
    checkWorldAddress(plan, worlds);
  }
  return { planned, warnings: unknownFields(EvaluationRequest, body) };
}

/** An agent elsewhere needs an address of its world that leads here. */
function checkWorldAddress(plan: RunPlan, worlds: Planners["worlds"]): void {
  const isLocal = plan.target !== undefined && isLocalTarget(plan.target);
  if (!plan.world_address || isLocal || !plan.scenarios.some(({ world = plan.world }) => world)) return;
  const message = worlds?.problem(plan.endpoint);
  if (message)
    throw invalidFieldsError([{ pointer: "/world_address", code: "unreachable", message, received: plan.endpoint }]);
}

/** Plans a request and stores its run, or those of its variants. Rejects with a `ServiceError` before anything is stored. */
export async function createRunFromRequest(
  body: unknown,
  planners: Planners,
  options: Omit<NewRunOptions, "warnings">,
): Promise<Extract<CreatedRun, { outcome: "created" | "replayed" }>> {
  const { planned, warnings } = await planRequest(body, planners, options.owner);
  const created = await planners.runs.createPlanned(planned, { ...options, warnings });
  if (created.outcome !== "mismatch") return created;
  throw new ServiceError("idempotency_mismatch", "This Idempotency-Key was used for a request with another body.");
}
