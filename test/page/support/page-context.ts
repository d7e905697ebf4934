import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { built } from "../../support/build-once.ts";
import { bringsChromium, launchChromium } from "./chromium.ts";

/** Builds the page and starts one browser for all suites of a test file. Without a browser its tests are skipped, and say why. */
export function useBrowser(): () => Browser {
  let browser: Browser;
  let missing: string | undefined;
  beforeAll(async () => {
    await built("page");
    try {
      browser = await launchChromium();
    } catch (error) {
      // Where there must be one, tests that did not run must not look like tests that passed.
      if (bringsChromium || process.env["CI"] || process.env["CHROMIUM_PATH"]) throw error;
      missing = error instanceof Error ? error.message : String(error);
    }
  });
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });
  afterAll(() => (missing === undefined ? browser.close() : undefined));
  return () => browser;
}
