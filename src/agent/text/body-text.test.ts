import { expect, test } from "vitest";
import { decodeText } from "./body-text.ts";

const cyrillic = Buffer.from([0xc4, 0xee, 0xf1, 0xf2, 0xe0, 0xe2, 0xea, 0xe0]);
const page = (head: string, body: Uint8Array) => Buffer.concat([Buffer.from(`<html>${head}<p>`), body]);

test.each([
  ["UTF-8", Buffer.from("Größe 5 €")],
  ["UTF-8 with a mark", Buffer.from("\ufeffGröße 5 €")],
  ["UTF-16", Buffer.from("\ufeffGröße 5 €", "utf16le")],
  ["UTF-16, big end first", Buffer.from("\ufeffGröße 5 €", "utf16le").swap16()],
  ["windows-1252", Buffer.from([0x47, 0x72, 0xf6, 0xdf, 0x65, 0x20, 0x35, 0x20, 0x80])],
])("decodes text in %s", (_, bytes) => {
  expect(decodeText(bytes)).toBe("Größe 5 €");
});

test.each([
  '<meta charset="windows-1251">',
  "<META CHARSET=windows-1251>",
  '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
])("decodes a page that declares %s", (head) => {
  expect(decodeText(page(head, cyrillic))).toContain("<p>Доставка");
});

test("prefers a byte order mark, a declaration or valid UTF-8 to the page's own declaration", () => {
  const head = '<meta charset="windows-1251">';
  const utf8 = page(head, Buffer.from("Доставка"));
  expect(decodeText(utf8)).toContain("<p>Доставка");
  expect(decodeText(page('<meta charset="utf-8">', cyrillic), { declared: "windows-1251" })).toContain("<p>Доставка");
});

test("decodes ISO-2022-JP and ignores an unknown character set", () => {
  const escape = "\u001b";
  const japanese = Buffer.from(`${escape}$B4A;z${escape}(B`);
  expect(decodeText(page('<meta charset="iso-2022-jp">', japanese))).toContain("<p>漢字");
  expect(decodeText(page('<meta charset="klingon">', Buffer.from("é")), { declared: "none" })).toContain("<p>é");
});
