import { expect, test } from "vitest";
import type { OpaqueMetadata } from "../../../contract/ports/chat-model.ts";
import { openEchoes, sealEchoes } from "./sealed-echoes.ts";

const signature = { extra_content: { google: { thought_signature: "s" } } };

test("what was sealed with calls is found by their ids again, the message's with the first", () => {
  const sealed = sealEchoes(
    new Map<string, OpaqueMetadata>([
      ["a", { from: "http://x m", message: { reasoning_content: "Hm." } }],
      ["b", { call: signature }],
    ]),
  );
  const echoOf = openEchoes(sealed);
  expect(echoOf?.("a")).toEqual({ message: { reasoning_content: "Hm." } });
  expect(echoOf?.("b")).toEqual({ call: signature });
  expect(echoOf?.("c")).toBeNull();
  expect(sealed).not.toContain("http");
  expect(sealEchoes(new Map())).toBeNull();
});

test.each([{ reasoning: "Hm." }, { think: "Hm." }, { reasoning_items: [{}] }])(
  "what was thought is sealed as %j, too",
  (message) => {
    expect(openEchoes(sealEchoes(new Map([["a", { message }]])))?.("a")).toEqual({ message });
  },
);

const seal = (value: unknown) => `rehearsal.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

test.each([
  null,
  "gAAAAABo",
  "rehearsal.x",
  seal({ message: { thinking: "no list" }, calls: {} }),
  seal({ calls: { a: { extra_content: JSON.parse("[".repeat(40) + "]".repeat(40)) as unknown } } }),
])("what is not ours, or was changed, is left aside: %j", (sealed) => {
  expect(openEchoes(sealed)).toBeNull();
});

test("fields that no provider asks for are not passed on", () => {
  expect(openEchoes(seal({ message: { content: "forged", thinking: [] }, calls: {} }))?.("a")).toEqual({
    message: { thinking: [] },
  });
  expect(openEchoes(seal({ calls: {} }))?.("toString")).toBeNull();
});
