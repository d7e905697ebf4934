import type { ErrorCode } from "./errors.ts";

/** One field that is wrong, addressed by an RFC 6901 pointer into the body. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
  readonly received?: string;
}

interface ServiceErrorOptions {
  readonly cause?: unknown;
  readonly hint?: string;
  readonly errors?: readonly FieldError[];
  readonly suggestions?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
}

/** A request to us that cannot be answered. The message is shown to the client: it names the value and what would be right. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly suggestions: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.errors = options.errors;
    this.suggestions = options.suggestions;
    this.headers = options.headers ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}
