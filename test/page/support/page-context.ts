import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll } from "vitest";
import { launchChromium } from "./chromium.ts";
import { pageFolder } from "./serve-page.ts";

/** Starts one browser for all suites of a test file. Builds the page if `npm test` has not done so. */
export function useBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    if (!existsSync(join(pageFolder, "report.html"))) {
      await build({ root: join(pageFolder, ".."), logLevel: "error" });
    }
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  return () => browser;
}
