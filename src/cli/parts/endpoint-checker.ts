import { ServiceError } from "../../contract/service-error.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";

/** Refuses an endpoint that can be judged before any call, so that nothing is stored for it. */
export function endpointChecker(outbound: Outbound): (planned: { pointer: string; endpoint: string }) => void {
  return ({ pointer, endpoint }) => {
    const check = outbound.checkEndpoint(endpoint);
    if (check.ok) return;
    throw new ServiceError(check.code, check.detail, {
      errors: [{ pointer, code: check.code, message: check.detail, received: endpoint.slice(0, 80) }],
    });
  };
}
