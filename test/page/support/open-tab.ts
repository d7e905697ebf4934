import type { Browser, Page } from "playwright-core";
import type { FakeServices } from "./fake-services.ts";

interface Tab extends AsyncDisposable {
  readonly page: Page;
  /** Everything that must not happen: page errors, policy violations, dialogs, requests to elsewhere. */
  readonly mishaps: readonly string[];
  open(path: string): Promise<void>;
}

interface TabOptions {
  readonly browser: Browser;
  readonly services: FakeServices;
  readonly width?: number;
  readonly theme?: "light" | "dark";
}

export async function openTab({ browser, services, width = 1280, theme = "light" }: TabOptions): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  // Against what hangs only: on a busy machine a page takes long to load.
  page.setDefaultTimeout(60_000);
  const mishaps = watchMishaps(page, [services.origin, services.evaluation, "data:", "blob:"]);

  return {
    page,
    mishaps,
    async open(path) {
      await page.goto(services.origin + path, { waitUntil: "load" });
    },
    async [Symbol.asyncDispose]() {
      await context.close();
    },
  };
}

/** Everything that must not happen on a page whose requests may only go to addresses that start as `own` does. */
export function watchMishaps(page: Page, own: readonly string[]): readonly string[] {
  const mishaps: string[] = [];
  page.on("request", (request) => {
    if (!own.some((start) => request.url().startsWith(start))) mishaps.push(`request to ${request.url()}`);
  });
  page.on("pageerror", (error) => mishaps.push(`page error: ${error.message}`));
  page.on("dialog", (dialog) => {
    mishaps.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    // A failed answer is logged by the browser itself; everything else that is an error is ours.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      mishaps.push(message.text());
  });
  return mishaps;
}
