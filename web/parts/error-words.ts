import type { ErrorCode } from "../../src/contract/errors.ts";

/** Every code a model call can end with. A new one in the contract asks for its words here. */
type ModelFailure =
  | Extract<ErrorCode, `upstream_${string}`>
  | "context_length_exceeded"
  | "endpoint_address_refused"
  | "endpoint_invalid"
  | "endpoint_not_allowed"
  | "model_not_found"
  | "budget_exceeded";

interface ErrorWords {
  readonly title: string;
  readonly hint: string;
}

const words: Record<ModelFailure, ErrorWords> = {
  upstream_rate_limited: {
    title: "The provider limits the rate",
    hint: "Lower the concurrency or wait a little, then run again.",
  },
  upstream_unreachable: { title: "Nothing answers at the endpoint", hint: "Check that it runs at this host and port." },
  upstream_dns: { title: "The endpoint's name does not resolve", hint: "Check the host name for a typing mistake." },
  upstream_tls: { title: "No secure connection", hint: "Check https against http, and the certificate." },
  upstream_auth: {
    title: "The provider refused the credentials",
    hint: "Check the key bound to this address in the evaluation service's environment.",
  },
  upstream_rejected: {
    title: "The provider rejected the request",
    hint: "Check the model id, the parameters and what was said.",
  },
  upstream_error: { title: "The provider failed", hint: "Try again later; look at the provider's status." },
  upstream_reset: {
    title: "The provider closed the connection",
    hint: "Try again; check proxies and the provider's limits.",
  },
  upstream_redirect: { title: "The endpoint redirects", hint: "Use the final address; redirects are never followed." },
  upstream_invalid_reply: {
    title: "The answer could not be understood",
    hint: "Check that the endpoint speaks the chosen protocol.",
  },
  upstream_reply_too_large: { title: "The answer is too large", hint: "Lower max_tokens." },
  upstream_circuit_open: {
    title: "Paused after many failures",
    hint: "Calls resume by themselves; look at the failures before this one.",
  },
  upstream_timeout: {
    title: "The provider took too long",
    hint: "Try again, use a smaller request, or raise the upstream timeouts.",
  },
  context_length_exceeded: {
    title: "The conversation is too long for the model",
    hint: "Use fewer or shorter turns, or a model with a larger context.",
  },
  endpoint_address_refused: {
    title: "The endpoint's address may not be called",
    hint: "Link-local, metadata and the evaluation service's own addresses are always refused.",
  },
  endpoint_invalid: { title: "The endpoint is not a usable address", hint: "Give an absolute http or https URL." },
  endpoint_not_allowed: {
    title: "The endpoint is not allowed",
    hint: "Ask the operator to add its origin to EVAL_ENDPOINT_ALLOW.",
  },
  model_not_found: { title: "The endpoint does not know the model", hint: "Check the model id at that endpoint." },
  budget_exceeded: { title: "The budget is spent", hint: "Raise the budget or start a new run." },
};

/** Title and next step for an error code, also for one this page does not know yet. */
export const errorWords = (code: string): ErrorWords =>
  code in words
    ? words[code as ModelFailure]
    : { title: code.replaceAll("_", " "), hint: "The detail says more; the service's log has the cause." };
