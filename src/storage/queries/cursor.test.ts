import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors.ts";
import { parseCursor, parseIdCursor, toCursor, toIdCursor } from "./cursor.ts";

const plainId = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 64 })
  .filter((text) => !text.includes(" "));

test("a cursor gives back the position it was made from", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), plainId, (created_at, id) => {
      expect(parseCursor(toCursor({ created_at, id }))).toEqual({ created_at, id });
    }),
  );
});

test("any other text is refused as a mistake of the caller, never read as a position", () => {
  // Every cursor begins with the base64 of `[` or `"`.
  const other = fc.string().filter((text) => !/^[IW]/.test(text));
  fc.assert(
    fc.property(fc.oneof(other, fc.constantFrom("I@iI", "IiJ=", toIdCursor("a") + " ")), (text) => {
      expect(() => parseCursor(text)).toThrow(ServiceError);
      expect(() => parseIdCursor(text)).toThrow(ServiceError);
    }),
  );
});

test("a list in the order of its ids has a cursor for every id, and refuses one that none of its rows can have", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (id) => {
      expect(parseIdCursor(toIdCursor(id))).toBe(id);
    }),
  );
  expect(() => parseIdCursor(toIdCursor("\0"), (id) => id !== "\0")).toThrow(ServiceError);
  expect(() => parseCursor(toCursor({ created_at: 1, id: "\0" }))).toThrow(ServiceError);
});
