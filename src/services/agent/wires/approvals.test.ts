import { expect, test } from "vitest";
import { fromApprovalId, toApprovalId, toDecision } from "./approvals.ts";

test("names an approval by its run and its call, also when the call's id contains a colon", () => {
  expect(fromApprovalId(toApprovalId("run-1", "functions.pay:0"))).toEqual({
    runId: "run-1",
    callId: "functions.pay:0",
  });
  expect(fromApprovalId("run-1")).toBeNull();
});

test("cuts a long reason between two characters", () => {
  expect(toDecision({ approved: false, reason: "No." })).toEqual({ deny: "No." });
  expect(toDecision({ approved: false, reason: `a${"🙂".repeat(1000)}` })).toEqual({ deny: `a${"🙂".repeat(999)}…` });
});

test("approves only when explicitly approved", () => {
  expect(toDecision({ approved: true, reason: "Fine." })).toBe("approve");
  expect(toDecision({ reason: "" })).toBe("deny");
});
