import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { launchChromium } from "./chromium.ts";
import { pageFolder } from "./serve-page.ts";

/** What every suite of the page shares; filled before the first test. */
export interface PageContext {
  browser: Browser;
}

/** The built page and a browser. `npm test` has built the page already. */
export async function startPageContext(): Promise<PageContext> {
  if (!existsSync(join(pageFolder, "report.html"))) {
    await build({ root: join(pageFolder, ".."), logLevel: "error" });
  }
  return { browser: await launchChromium() };
}
