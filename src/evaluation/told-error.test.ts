import { expect, test } from "vitest";
import { toldError } from "./told-error.ts";

test.each([
  ["ENOENT: no such file or directory, open '/srv/rehearsal/secret/model.bin'", "open 'model.bin'"],
  ["Cannot find module 'file:///srv/rehearsal/scorers.mjs' imported from /srv/rehearsal/main.js", "from main.js"],
  ["EACCES: permission denied, open 'C:\\Users\\anna\\model.bin'", "open 'model.bin'"],
])("where files lie on this machine is not told: %s", (message, end) => {
  const told = toldError(new Error(message));
  expect(told.endsWith(end)).toBe(true);
  expect(told).not.toMatch(/srv|anna/);
});

test.each([
  "HTTP 500 from https://judge.example.com/v1/chat/completions",
  "1/2 and/or 3",
  "data/score must be a number",
])("what is no file's path is told as it is: %s", (message) => {
  expect(toldError(new Error(message))).toBe(message);
});
