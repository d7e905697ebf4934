import { expect, test } from "vitest";
import { readClientSettings } from "./client-settings.ts";
import { SettingsError } from "./settings-error.ts";

const readFile = (path: string): string => ({ "/run/key": "rh_from_file\n" })[path] ?? "";

test("reads services from the environment, and the key also from a file", () => {
  const settings = readClientSettings(
    { REHEARSAL_SERVER: " http://a:1 ", REHEARSAL_AGENT: "", REHEARSAL_API_KEY_FILE: "/run/key" },
    { readFile },
  );
  expect(settings).toMatchObject({ server: "http://a:1", agent: null });
  expect(settings.apiKey?.reveal()).toBe("rh_from_file");
});

test("refuses a key that no header can carry", () => {
  const pasted = { REHEARSAL_API_KEY: "rh_…" };
  expect(() => readClientSettings(pasted, { readFile })).toThrow(
    "REHEARSAL_API_KEY holds characters that no header can",
  );
});

test("refuses a key given twice", () => {
  const twice = { REHEARSAL_API_KEY: "x", REHEARSAL_API_KEY_FILE: "/run/key" };
  expect(() => readClientSettings(twice, { readFile })).toThrow(SettingsError);
});
