import type { ErrorCode } from "../src/contract/errors.ts";
import type { OpenAiError } from "../src/contract/operations/openapi.ts";
import type { Problem } from "../src/contract/schemas/problem.ts";
import { requestWords } from "./parts/request-words.ts";

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

/** Why a request did not work, in words for the person at the page. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
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

/** The error behind an answer that is not 2xx, whether its body is a problem document or not. */
export async function fromResponse(response: Response): Promise<ApiError> {
  const problem = await readProblem(response);
  return problem ? fromProblem(problem, response.status) : notUnderstood(response);
}

/** The error a problem document tells of; `status` is null when it came in the middle of a stream. */
export function fromProblem(problem: Partial<Problem>, status: number | null): ApiError {
  const code = problem.code ?? `http_${status ?? "error"}`;
  const { title = problem.title, detail = problem.detail, hint = problem.hint } = requestWords(code);
  return new ApiError(title ?? `The service answered ${status ?? "with an error"}`, {
    code,
    detail: detail ?? "",
    hint: hint ?? "",
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

/** The routes for OpenAI's clients tell of a failure in OpenAI's form. */
function fromOpenAiError(error: Partial<OpenAiError["error"]> | undefined): Partial<Problem> | null {
  const { code, message } = error ?? {};
  return code ? { code: code as ErrorCode, ...(message !== undefined && { detail: message }) } : null;
}

/** An answer that nobody here can read: not ours, or changed on its way. */
export function notUnderstood(response: Response): ApiError {
  return new ApiError(`The service answered ${response.status}`, {
    code: `http_${response.status}`,
    detail: `${new URL(response.url).pathname} did not give an answer this page understands.`,
    hint: "Is something else listening at this address, or a proxy in between?",
    status: response.status,
    retryable: response.status >= 500,
  });
}

/** The connection ended in the middle of an answer. What was stopped on purpose stays what it is. */
export function brokenOff(cause?: unknown): Error {
  if (cause instanceof DOMException && cause.name === "AbortError") return cause;
  return new ApiError("The answer broke off", {
    code: "stream_ended",
    detail: "The connection ended before the answer had come to its end.",
    hint: "Try again. If it happens often, look at proxies in between.",
    status: null,
    retryable: true,
    cause,
  });
}

/** Nothing came: stopped service, wrong port, lost network. */
export const unreachable = (detail: string, cause: unknown): ApiError =>
  new ApiError("The service cannot be reached", {
    code: "service_unreachable",
    detail,
    hint: "Check that Rehearsal is still running, then try again.",
    status: null,
    retryable: true,
    cause,
  });

/** The service takes no key, or not this one: it will not by being asked again. */
export const isKeyRefused = (error: unknown): boolean => error instanceof ApiError && error.code.startsWith("auth_");

/** Any thrown thing as an ApiError, so that every failure is shown the same way. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError("Something went wrong in the page", {
    code: "page_error",
    detail: error instanceof Error ? error.message : String(error),
    hint: "Reload the page. If it happens again, please report it.",
    status: null,
  });
}
