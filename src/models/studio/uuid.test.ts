import { expect, test } from "vitest";
import { canonicalUuid, isUuid } from "./uuid.ts";

const uuid = "3F2504E0-4F89-11D3-9A0C-0305E82C3301";

test.each([
  uuid,
  uuid.toLowerCase(),
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "11111111-1111-1111-1111-111111111111",
  "3f2504e04f8911d39a0c0305e82c3301",
  `{${uuid}}`,
  `urn:uuid:${uuid}`,
  `URN:UUID:${uuid}`,
])("%s is a UUID", (value) => {
  expect(isUuid(value)).toBe(true);
});

test.each([
  "",
  "support-v2",
  `${uuid}0`,
  uuid.slice(1),
  `{${uuid}`,
  `${uuid}}`,
  `urn:${uuid}`,
  `${uuid}\n`,
  uuid.replace("E", "G"),
  "3f2504e04f8911d3-9a0c0305e82c3301",
])("%j is not a UUID", (value) => {
  expect(isUuid(value)).toBe(false);
});

test("every spelling of one UUID compares alike", () => {
  const spellings = [uuid, uuid.toLowerCase(), uuid.replaceAll("-", ""), `{${uuid}}`, `urn:uuid:${uuid}`];
  expect(new Set(spellings.map(canonicalUuid))).toEqual(new Set([uuid.toLowerCase()]));
});
