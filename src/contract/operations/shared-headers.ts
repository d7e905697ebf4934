import { isRetryable, type ErrorCode } from "../errors.ts";
import type { AnswerHeaders } from "./operation.ts";

/** Headers that answers of every route have or may have, whatever the route. */
export const sharedHeaders = {
  "x-request-id": {
    description: "The id of the request: what the client sent under this name, or a new one. Also in the log.",
    required: true,
  },
  "rehearsal-version": { description: "The version of the service.", required: true },
  "retry-after": { description: "Seconds to wait before the same request is sent again.", type: "integer" },
  "www-authenticate": { description: "How to show a key.", required: true },
} as const satisfies AnswerHeaders;

export type SharedHeader = keyof typeof sharedHeaders;

export const everyAnswer: readonly SharedHeader[] = ["x-request-id", "rehearsal-version"];

/** What an answer with one of `codes` may have of them. */
export function sharedHeadersOf(codes: readonly ErrorCode[]): readonly SharedHeader[] {
  return [
    ...everyAnswer,
    ...(codes.some(isRetryable) ? (["retry-after"] as const) : []),
    ...(codes.includes("auth_missing") ? (["www-authenticate"] as const) : []),
  ];
}
