import { compact } from "../../src/base/compact.ts";
import { errorKinds, type ErrorCode } from "../../src/contract/errors/errors.ts";
import type { OpenAiError, Problem } from "../../src/contract/errors/problem.ts";

interface ApiErrorOptions extends ErrorOptions {
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
  readonly status: number | null;
  readonly retryable?: boolean;
  readonly fields?: Problem["errors"];
  readonly suggestions?: Problem["suggestions"];
  readonly requestId?: string | null;
}

/** A failed request. The message is the title shown to the user. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
  /** Null when there was no response, or when the error came in the middle of a stream. */
  readonly status: number | null;
  readonly retryable: boolean;
  readonly fields: NonNullable<Problem["errors"]>;
  readonly suggestions: readonly string[];
  readonly requestId: string | null;

  constructor(title: string, options: ApiErrorOptions) {
    super(title, options);
    this.code = options.code;
    this.detail = options.detail;
    this.hint = options.hint;
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.fields = options.fields ?? [];
    this.suggestions = options.suggestions ?? [];
    this.requestId = options.requestId ?? null;
  }
}

interface ErrorText {
  readonly title: string;
  readonly hint: string;
}

/** Title and hint of an error code, also of one that is newer than this page. */
export const errorText = (code: string): ErrorText =>
  isKnown(code)
    ? errorKinds[code]
    : { title: code.replaceAll("_", " "), hint: "See the details above, or the service's log." };

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(errorKinds, code);

interface PageText extends Partial<ErrorText> {
  /** Empty when the page's title already says it. */
  readonly detail?: string;
}

/** Texts of the contract that name routes or headers, in terms of what the page offers instead. */
const pageTexts: Partial<Record<ErrorCode, PageText>> = {
  validation_failed: { title: "Some values are not valid", hint: "Correct them and try again." },
  auth_missing: { title: "API key required", detail: "", hint: "Enter your key. Your administrator can create one." },
  auth_invalid: { hint: "Check the key for typos and enter it again." },
  auth_expired: { hint: "Enter a new key. Your administrator can create one." },
  scope_missing: { hint: "Ask your administrator for a key with this scope and enter it in Settings." },
  run_not_found: { hint: "It may have been deleted. Runs lists the runs that exist." },
  run_already_finished: { hint: "Reload the page to see the result." },
  run_not_finished: { hint: "Wait until it finishes, then try again." },
  not_found: { hint: "Reload the page: it may be from another version than the service." },
  model_id_missing: { title: "No model selected", detail: "", hint: "Pick a model above." },
  model_id_invalid: {
    title: "Unknown model",
    detail: "",
    hint: "Pick a model from the list above, or type it as provider/model.",
  },
  model_not_found: { hint: "Pick a model from the list above. Models shows the known ones." },
  body_too_large: {
    title: "Request too large",
    detail: "",
    hint: "See the limit in Settings; an administrator can raise it.",
  },
};

/** The error behind a response that is not 2xx. */
export async function errorFromResponse(response: Response): Promise<ApiError> {
  const problem = await readProblem(response);
  return problem ? errorFromProblem(problem, response.status) : unreadableResponse(response);
}

/** The error of a problem document; `status` is null inside a stream. */
export function errorFromProblem(problem: Partial<Problem>, status: number | null): ApiError {
  const code = problem.code ?? `http_${status ?? "error"}`;
  const fallback = isKnown(code) ? errorKinds[code] : { title: `The service answered ${status ?? "with an error"}` };
  const texts: PageText = { ...fallback, ...problem, ...(isKnown(code) && pageTexts[code]) };
  return new ApiError(texts.title ?? code, {
    code,
    detail: texts.detail ?? "",
    hint: texts.hint ?? "",
    status,
    retryable: problem.retryable ?? false,
    fields: problem.errors,
    suggestions: problem.suggestions,
    requestId: problem.request_id ?? null,
  });
}

async function readProblem(response: Response): Promise<Partial<Problem> | null> {
  try {
    const body = (await response.json()) as Partial<Problem> & Partial<OpenAiError>;
    return "code" in body ? body : fromOpenAiError(body.error);
  } catch {
    return null;
  }
}

/** The routes for OpenAI clients report errors in OpenAI's format. */
function fromOpenAiError(error: Partial<OpenAiError["error"]> | undefined): Partial<Problem> | null {
  const { code, message } = error ?? {};
  return code ? compact({ code: code as ErrorCode, detail: message }) : null;
}

/** A response that is not ours, or was changed by a proxy. */
export function unreadableResponse(response: Response): ApiError {
  return new ApiError(`The service answered ${response.status}`, {
    code: `http_${response.status}`,
    detail: `${new URL(response.url).pathname} sent a response this page cannot read.`,
    hint: "Check that Rehearsal runs at this address, and check proxies in between.",
    status: response.status,
    retryable: response.status >= 500,
  });
}

/** The connection ended in the middle of a response. Aborts by the page itself are passed through. */
export function interruptedResponse(cause?: unknown): Error {
  if (cause instanceof DOMException && cause.name === "AbortError") return cause;
  return new ApiError("The response was cut off", {
    code: "stream_ended",
    detail: "The connection closed before the response was complete.",
    hint: "Try again. If it happens often, check proxies in between.",
    status: null,
    retryable: true,
    cause,
  });
}

/** No response: the service is stopped, the port is wrong or the network is down. */
export const unreachableService = (detail: string, cause: unknown): ApiError =>
  new ApiError("Cannot reach the service", {
    code: "service_unreachable",
    detail,
    hint: "Check that Rehearsal is running, then try again.",
    status: null,
    retryable: true,
    cause,
  });

/** True when the API key is missing, unknown or expired: only another key helps. */
export const isAuthError = (error: unknown): boolean => error instanceof ApiError && error.code.startsWith("auth_");

/** Any thrown value as an ApiError, so that every failure is shown in the same way. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError("Something went wrong in the page", {
    code: "page_error",
    detail: error instanceof Error ? error.message : String(error),
    hint: "Reload the page. If it happens again, please report it.",
    status: null,
  });
}
