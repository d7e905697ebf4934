import { expect, test } from "vitest";
import { History, Protocol } from "../../contract/schemas/evaluation-request.ts";
import { historyChoices, protocolChoices } from "./eval.ts";

test("offers exactly the protocols and histories of the contract", () => {
  expect(protocolChoices).toEqual(Protocol.options);
  expect(historyChoices).toEqual(History.options);
});
