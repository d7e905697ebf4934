import { expect, test } from "vitest";
import { moneyText, publicErrorMessage } from "./format.ts";

test.each([
  [0.2, "$0.20"],
  [12.34, "$12"],
  [99.6, "$100"],
  [1_234, "$1,200"],
  [0.000_000_5, "$0.00000050"],
])("%d dollars are %s", (dollars, text) => {
  expect(moneyText(dollars)).toBe(text);
});

test.each([
  ["ENOENT: no such file or directory, open '/srv/rehearsal/secret/model.bin'", "open 'model.bin'"],
  ["Cannot find module 'file:///srv/rehearsal-eval/scorers.mjs' imported from /srv/rehearsal/main.js", "from main.js"],
  ["EACCES: permission denied, open 'C:\\Users\\anna\\model.bin'", "open 'model.bin'"],
])("hides directories of this machine: %s", (message, end) => {
  const told = publicErrorMessage(new Error(message));
  expect(told.endsWith(end)).toBe(true);
  expect(told).not.toMatch(/srv|anna/);
});

test.each([
  "HTTP 500 from https://judge.example.com/v1/chat/completions",
  "1/2 and/or 3",
  "data/score must be a number",
])("keeps text that is not a file path: %s", (message) => {
  expect(publicErrorMessage(new Error(message))).toBe(message);
});
