import type { Page } from "playwright-core";

/**
 * The page's clock, which the test has taken over by `page.clock.install()`, goes on at once. What the page asks for by then is
 * seen by the listeners of the test when this returns: it is asked before the answer that is awaited here.
 */
export async function passTime(page: Page, milliseconds: number): Promise<void> {
  await page.clock.runFor(milliseconds);
  await page.evaluate(async () => void (await fetch("/page/config")));
}
