import type { RunPolicy } from "../../contract/schemas/endpoint-policy.ts";
import { truncateText } from "../../base/text.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { scrub } from "../../services/http/scrub.ts";

/** Refuses an endpoint that can be judged before any call, so that nothing is stored for it. */
export function endpointChecker(
  outbound: Outbound,
): (planned: { pointer: string; endpoint: string }, runPolicy?: RunPolicy | null) => void {
  return ({ pointer, endpoint }, runPolicy) => {
    const check = outbound.checkEndpoint(endpoint, { runPolicy });
    if (check.ok) return;
    const isNeverCalled = check.code === "endpoint_not_allowed" && check.reason === "address";
    throw new ServiceError(check.code, check.detail, {
      ...(isNeverCalled && { hint: "Use another endpoint: EVAL_ENDPOINT_ALLOW cannot allow this address." }),
      errors: [{ pointer, code: check.code, message: check.detail, received: describe(endpoint) }],
    });
  };
}

/** A short look at an endpoint. What stands before an @ may be a password, which is not repeated in an error. */
function describe(endpoint: string): string {
  const withoutUser = endpoint.replace(/^([a-z][a-z+.-]*:\/\/)?.*@/is, "$1[redacted]@");
  return truncateText(scrub(withoutUser), 80);
}
