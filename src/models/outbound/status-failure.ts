import { redactKeys } from "../../base/secret.ts";
import { isRetryable } from "../../contract/errors/errors.ts";
import type { ModelOperation } from "./credentials.ts";
import type { Again, Explanation, Failure } from "./failure.ts";

/** An answer with an error status, as adapters get it to explain it. */
export interface FailedResponse {
  readonly status: number;
  readonly url: URL;
  readonly contentType: string;
  readonly body: string;
}

/** Reads a provider's error format. Null: the status decides. The body's text must not be passed on. */
export type ExplainFailure = (response: FailedResponse) => Explanation | null;

const again: Readonly<Record<number, Again>> = {
  408: "if-idempotent",
  425: "safe",
  429: "safe",
  500: "if-idempotent",
  502: "if-idempotent",
  503: "if-idempotent",
  504: "if-idempotent",
  // Cloudflare, when the server behind it is broken, unreachable or too slow.
  520: "if-idempotent",
  521: "safe",
  522: "safe",
  523: "safe",
  524: "if-idempotent",
  529: "if-idempotent",
};

/**
 * Explains an error status. An explanation that waiting cannot cure also stops the retries. If no credential was sent, our
 * own text replaces the adapter's: it names the missing setting.
 */
export function statusFailure(
  response: FailedResponse,
  options: CredentialFacts & { explain?: ExplainFailure | undefined; retryAfterMs?: number | undefined },
): Failure {
  const explained = options.explain?.(response);
  const lacksKey = isAuthStatus(response.status) && explained?.code === "upstream_auth" && !options.hasCredential;
  const explanation = explained && !lacksKey ? explained : meaningOfAnswer(response, options);
  const { code } = explanation;
  return {
    ...explanation,
    status: response.status,
    again: isRetryable(code) ? (again[response.status] ?? "no") : "no",
    retryAfterMs: options.retryAfterMs,
  };
}

/** Distinguishes a wrong key from a missing one. */
interface CredentialFacts {
  readonly hasCredential: boolean;
  /** True when the origin has a credential that does not cover this call. */
  readonly isWithheld?: boolean;
  readonly operation?: ModelOperation | undefined;
  /** The setting that is missing. */
  readonly keyVariable?: string | undefined;
}

/** An address that exists says itself what it did not find, in other words than a server that has nothing at the path. */
function meaningOfAnswer(response: FailedResponse, facts: CredentialFacts): Explanation {
  const { status, url, body } = response;
  if (status !== 404 || !namesMissing(body)) return meaningOfStatus(response, facts);
  const detail = `HTTP 404 at ${url.pathname}: the endpoint did not find something that the request names.`;
  return { code: "upstream_rejected", detail };
}

const noPath =
  /^(?:error:? ?)?(?:404\b|(?:the )?(?:requested )?(?:page|path|route|url|resource|endpoint|handler)\b|not[ _-]?found|no (?:such )?(?:route|path|handler|page|endpoint)|cannot (?:get|post|put|patch)\b|(?:invalid|unknown|unrecognized) (?:url|path|route|request url|endpoint)|file not found|nothing)/i;

function namesMissing(body: string): boolean {
  let message: unknown = body;
  try {
    const answer = JSON.parse(body) as { error?: unknown; message?: unknown; detail?: unknown } | null;
    const { error, message: own, detail } = answer ?? {};
    const inner = (error as { message?: unknown } | null | undefined)?.message;
    message = [inner, own, detail, error].find((found) => typeof found === "string" && found !== "");
  } catch {
    // The text itself is the message.
  }
  if (typeof message !== "string") return false;
  const text = message.trim();
  return text !== "" && !text.startsWith("<") && !noPath.test(text);
}

/** Explains a status without its body. */
export function meaningOfStatus(
  { status, url }: Pick<FailedResponse, "status" | "url">,
  facts: CredentialFacts,
): Explanation {
  if (isAuthStatus(status)) {
    return { code: "upstream_auth", detail: `HTTP ${status}: ${url.origin} ${credentialTrouble(url, facts)}.` };
  }
  if (status === 429) return { code: "upstream_rate_limited", detail: `HTTP 429: ${url.host} limits the rate.` };
  if (status === 404 || status === 405) {
    return {
      code: "upstream_rejected",
      detail: `HTTP ${status} at ${redactKeys(url.pathname)}: check the path of the endpoint.`,
    };
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
  if (hasCredential) return "refused the credential that was sent";
  if (!isWithheld) {
    return `wants a credential, and none is bound to this origin${keyVariable === undefined ? "" : `: set ${keyVariable}`}`;
  }
  const path = redactKeys(pathname);
  const place = operation === "agent" ? `an agent at ${path}` : path;
  const advice = keyVariable === undefined ? "" : `: to send one there, set ${keyVariable}`;
  return `wants a credential. The key bound to this origin is not sent to ${place}${advice}`;
}

/** An account without credit: waiting does not help, another provider may. */
export function withoutCredit(where: string, { host }: URL): Explanation {
  return { code: "upstream_rejected", detail: `${where}: the account at ${host} has no credit.`, lacksCredit: true };
}
