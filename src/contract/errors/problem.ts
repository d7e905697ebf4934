import { compact } from "../../base/compact.ts";
import { z } from "zod";
import { errorKinds, isRetryable, type ErrorCode, type ServiceError } from "./errors.ts";

const codes = Object.keys(errorKinds) as [ErrorCode, ...ErrorCode[]];

const FieldProblem = z
  .object({
    pointer: z.string().describe("RFC 6901 pointer into the body, or `/name` of a query parameter."),
    code: z.string(),
    message: z.string(),
    received: z.string().optional(),
  })
  .meta({ id: "FieldProblem" });

/** RFC 9457 body of every response that is not 2xx. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes),
    detail: z.string(),
    instance: z.string(),
    request_id: z.string(),
    retryable: z.boolean(),
    hint: z.string(),
    errors: z.array(FieldProblem).optional(),
    suggestions: z.array(z.string()).optional(),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

/** The response body of an error. `detail` is the error's message, which is written for the client. */
export function toProblem(error: ServiceError, requestId: string): Problem {
  const kind = errorKinds[error.code];
  return compact({
    type: `urn:rehearsal:error:${error.code}`,
    title: kind.title,
    status: kind.status,
    code: error.code,
    detail: error.message,
    instance: `urn:rehearsal:request:${requestId}`,
    request_id: requestId,
    retryable: isRetryable(error.code),
    hint: error.hint ?? kind.hint,
    errors: error.errors ? error.errors.map((field) => ({ ...field })) : undefined,
    suggestions: error.suggestions ? [...error.suggestions] : undefined,
  });
}

/** A part of the request that has no effect, or a surprising one. */
export const Warning = z
  .object({ pointer: z.string(), message: z.string(), suggestion: z.string().optional() })
  .meta({ id: "Warning" });
export type Warning = z.infer<typeof Warning>;

/** Error body of the OpenAI-compatible routes, which live under `/v1/`. */
export const OpenAiError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: "OpenAiError" });

export type OpenAiError = z.infer<typeof OpenAiError>;
