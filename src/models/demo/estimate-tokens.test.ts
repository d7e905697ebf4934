import { expect, test } from "vitest";
import { cutToTokens, estimateTokens } from "./estimate-tokens.ts";

test.each([
  ["", 0],
  ["Hello", 1],
  ["Hello, world!", 4],
  ["replacement", 2],
  ["  \n ", 0],
  ["👍", 1],
])("%j is %i tokens", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test("a huge text is judged by its beginning", () => {
  expect(estimateTokens("word ".repeat(1_000_000))).toBe(1_000_000);
});

test("a text is cut at a token and never past the limit", () => {
  expect(cutToTokens("Hello, my friend", 3)).toBe("Hello, my");
  expect(cutToTokens("Hello, my friend", 4)).toBe("Hello, my friend");
  expect(cutToTokens("replacement", 1)).toBe("");
});
