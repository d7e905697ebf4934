import { expect, test } from "vitest";
import { warnOfReadableFiles } from "./check-variables.ts";

const warnings = (mode: number | null, environment: Record<string, string>) =>
  warnOfReadableFiles(environment, { alsoSecret: ["MY_KEY"], modeOf: () => mode });

test("warns about a secret file that every user can read", () => {
  expect(warnings(0o100644, { HUB_API_KEY_FILE: "/run/key" })).toEqual([
    "HUB_API_KEY_FILE names a file that every user of this machine can read: restrict it with chmod 600",
  ]);
  expect(warnings(0o100444, { MY_KEY_FILE: "/run/key" })).toHaveLength(1);
});

test("does not warn about private files, unknown permissions and files without secrets", () => {
  expect(warnings(0o100600, { HUB_API_KEY_FILE: "/run/key" })).toEqual([]);
  expect(warnings(0o100640, { HUB_API_KEY_FILE: "/run/key" })).toEqual([]);
  expect(warnings(null, { HUB_API_KEY_FILE: "/run/key" })).toEqual([]);
  expect(warnings(0o100644, { REHEARSAL_PRICES_FILE: "/etc/prices.json" })).toEqual([]);
});
