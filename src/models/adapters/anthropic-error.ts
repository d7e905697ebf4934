import { isRecord } from "../../base/json.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { withoutCredit, type Explanation, type FailedResponse } from "../outbound/status-failure.ts";
import { explainErrorObject, explainOpenaiFailure } from "./openai-error.ts";
import { parseJson } from "./parse-json.ts";

const meanings: Readonly<Record<string, ErrorCode>> = {
  invalid_request_error: "upstream_rejected",
  request_too_large: "upstream_rejected",
  authentication_error: "upstream_auth",
  permission_error: "upstream_auth",
  not_found_error: "model_not_found",
  rate_limit_error: "upstream_rate_limited",
  timeout_error: "upstream_timeout",
  overloaded_error: "upstream_error",
  api_error: "upstream_error",
};

/** What an error status of the messages API meant. Gateways in front of it answer in OpenAI's shape: that is read too. */
export function explainAnthropicFailure(response: FailedResponse): Explanation | null {
  const { status, url, body } = response;
  const { type, message } = errorParts(errorIn(body));
  if (status === 529) return { code: "upstream_error", detail: `HTTP 529: ${url.host} is overloaded.` };
  if (type === "not_found_error" && message.startsWith("model")) {
    return { code: "model_not_found", detail: `HTTP ${status}: the endpoint does not know this model.` };
  }
  if (status === 400 && message.includes("credit balance")) {
    return withoutCredit("HTTP 400", url);
  }
  return explainOpenaiFailure(response);
}

/** What an error inside a 200 answer, or inside a stream, means. */
export function explainAnthropicError(error: unknown, url: URL): Explanation {
  const { type } = errorParts(error);
  const general = explainErrorObject(error, url);
  const code = Object.hasOwn(meanings, type) ? meanings[type] : undefined;
  if (!code || general.code !== "upstream_error") return general;
  return { code, detail: `The answer is an error (${type}) although HTTP called it a success.` };
}

function errorIn(body: string): unknown {
  const answer = parseJson(body);
  return isRecord(answer) ? answer["error"] : undefined;
}

/** Lower case and bounded; only searched, never passed on. */
function errorParts(error: unknown): { type: string; message: string } {
  if (!isRecord(error)) return { type: "", message: "" };
  return { type: part(error["type"]), message: part(error["message"]) };
}

function part(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 2000).toLowerCase() : "";
}
