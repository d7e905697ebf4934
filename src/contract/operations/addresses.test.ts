import { expect, test } from "vitest";
import { agentOperations } from "../../services/agent/app.ts";
import { evaluationOperations } from "../../services/evaluation/app.ts";
import { agentAddresses, evaluationAddresses, fillAddress } from "./addresses.ts";

test("every address has a route in its service", () => {
  const served = [evaluationOperations, agentOperations].map((operations) =>
    Object.fromEntries(operations.map(({ id, address }) => [id, address])),
  );
  expect(served).toEqual([evaluationAddresses, agentAddresses]);
});

test("fills in parameters, whatever characters they have", () => {
  expect(fillAddress("listRuns")).toEqual({ method: "GET", path: "/runs" });
  expect(fillAddress("cancelRun", { run_id: "a/b ?\ud800" }).path).toBe("/runs/a%2Fb%20%3F%EF%BF%BD/cancel");
  expect(fillAddress("getModel", { model: "org/a model" }).path).toBe("/v1/models/org/a%20model");
});
