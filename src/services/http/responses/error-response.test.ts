import { expect, test } from "vitest";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { errorResponse, toOpenAiError } from "./error-response.ts";

test.each([
  ["auth_invalid", "authentication_error"],
  ["scope_missing", "permission_error"],
  ["rate_limited", "rate_limit_error"],
  ["upstream_error", "server_error"],
  ["validation_failed", "invalid_request_error"],
] as const)("%s is a %s", (code, type) => {
  expect(toOpenAiError(new ServiceError(code, "No."))).toEqual({ error: { message: "No.", type, param: null, code } });
});

test("names the field as OpenAI's clients print it", () => {
  const errors = [{ pointer: "/messages/0/a~1b", code: "custom", message: "is wrong" }];
  expect(toOpenAiError(new ServiceError("validation_failed", "No.", { errors })).error.param).toBe("messages[0].a/b");
});

test("reports a too long conversation in words that clients recognise", () => {
  const { message } = toOpenAiError(new ServiceError("context_length_exceeded", "No.")).error;
  expect(message).toMatch(/^No\. .*exceeds the context window.*is longer than the model's context length/);
});

test.each([
  ["upstream_rejected", "/v1/responses", "false"],
  ["upstream_error", "/v1/responses", null],
  ["upstream_rejected", "/", null],
] as const)("%s at %s tells OpenAI's clients whether to try again: %s", (code, path, told) => {
  const answer = errorResponse(new ServiceError(code, "No."), { requestId: "1", path });
  expect(answer.headers.get("x-should-retry")).toBe(told);
});
