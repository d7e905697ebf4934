import { expect, test } from "vitest";
import { warnOfReadableFiles } from "./readable-files.ts";

const warnings = (mode: number | null, environment: Record<string, string>) =>
  warnOfReadableFiles(environment, { alsoSecret: ["MY_KEY"], modeOf: () => mode });

test("a secret in a file that everybody may read is warned about, by the name of its variable", () => {
  expect(warnings(0o100644, { HUB_API_KEY_FILE: "/run/key" })).toEqual([
    "HUB_API_KEY_FILE names a file that everybody on this machine may read: chmod 600 keeps it yours",
  ]);
  expect(warnings(0o100444, { MY_KEY_FILE: "/run/key" })).toHaveLength(1);
});

test("private files, files without such rights and files without secrets are nobody's business", () => {
  expect(warnings(0o100600, { HUB_API_KEY_FILE: "/run/key" })).toEqual([]);
  expect(warnings(0o100640, { HUB_API_KEY_FILE: "/run/key" })).toEqual([]);
  expect(warnings(null, { HUB_API_KEY_FILE: "/run/key" })).toEqual([]);
  expect(warnings(0o100644, { REHEARSAL_PRICES_FILE: "/etc/prices.json" })).toEqual([]);
});
