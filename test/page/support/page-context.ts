import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { built } from "../../support/build-once.ts";
import { launchChromium } from "./chromium.ts";

/** Builds the page and starts one browser for all suites of a test file. */
export function useBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    await built("page");
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  return () => browser;
}
