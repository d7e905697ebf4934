import { expect, test } from "vitest";
import { normalize } from "./normalize.ts";
import { tokenize } from "./tokenize.ts";

test.each([
  ["24\u{2011}hour", "24-hour", "a hyphen that does not break"],
  ["5–10 days", "5-10 days", "the dash of a range"],
  ["−5 °C", "-5 °C", "a minus sign"],
  ["„Hallo“ ‚Welt‘", "\"Hallo\" 'Welt'", "low quotes"],
  ["re\u{AD}fund", "refund", "a soft hyphen"],
  ["שלום\u{200F} עולם", "שלום עולם", "a mark of direction"],
  ["\u{2066}refund\u{2069}", "refund", "isolates"],
  ["re\u{200B}fund\u{2060}ed\u{FEFF}", "refunded", "what has no width"],
  ["❤\u{FE0F} 葛\u{E0100}", "❤ 葛", "how a sign looks"],
  ["น\u{E4D}\u{E49}\u{E32}", "น\u{E49}\u{E33}", "a Thai vowel in two signs, the tone between them"],
  ["ນ\u{ECD}\u{EC9}\u{EB2}", "ນ\u{EC9}\u{EB3}", "a Lao one"],
  ["İADE EDİLDİ", "iade edildi", "a capital i with its dot"],
  ["5½ cups", "5 1/2 cups", "a fraction behind a number"],
])("%j is %j: %s", (text, plain) => {
  expect(normalize(text)).toBe(normalize(plain));
  expect(tokenize(text)).toEqual(tokenize(plain));
});

test.each([
  ["10² m", "102 m"],
  ["می\u{200C}خواهم", "میخواهم"],
  ["👩\u{200D}💻", "👩💻"],
  ["well—no", "well-no"],
  ["👍🏽", "👍"],
])("%j is not %j", (text, other) => {
  expect(normalize(text)).not.toBe(normalize(other));
});
