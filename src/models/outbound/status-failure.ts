import { isRetryable, type ErrorCode } from "../../contract/errors.ts";
import type { Operation } from "../credentials.ts";
import type { Again, Failure } from "./failure.ts";

/** An answer that is not a success, as an adapter sees it when it is asked what the answer means. */
export interface FailedResponse {
  readonly status: number;
  readonly url: URL;
  readonly contentType: string;
  readonly body: string;
}

/** Reads a provider's own error format. Null: the status says it all. The text of the body must not be passed on. */
export type ExplainFailure = (response: FailedResponse) => Explanation | null;

/** What a failure means, in our own words. */
export interface Explanation {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The endpoint says that it takes no tools for this model. */
  readonly refusesTools?: true;
  /** The endpoint takes tools for this model, but not so many. */
  readonly tooManyTools?: true;
  /** The endpoint says that it gives no structured output for this model. */
  readonly refusesFormat?: true;
  /** A filter of the endpoint refused what was said. */
  readonly refusesContent?: true;
  /** The account at the endpoint is empty. */
  readonly lacksCredit?: true;
  /** The model asked for a tool in a way that the endpoint could not read. */
  readonly unreadableCall?: true;
}

const again: Readonly<Record<number, Again>> = {
  408: "if-idempotent",
  425: "safe",
  429: "safe",
  500: "if-idempotent",
  502: "if-idempotent",
  503: "if-idempotent",
  504: "if-idempotent",
  // What Cloudflare says of a server behind it that broke down, is not reached or took too long.
  520: "if-idempotent",
  521: "safe",
  522: "safe",
  523: "safe",
  524: "if-idempotent",
  529: "if-idempotent",
};

/**
 * What a status other than 2xx means. An explanation that cannot be cured by waiting also stops the retries. If no
 * credential was sent, our own text counts before the endpoint's: it names the missing setting.
 */
export function statusFailure(
  response: FailedResponse,
  options: CredentialFacts & { explain?: ExplainFailure | undefined; retryAfterMs?: number | undefined },
): Failure {
  const explained = options.explain?.(response);
  const lacksKey = isAuthStatus(response.status) && explained?.code === "upstream_auth" && !options.hasCredential;
  const explanation = explained && !lacksKey ? explained : meaningOfStatus(response, options);
  const { code } = explanation;
  return {
    ...explanation,
    status: response.status,
    again: isRetryable(code) ? (again[response.status] ?? "no") : "no",
    retryAfterMs: options.retryAfterMs,
  };
}

/** Tells a wrong key from a missing one. */
interface CredentialFacts {
  readonly hasCredential: boolean;
  /** True when the origin has a credential that does not cover this call. */
  readonly isWithheld?: boolean;
  readonly operation?: Operation | undefined;
  /** What to set when it is missing. */
  readonly keyVariable?: string | undefined;
}

/** The meaning of a bare status. */
export function meaningOfStatus(
  { status, url }: Pick<FailedResponse, "status" | "url">,
  facts: CredentialFacts,
): Explanation {
  if (isAuthStatus(status)) {
    return { code: "upstream_auth", detail: `HTTP ${status}: ${url.origin} ${credentialTrouble(url, facts)}.` };
  }
  if (status === 429) return { code: "upstream_rate_limited", detail: `HTTP 429: ${url.host} limits the rate.` };
  if (status === 404 || status === 405) {
    return { code: "upstream_rejected", detail: `HTTP ${status} at ${url.pathname}: check the path of the endpoint.` };
  }
  if (status === 402) return withoutCredit("HTTP 402", url);
  if (status === 408 || status === 425) return { code: "upstream_error", detail: `HTTP ${status} from ${url.host}.` };
  if (status >= 500) return { code: "upstream_error", detail: `HTTP ${status} from ${url.host}.` };
  return { code: "upstream_rejected", detail: `HTTP ${status}: ${url.host} rejected the request.` };
}

function isAuthStatus(status: number): boolean {
  return status === 401 || status === 403;
}

function credentialTrouble(
  { pathname }: URL,
  { hasCredential, isWithheld = false, operation, keyVariable }: CredentialFacts,
): string {
  if (hasCredential) return "refused the credential that is bound to this origin";
  if (!isWithheld) {
    return `wants a credential, and none is bound to this origin${keyVariable === undefined ? "" : `: set ${keyVariable}`}`;
  }
  const place = operation === "agent" ? `an agent at ${pathname}` : pathname;
  const advice = keyVariable === undefined ? "" : `: to send one there, set ${keyVariable}`;
  return `wants a credential. The key bound to this origin is not sent to ${place}${advice}`;
}

/** An account that is empty: no wait cures that, and another provider may. */
export function withoutCredit(where: string, { host }: URL): Explanation {
  return { code: "upstream_rejected", detail: `${where}: the account at ${host} has no credit.`, lacksCredit: true };
}
