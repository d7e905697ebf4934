import { expect, test } from "vitest";
import { z } from "zod";
import { ServiceError, type FieldError } from "../../../contract/errors/errors.ts";
import { AgentRequest } from "../../../contract/schemas/agent/agent-message.ts";
import { ResumeRequest } from "../../../contract/schemas/agent/agent-run.ts";
import { EvaluationRequest } from "../../../contract/schemas/evaluation-request.ts";
import { RunListQuery } from "../../../contract/schemas/run.ts";
import { Choices } from "../../../scoring/checks/rubric.ts";
import { validate, validateQuery } from "./validate.ts";

function refusal(schema: z.ZodType, value: unknown): ServiceError {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("The value was accepted");
}

const errorsOf = (schema: z.ZodType, value: unknown): readonly FieldError[] => refusal(schema, value).errors ?? [];

const request = {
  test_batch: { id: "s", interactions: [{ id: "i", user_message: "Hi" }] },
  endpoint: "http://m",
  model_id: "m",
};

test("returns a valid request typed, with its defaults", () => {
  expect(validate(EvaluationRequest, request)).toMatchObject({ attempts: 1, protocol: "openai-chat" });
});

test.each([
  [0, "too_small", "must be at least 1", "0"],
  [-1, "too_small", "must be at least 1", "-1"],
  [1.5, "invalid_union", "must be a whole number or an object, not a fraction", "1.5"],
  ["3", "invalid_union", "must be a number or an object, not a string", "3"],
  [true, "invalid_union", "must be a number or an object, not a boolean", "true"],
  [null, "invalid_union", "must be a number or an object, not null", "null"],
  [JSON.parse("1e400"), "invalid_union", "must be a number or an object, not too large a number", "Infinity"],
])("refuses attempts %j in plain words", (attempts, code, message, received) => {
  const [error, ...others] = errorsOf(EvaluationRequest, { ...request, attempts });
  expect(others).toEqual([]);
  expect(error).toEqual({ pointer: "/attempts", code, message, received });
});

test("names the first missing field and counts the rest", () => {
  const error = refusal(EvaluationRequest, { test_batch: request.test_batch });
  expect(error.errors).toEqual([
    { pointer: "/endpoint", code: "required", message: "is required" },
    { pointer: "/model_id", code: "required", message: "is required" },
  ]);
  expect(error.message).toBe("/endpoint is required (and 1 more)");
  expect(errorsOf(EvaluationRequest, {})[0]).toEqual({
    pointer: "/test_batch",
    code: "required",
    message: "is required",
  });
});

test("reports an error inside the union member that was meant", () => {
  expect(
    errorsOf(EvaluationRequest, { ...request, test_batch: { id: 1, interactions: 2 } }).map(({ pointer, message }) => [
      pointer,
      message,
    ]),
  ).toEqual([
    ["/test_batch/id", "must be a string, not a number"],
    ["/test_batch/interactions", "must be an array, not a number"],
  ]);
  expect(
    errorsOf(EvaluationRequest, { ...request, test_batch: [request.test_batch, { id: "x" }] }).map(
      ({ pointer }) => pointer,
    ),
  ).toEqual(["/test_batch/1/interactions"]);
});

test("names every member of a union that a value does not match", () => {
  const messageOf = (schema: z.ZodType, value: unknown) => errorsOf(schema, value).map(({ message }) => message);
  expect(errorsOf(EvaluationRequest, { ...request, test_batch: 3 })).toEqual([
    {
      pointer: "/test_batch",
      code: "invalid_union",
      message: "must be an object or an array, not a number",
      received: "3",
    },
  ]);
  expect(messageOf(ResumeRequest, { decisions: { a: "maybe", b: 1 } })).toEqual([
    'must be "approve", "deny" or an object',
    'must be "approve", "deny" or an object, not a number',
  ]);
  expect(messageOf(z.union([z.literal("x"), z.union([z.null(), z.string()])]), true)).toEqual([
    'must be "x", null or a string, not a boolean',
  ]);
});

test("prefers the union member that requires no certain value", () => {
  const forms = z.array(z.union([z.object({ type: z.literal("file") }), z.object({ type: z.string() })]));
  expect(errorsOf(forms, [{}])).toEqual([{ pointer: "/0/type", code: "required", message: "is required" }]);
});

