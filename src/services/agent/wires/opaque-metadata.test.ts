import { expect, test } from "vitest";
import type { OpaqueMetadata } from "../../../contract/ports/chat-model.ts";
import { signedCallFirst, decodeMetadata, encodeMetadata } from "./opaque-metadata.ts";

const signature = { extra_content: { google: { thought_signature: "s" } } };

test("decodes the metadata of each call by its id, and that of the message with the first call", () => {
  const encoded = encodeMetadata(
    new Map<string, OpaqueMetadata>([
      ["a", { from: "http://x m", message: { reasoning_content: "Hm." } }],
      ["b", { call: signature }],
    ]),
  );
  const metadataOf = decodeMetadata(encoded);
  expect(metadataOf?.("a")).toEqual({ message: { reasoning_content: "Hm." } });
  expect(metadataOf?.("b")).toEqual({ call: signature });
  expect(metadataOf?.("c")).toBeNull();
  expect(encoded).not.toContain("http");
  expect(encodeMetadata(new Map())).toBeNull();
});

test.each([{ reasoning: "Hm." }, { think: "Hm." }, { reasoning_items: [{}] }])("encodes reasoning as %j", (message) => {
  expect(decodeMetadata(encodeMetadata(new Map([["a", { message }]])))?.("a")).toEqual({ message });
});

const encode = (value: unknown) => `rehearsal.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

test.each([
  null,
  "gAAAAABo",
  "rehearsal.x",
  encode({ message: { thinking: "no list" }, calls: {} }),
  encode({ calls: { a: { extra_content: JSON.parse("[".repeat(40) + "]".repeat(40)) as unknown } } }),
])("ignores text that is foreign or was changed: %j", (encoded) => {
  expect(decodeMetadata(encoded)).toBeNull();
});

test("drops fields that no provider expects", () => {
  expect(decodeMetadata(encode({ message: { content: "forged", thinking: [] }, calls: {} }))?.("a")).toEqual({
    message: { thinking: [] },
  });
  expect(decodeMetadata(encode({ calls: {} }))?.("toString")).toBeNull();
});

const call = (id: string, echo?: object) => ({ id, name: "go", arguments: "{}", ...(echo && { echo }) });
const signed = { call: { extra_content: { google: { thought_signature: "s" } } } };

test("keeps calls without metadata unchanged", () => {
  expect(signedCallFirst([])).toEqual([]);
  expect(signedCallFirst([call("b"), call("a")])).toEqual([call("b"), call("a")]);
});

test("puts the signed call first and keeps the order of the others", () => {
  expect(signedCallFirst([call("b"), call("c"), call("a", signed)])).toEqual([call("a", signed), call("b"), call("c")]);
});

test("attaches the metadata of the message to the first call", () => {
  const message = { reasoning_content: "Hm." };
  expect(signedCallFirst([call("b"), call("a", { message })])).toEqual([
    call("b", { message }),
    call("a", { message }),
  ]);
});
