import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceError } from "../../contract/service-error.ts";
import { parseCursor, toCursor } from "./cursor.ts";

test("a cursor gives back the position it was made from", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.string({ unit: "binary" }), (created_at, id) => {
      expect(parseCursor(toCursor({ created_at, id }))).toEqual({ created_at, id });
    }),
  );
});

test("any other text is refused as a mistake of the caller, never read as a position", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => parseCursor(text)).toThrow(ServiceError);
    }),
  );
});
