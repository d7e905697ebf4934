import { expect, test } from "vitest";
import { fromApprovalId, toApprovalId, toDecision } from "./approval-id.ts";

test("an approval is named by its run and its call, whatever the call's id holds", () => {
  expect(fromApprovalId(toApprovalId("run-1", "functions.pay:0"))).toEqual({
    runId: "run-1",
    callId: "functions.pay:0",
  });
  expect(fromApprovalId("run-1")).toBeNull();
});

test("a long reason is cut between two signs", () => {
  expect(toDecision({ approved: false, reason: "No." })).toEqual({ deny: "No." });
  expect(toDecision({ approved: false, reason: `a${"🙂".repeat(1000)}` })).toEqual({ deny: `a${"🙂".repeat(999)}…` });
});

test("only a yes approves", () => {
  expect(toDecision({ approved: true, reason: "Fine." })).toBe("approve");
  expect(toDecision({ reason: "" })).toBe("deny");
});
