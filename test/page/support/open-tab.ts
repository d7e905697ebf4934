import type { Browser, BrowserContext, Page } from "playwright-core";
/** Addresses of the page, which the agent backend serves, and of the evaluation service. */
export interface PageServices {
  readonly origin: string;
  readonly evaluation: string;
}

interface Tab extends AsyncDisposable {
  readonly page: Page;
  /** Everything that must not happen: page errors, policy violations, dialogs, requests to elsewhere. */
  readonly mishaps: readonly string[];
  /** Loads the page the first time; afterwards goes to the path as a link of the page does, which is ten times as fast. */
  open(path: string): Promise<void>;
  /** Loads the page at the path as a new visitor does, with what the tab has stored. */
  load(path: string): Promise<void>;
  /** Stops the page's clock, which `page.clock.runFor` moves on from here. */
  stopClock(options?: { time?: number }): Promise<void>;
}

interface TabOptions {
  readonly browser: Browser;
  readonly services: PageServices;
  readonly width?: number;
  readonly theme?: "light" | "dark";
}

/** A context that tabs use one after the other: it has the page's scripts compiled. */
const sharedContexts = new WeakMap<Browser, { context: BrowserContext; free: boolean }>();

export async function openTab({ browser, services, width = 1280, theme = "light" }: TabOptions): Promise<Tab> {
  const shared = sharedContexts.get(browser) ?? { context: await newContext(browser), free: true };
  sharedContexts.set(browser, shared);
  const isShared = shared.free;
  shared.free = false;
  const context = isShared ? shared.context : await newContext(browser);
  const page = await context.newPage();
  await forgetEverything(page, services);
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: theme });
  // Against what hangs only: on a busy machine a page takes long to load.
  page.setDefaultTimeout(60_000);
  const mishaps = watchMishaps(page, [services.origin, services.evaluation, "data:", "blob:"]);
  const load = async (path: string): Promise<void> => {
    await page.goto(services.origin + path, { waitUntil: "load" });
  };

  return {
    page,
    mishaps,
    load,
    async open(path) {
      if (!page.url().startsWith(services.origin)) return load(path);
      await page.evaluate((to) => history.pushState(null, "", to), path);
    },
    async stopClock(options) {
      // A context cannot give its clock back.
      sharedContexts.delete(browser);
      await page.clock.install(options);
    },
    async [Symbol.asyncDispose]() {
      if (!isShared || sharedContexts.get(browser) !== shared) return context.close();
      await page.close();
      shared.free = true;
    },
  };
}

const newContext = (browser: Browser): Promise<BrowserContext> => browser.newContext({ reducedMotion: "reduce" });

async function forgetEverything(page: Page, services: PageServices): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const storageTypes = "local_storage,indexeddb";
  await session.send("Storage.clearDataForOrigin", { origin: services.origin, storageTypes });
  await session.detach();
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
