import { expect, test, vi } from "vitest";
import { onShellGone } from "./shell-gone.ts";

function goneWith(script: string | undefined): boolean {
  vi.useFakeTimers();
  let parent = 100;
  let gone = false;
  onShellGone(() => (gone = true), { script, parent: () => parent });
  vi.advanceTimersByTime(5_000);
  expect(gone).toBe(false);
  parent = 1;
  vi.advanceTimersByTime(5_000);
  vi.useRealTimers();
  return gone;
}

test.each([
  ["node dist/cli/main.js serve", true],
  ["'rehearsal'", true],
  ["npm run build && rehearsal serve", true],
  ["rehearsal serve &", false],
  ["rehearsal serve > log & vite", false],
  ["vitest run", false],
])("started by the script %j, the end of its shell is told: %j", (script, told) => {
  expect(goneWith(script)).toBe(told);
});

test("who was not started by npm has no such shell", () => {
  vi.stubEnv("npm_lifecycle_script", undefined);
  expect(goneWith(undefined)).toBe(false);
  vi.unstubAllEnvs();
});
