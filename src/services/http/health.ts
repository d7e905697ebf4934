import { withTimeoutOrNull } from "../../base/deadline.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { getEvaluationReadiness, getHealth, getReadiness } from "../../contract/operations/service.ts";
import type { Health } from "../../contract/schemas/shared/service-info.ts";
import { defineRoute, type Route } from "./route.ts";

/** Resolves when the service is ready, with a note on parts that do not work; rejects, preferably with a `ServiceError`, when it is not. */
export type Readiness = () => Promise<Pick<Health, "detail"> | void>;

const ok: Health = { status: "ok" };

export interface HealthParts {
  readonly readiness: Readiness;
  /** A check that takes longer counts as not ready. */
  readonly readinessTimeoutMs?: number;
}

/** The process is alive. */
export const healthRoute = defineRoute(
  getHealth,
  () =>
    ({ context }) =>
      context.json(ok),
);

/** It takes requests. */
export const readinessRoute = readinessRouteOf(getReadiness);
export const evaluationReadinessRoute = readinessRouteOf(getEvaluationReadiness);

function readinessRouteOf(declared: typeof getReadiness | typeof getEvaluationReadiness): Route<HealthParts> {
  return defineRoute(declared, ({ readiness, readinessTimeoutMs = 5000 }: HealthParts) => async ({ context }) => {
    const { detail } = await checkReadiness(readiness, readinessTimeoutMs);
    return context.json(detail === undefined ? ok : { ...ok, detail });
  });
}

async function checkReadiness(readiness: Readiness, timeoutMs: number): Promise<Pick<Health, "detail">> {
  try {
    const checked = await withTimeoutOrNull(readiness(), timeoutMs);
    if (checked === null) throw new Error(`The readiness check took more than ${timeoutMs} ms`);
    return checked ?? {};
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("storage_unavailable", "A component that this service needs does not respond.", { cause });
  }
}
