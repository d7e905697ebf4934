import { isRecord } from "../../base/json.ts";
import { errorKinds, type ErrorCode } from "../../contract/errors.ts";
import type { FailedResponse } from "../outbound/status-failure.ts";
import type { Explanation } from "../outbound/status-failure.ts";
import { parseJson } from "./parse-json.ts";

/** Codes that mean something else when it is not us but the agent under test that says them. */
const seenFromOutside: Partial<Record<ErrorCode, ErrorCode>> = {
  model_id_missing: "model_not_found",
  model_id_invalid: "model_not_found",
  auth_missing: "upstream_auth",
  auth_invalid: "upstream_auth",
  auth_expired: "upstream_auth",
  scope_missing: "upstream_auth",
  rate_limited: "upstream_rate_limited",
  request_timeout: "upstream_timeout",
  internal_error: "upstream_error",
  overloaded: "upstream_error",
  shutting_down: "upstream_error",
  storage_unavailable: "upstream_error",
  storage_full: "upstream_error",
};

const passedOn = new Set<string>(["model_not_found", "context_length_exceeded", "budget_exceeded"]);

/**
 * What a problem body of another Rehearsal-style agent means to us. Its upstream codes, `model_not_found`,
 * `context_length_exceeded` and `budget_exceeded` keep their meaning; a model id it cannot route is an unknown model;
 * codes about our request to it become `upstream_rejected`.
 */
export function explainAgentProblem({ status, body }: FailedResponse): Explanation | null {
  const problem = parseJson(body);
  const code = isRecord(problem) ? problem["code"] : undefined;
  if (typeof code !== "string" || !Object.hasOwn(errorKinds, code)) return null;
  const known = code as ErrorCode;
  const kept = known.startsWith("upstream_") || passedOn.has(known);
  const meaning = kept ? known : (seenFromOutside[known] ?? "upstream_rejected");
  if (meaning === "model_not_found") {
    return { code: meaning, detail: `HTTP ${status}: the agent does not know this model (${known}).` };
  }
  return { code: meaning, detail: `The agent answered HTTP ${status} with ${known}.` };
}
