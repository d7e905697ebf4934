import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly, withoutScores } from "../support/sample-runs.ts";

interface ScreenCase {
  readonly name: string;
  readonly path: string;
  /** Brings the screen into the state to look at. */
  readonly prepare: (page: Page) => Promise<unknown>;
}

const run = `/runs/${nightly.run_id}`;
const screens: readonly ScreenCase[] = [
  { name: "runs", path: "/runs", prepare: (page) => page.getByText("nightly support").waitFor() },
  { name: "no match", path: "/runs?name=x", prepare: (page) => page.getByText("No run matches").waitFor() },
  { name: "unknown run", path: "/runs/nope", prepare: (page) => page.getByRole("alert").waitFor() },
  { name: "scenarios", path: run, prepare: (page) => page.getByText("angry-customer").waitFor() },
  { name: "scores", path: `${run}?tab=scores`, prepare: (page) => page.getByText("macro F1").waitFor() },
  { name: "failed turns", path: `${run}?tab=failures`, prepare: (page) => page.getByText("First one").waitFor() },
  { name: "details", path: `${run}?tab=details`, prepare: (page) => page.getByText("Scoring version").waitFor() },
  {
    name: "transcript",
    path: `${run}/refund-status/2?across=1`,
    prepare: (page) => page.locator("ins").first().waitFor(),
  },
  {
    name: "failed turn",
    path: `${run}/order%2Fstatus%20%C3%BCn%C3%AFcode%3F/2`,
    prepare: (page) => page.getByText("Request failed:").waitFor(),
  },
  {
    name: "new run",
    path: "/new?start=demo",
    prepare: async (page) => {
      await page.getByLabel("Model").fill("");
      await page.getByRole("button", { name: "Start run" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "chat",
    path: "/chat?model=demo/tools&second=demo/refused",
    prepare: async (page) => {
      await page.getByLabel("Message", { exact: true }).fill("Hi");
      await page.keyboard.press("Enter");
      await page.getByText("1 tool call").click();
      await page.getByRole("combobox", { name: "Second model" }).click();
    },
  },
  { name: "help", path: "/runs", prepare: (page) => page.keyboard.press("?") },
];

export function accessibilitySuite(browser: () => Browser): void {
  test.each(["light", "dark"] as const)("axe finds nothing wrong on any screen in the %s theme", async (theme) => {
    await using services = await startFakeServices({ runs: [nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services, theme });
    const found: string[] = [];
    for (const { name, path, prepare } of screens) {
      await tab.open(path);
      await tab.page.getByRole("navigation", { name: "Main" }).waitFor();
      await prepare(tab.page);
      found.push(...(await axeViolations(tab.page)).map((line) => `${name}: ${line}`));
    }
    expect([...found, ...tab.mishaps]).toEqual([]);
  });

  test("no screen scrolls sideways at 390 pixels", async () => {
    await using services = await startFakeServices({ runs: [nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    const found: string[] = [];
    for (const { name, path, prepare } of screens) {
      await tab.open(path);
      await tab.page.getByRole("navigation", { name: "Main" }).waitFor();
      await prepare(tab.page);
      const wide = await tab.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      if (wide !== 0) found.push(`${name}: ${String(wide)} pixels too wide`);
    }
    expect(found).toEqual([]);
  });

  test("the theme can be chosen and is kept", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    const theme = tab.page.getByRole("button", { name: /Theme/ });
    await theme.click();
    await theme.click();
    await tab.page.locator('html[data-theme="dark"]').waitFor();
    await tab.page.reload();
    expect(await tab.page.locator("html").getAttribute("data-theme")).toBe("dark");
  });
}
