import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Reader } from "../tables/database.ts";
import { createPageReader, parseCursor, parseIdCursor, toCursor, toIdCursor } from "./paging.ts";

const plainId = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 64 })
  .filter((text) => !text.includes(" "));

test("parses a cursor back to its position", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), plainId, (created_at, id) => {
      expect(parseCursor(toCursor({ created_at, id }))).toEqual({ created_at, id });
    }),
  );
});

test("refuses any other text as a validation error", () => {
  // Every cursor begins with the base64 of `[` or `"`.
  const other = fc.string().filter((text) => !/^[IW]/.test(text));
  fc.assert(
    fc.property(fc.oneof(other, fc.constantFrom("I@iI", "IiJ=", toIdCursor("a") + " ")), (text) => {
      expect(() => parseCursor(text)).toThrow(ServiceError);
      expect(() => parseIdCursor(text)).toThrow(ServiceError);
    }),
  );
});

test("has a cursor for every id of a list, and refuses impossible ids", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (id) => {
      expect(parseIdCursor(toIdCursor(id))).toBe(id);
    }),
  );
  expect(() => parseIdCursor(toIdCursor("\0"), (id) => id !== "\0")).toThrow(ServiceError);
  expect(() => parseCursor(toCursor({ created_at: 1, id: "\0" }))).toThrow(ServiceError);
});

test("switches to the reader's thread after a slow page", async () => {
  const [here, there] = [{}, {}] as [Reader, Reader];
  let time = 0;
  const sources: string[] = [];
  const readPage = createPageReader({ reader: here, longReader: there }, () => time);
  const pageOf = (ms: number) =>
    readPage(async (from) => {
      sources.push(from === here ? "here" : "there");
      time += ms;
      return ms;
    });

  const pages = [await pageOf(1), await pageOf(10), await pageOf(11), await pageOf(1), await pageOf(50)];
  expect(pages).toEqual([1, 10, 11, 1, 50]);
  expect(sources).toEqual(["here", "here", "here", "there", "there"]);
});
