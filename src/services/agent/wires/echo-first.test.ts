import { expect, test } from "vitest";
import { echoFirst } from "./echo-first.ts";

const call = (id: string, echo?: object) => ({ id, name: "go", arguments: "{}", ...(echo && { echo }) });
const signed = { call: { extra_content: { google: { thought_signature: "s" } } } };

test("calls that nothing came with stay as they are", () => {
  expect(echoFirst([])).toEqual([]);
  expect(echoFirst([call("b"), call("a")])).toEqual([call("b"), call("a")]);
});

test("the call that its model signed leads, and the others keep their order", () => {
  expect(echoFirst([call("b"), call("c"), call("a", signed)])).toEqual([call("a", signed), call("b"), call("c")]);
});

test("what belongs to the message goes with whichever call leads", () => {
  const message = { reasoning_content: "Hm." };
  expect(echoFirst([call("b"), call("a", { message })])).toEqual([call("b", { message }), call("a", { message })]);
});
