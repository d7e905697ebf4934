import { expect, test } from "vitest";
import { History, ModelProtocol } from "../../contract/schemas/evaluation-request.ts";
import { historyChoices, protocolChoices } from "./eval.ts";

test("offers exactly the protocols and histories of the contract", () => {
  expect(protocolChoices).toEqual([...ModelProtocol.options, "ag-ui", "a2a"]);
  expect(historyChoices).toEqual(History.options);
});