test("refuses attempts that stop at a narrow interval, and names the alternative", () => {
  const attempts = { min: 3, max: 20, ci_width: 0.1 };
  expect(errorsOf(EvaluationRequest, { ...request, attempts })).toContainEqual({
    pointer: "/attempts/until",
    code: "required",
    message: expect.stringMatching(/^must be "decided" \(\{min, max, ci_width\} is no longer supported/),
  });
  expect(errorsOf(EvaluationRequest, { ...request, attempts: "5" })).toMatchObject([{ pointer: "/attempts" }]);
  const until = (against: object) => ({ ...request, attempts: { until: "decided", against } });
  expect(errorsOf(EvaluationRequest, until({ threshold: 0.5, run: "r" }))).toMatchObject([
    { pointer: "/attempts/against", message: "must name one of model_id, variant, run and threshold to compare with" },
  ]);
  expect(errorsOf(EvaluationRequest, until({ threshold: 0.5, endpoint: "http://x" }))).toMatchObject([
    { pointer: "/attempts/against/endpoint", message: "can only be given together with model_id" },
  ]);
});

test("returns the value as sent in received", () => {
  const choices = { ["x".repeat(65)]: 1, no: 0 };
  expect(errorsOf(z.object({ choices: Choices }), { choices })[0]?.received).toBe("x".repeat(65));
});

test("names the valid values for a wrong discriminator", () => {
  expect(errorsOf(AgentRequest, { messages: [{ type: "system", content: "x" }] })).toEqual([
    {
      pointer: "/messages/0/type",
      code: "invalid_union",
      message: 'must be one of "human", "ai", "tool"',
      received: "system",
    },
  ]);
  expect(errorsOf(AgentRequest, { messages: [{ role: "user", content: "x" }] })).toEqual([
    { pointer: "/messages/0/type", code: "required", message: 'must be one of "human", "ai", "tool"' },
  ]);
});

test("prefers a schema's own message, and escapes pointers", () => {
  const [error] = errorsOf(EvaluationRequest, { ...request, test_batch: { ...request.test_batch, id: "a\nb" } });
  expect(error).toMatchObject({
    pointer: "/test_batch/id",
    message: "must not hold control characters",
    received: "a\nb",
  });
  expect(errorsOf(z.object({ "a/b~c": z.string() }), {})[0]?.pointer).toBe("/a~1b~0c");
});

test("cuts received at 80 characters, without objects and keys", () => {
  const received = (value: unknown) => errorsOf(z.object({ a: z.boolean() }), { a: value })[0]?.received;
  expect(received("x".repeat(5000))).toBe(`${"x".repeat(80)}…`);
  expect(received({ secret: 1 })).toBe("an object");
  expect(received("Bearer abcdefghijklmnop")).toBe("Bearer [redacted]");
});

test("reports a query parameter that is not a number", () => {
  const [error] = errorsOf(RunListQuery, { limit: "abc" });
  expect(error).toMatchObject({ pointer: "/limit", message: "must be a number", received: "abc" });
  expect(() => validateQuery(RunListQuery, { limit: ["0"] })).toThrow("The query parameter limit must be at least 1");
});

test("does not report the size of a value of the wrong type", () => {
  const test_batch = { id: [], interactions: "" };
  expect(errorsOf(EvaluationRequest, { ...request, test_batch }).map(({ message }) => message)).toEqual([
    "must be a string, not an array",
    "must be an array, not a string",
  ]);
  const missing = { ...request, endpoint: undefined, model_id: undefined };
  expect(errorsOf(EvaluationRequest, missing)).toHaveLength(2);
});

test("refuses a repeated query parameter, and ignores an unknown one", () => {
  expect(() => validateQuery(RunListQuery, { state: ["completed", "failed"] })).toThrow(
    "The query parameter state was sent 2 times; send it once",
  );
  expect(validateQuery(RunListQuery, { limit: ["5"], other: ["1", "2"] })).toEqual({ limit: 5 });
});

test("refuses a body of the wrong type as a whole", () => {
  expect(refusal(AgentRequest, []).message).toBe("The body must be an object, not an array");
});

test("limits the list of errors", () => {
  const error = refusal(
    z.array(z.string()),
    Array.from({ length: 5000 }, () => 1),
  );
  expect(error.errors).toHaveLength(50);
  expect(error.message).toContain("4999 more");
});

const many = (length: number, item: unknown): unknown[] => Array.from({ length }, () => item);
const scenarioWith = (fields: object) => [{ id: "s", interactions: [{ id: "i", user_message: "Hi", ...fields }] }];

test.each([
  ["interactions", [{ id: "s", interactions: many(200_000, 0) }], "/test_batch/0/interactions/0 must be an object"],
  ["references", scenarioWith({ references: many(200_000, 0) }), "/test_batch/0/interactions/0/references/0 must be"],
])("reports one error of a very large body: %s", (_, test_batch, detail) => {
  const { code, errors, message } = refusal(EvaluationRequest, { ...request, test_batch });
  expect(code).toBe("validation_failed");
  expect(message).toContain(detail);
  expect(errors?.length).toBeLessThan(5);
});

test("refuses more errors than the parser can hold", () => {
  const test_batch = [{ id: "s", interactions: many(300_000, { id: "", user_message: "" }) }];
  expect(refusal(EvaluationRequest, { ...request, test_batch }).code).toBe("validation_failed");
});
