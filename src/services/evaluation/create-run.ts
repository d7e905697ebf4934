import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { CreatedRun } from "../../contract/ports/store.ts";
import { planEndpoints } from "../../runs/plan-endpoints.ts";
import { planRun } from "../../runs/plan-run.ts";
import type { NewRunOptions } from "../../runs/runs.ts";
import { unknownFields } from "../http/unknown-fields.ts";
import { validate } from "../http/validate.ts";
import type { EvaluationDependencies } from "./dependencies.ts";

type RunMakers = Pick<EvaluationDependencies, "runs" | "planLimits" | "helpers" | "checkEndpoint">;

/** Checks a request and stores its run. Rejects with a `ServiceError`; nothing was stored then. */
export async function createRun(
  body: unknown,
  { runs, planLimits, helpers, checkEndpoint }: RunMakers,
  options: Omit<NewRunOptions, "warnings">,
): Promise<Extract<CreatedRun, { outcome: "created" | "replayed" }>> {
  const request = validate(EvaluationRequest, body);
  const plan = planRun(request, planLimits, helpers);
  for (const endpoint of planEndpoints(plan)) checkEndpoint(endpoint);
  const created = await runs.create(plan, { ...options, warnings: unknownFields(EvaluationRequest, body) });
  if (created.outcome !== "mismatch") return created;
  throw new ServiceError("idempotency_mismatch", "This Idempotency-Key was used for a request with another body.");
}
