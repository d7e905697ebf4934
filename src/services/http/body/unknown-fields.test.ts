import { expect, test } from "vitest";
import { z } from "zod";
import { AgentRequest } from "../../../contract/schemas/agent/agent-message.ts";
import { EvaluationRequest } from "../../../contract/schemas/evaluation-request.ts";
import { unknownFields } from "./unknown-fields.ts";

const turn = { id: "i", user_message: "Hi" };
const request = { test_batch: { id: "s", interactions: [turn] }, endpoint: "http://m", model_id: "m" };

test("does not warn about known fields and metadata", () => {
  const metadata = { anything: { goes: [{ here: 1 }] } };
  expect(unknownFields(EvaluationRequest, { ...request, metadata, parameters: { extra: { top_k: 3 } } })).toEqual([]);
});

test("names the nearest known field for a misspelled one", () => {
  expect(unknownFields(EvaluationRequest, { ...request, atempts: 3, zzzzzz: 1 })).toEqual([
    {
      pointer: "/atempts",
      message: '"atempts" is not a field of this request and was ignored',
      suggestion: "attempts",
    },
    { pointer: "/zzzzzz", message: '"zzzzzz" is not a field of this request and was ignored' },
  ]);
});

test("finds fields deep inside a scenario, in both forms of the batch", () => {
  const interactions = [turn, { ...turn, user_mesage: "x" }];
  const one = unknownFields(EvaluationRequest, { ...request, test_batch: { id: "s", interactions } });
  const many = unknownFields(EvaluationRequest, {
    ...request,
    test_batch: [request.test_batch, { id: "t", interactions }],
  });
  expect(one.map(({ pointer }) => pointer)).toEqual(["/test_batch/interactions/1/user_mesage"]);
  expect(many.map(({ pointer }) => pointer)).toEqual(["/test_batch/1/interactions/1/user_mesage"]);
});

test("uses the union member with the right discriminator", () => {
  const messages = [{ type: "human", content: "x", tool_call_id: "1" }];
  expect(unknownFields(AgentRequest, { messages }).map(({ pointer }) => pointer)).toEqual(["/messages/0/tool_call_id"]);
});

test("checks a field that may be a string when it is an object", () => {
  const scorers = ["chrf", { type: "contains", text: "x", ignorecase: true }];
  expect(unknownFields(EvaluationRequest, { ...request, scorers })).toMatchObject([
    { pointer: "/scorers/1/ignorecase", suggestion: "ignore_case" },
  ]);
});

test("warns about names of Object.prototype like any other", () => {
  expect(unknownFields(z.object({ a: z.string() }), { toString: 1 }).map(({ pointer }) => pointer)).toEqual([
    "/toString",
  ]);
});

test("takes time in proportion to deep free-form values", () => {
  let value: unknown = "leaf";
  for (let depth = 0; depth < 30; depth += 1) value = [value];
  expect(unknownFields(EvaluationRequest, { ...request, metadata: { value } })).toEqual([]);
});

test("unwraps schemas, accepts loose objects, and limits the list", () => {
  const schema = z.object({
    inner: z.object({ a: z.string() }).nullable().default(null),
    loose: z.looseObject({}).optional(),
  });
  expect(unknownFields(schema, { inner: { b: 1 }, loose: { c: 1 } }).map(({ pointer }) => pointer)).toEqual([
    "/inner/b",
  ]);
  expect(
    unknownFields(schema, Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]))),
  ).toHaveLength(100);
});

test.each([
  ["in every turn of one scenario", (turns: object[]) => ({ id: "s", interactions: turns })],
  ["in every scenario of a batch", (turns: object[]) => turns],
])("stops when the list is full: %s", (_name, toBatch) => {
  let looked = 0;
  const ownKeys = () => {
    looked += 1;
    return ["x"];
  };
  const turns = Array.from({ length: 1000 }, () => new Proxy({ x: 1 }, { ownKeys }));
  expect(unknownFields(EvaluationRequest, { ...request, test_batch: toBatch(turns) })).toHaveLength(100);
  expect(looked).toBeLessThan(500);
});
