/** Texts that have broken stores: each must come back code unit by code unit. */
export const hostileTexts: readonly (readonly [string, string])[] = [
  ["NUL", "a\u0000b\u0000"],
  ["every control character", Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("")],
  ["a lone high surrogate", "x\uD83Dy"],
  ["a lone low surrogate", "\uDE00x"],
  ["surrogates in the wrong order", "\uDE00\uD83D"],
  ["right-to-left override", "safe\u202Egnp.exe\u202C"],
  ["one megabyte of emoji", "👩‍👩‍👧‍👦🎭".repeat(45_000)],
  ["SQL", "'; drop table run; --"],
  ["a JSON path", "$.a[0]"],
  ["JSON", '{"a":"\\u0000"}'],
  ["line ends of all kinds", "a\r\nb\nc\rd\u2028e\u2029f\u0085g"],
  ["decomposed letters", "e\u0301 \u00e9 \u212B"],
  ["a byte order mark", "\uFEFFtext\uFFFE\uFFFF"],
  ["the name of an inherited property", "toString"],
  ["the name hasOwnProperty", "hasOwnProperty"],
];
