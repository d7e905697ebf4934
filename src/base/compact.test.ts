import { expect, expectTypeOf, test } from "vitest";
import { compact } from "./compact.ts";

interface Answer {
  status: "passed" | "failed";
  reason?: string;
  labels?: readonly string[];
}

test("undefined fields are left out, all others stay", () => {
  const fields = { zero: 0, empty: "", no: false, nothing: null, list: [undefined], inside: { missing: undefined } };
  const result = compact({ ...fields, missing: undefined });
  expect(Object.keys(result)).toEqual(Object.keys(fields));
  expect(result).toStrictEqual(fields);
});

test("the result fits a type with exact optional fields", () => {
  const answer = (reason: string | undefined): Answer => compact({ status: "failed", reason, labels: ["a"] });
  expect(answer(undefined)).toStrictEqual({ status: "failed", labels: ["a"] });
  expect(answer("late")).toStrictEqual({ status: "failed", reason: "late", labels: ["a"] });
  expectTypeOf(compact({ reason: undefined as string | undefined })).toEqualTypeOf<{ reason?: string }>();
});

test("a field of the wrong type or a missing one does not compile", () => {
  // @ts-expect-error: `reason` is a text
  const wrong: Answer = compact({ status: "failed", reason: 1 as number | undefined });
  // @ts-expect-error: `status` is required
  const missing: Answer = compact({ status: undefined as "failed" | undefined });
  expect([wrong, missing]).toHaveLength(2);
});
