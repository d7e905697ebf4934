import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { sampleUpstreams } from "../support/sample-upstreams.ts";
import { deepTest } from "../../support/deep-test.ts";

/** Simulates the event of a browser that brings another tab to the front, and back. */
async function setVisibility(page: Page, state: "visible" | "hidden"): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  `);
}

const oneTurn = { model_id: "demo/flaky", test_batch: { id: "a", interactions: [{ user_message: "hi" }] } };

export function hiddenPageSuite(browser: () => Browser): void {
  test("a hidden page follows nothing, and catches up when it is seen again", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    await tab.stopClock();
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    await expect.poll(() => services.runs.followers()).toBe(1);

    await setVisibility(tab.page, "hidden");
    await expect.poll(() => services.runs.followers()).toBe(0);
    const before = services.requests.length;
    services.runs.finish();
    await tab.page.clock.runFor(600_000);
    expect(services.requests).toHaveLength(before);

    await setVisibility(tab.page, "visible");
    await tab.page.getByRole("link", { name: "Run again" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("lists that are asked for again and again are left alone while hidden", async () => {
    await using services = await startFakeServices({ upstreams: sampleUpstreams });
    await using tab = await openTab({ browser: browser(), services });
    services.runs.start(oneTurn);
    await tab.stopClock();
    let asked = 0;
    tab.page.on("request", () => (asked += 1));
    for (const [path, shown] of [
      ["/runs", "1 attempt"],
      ["/models", "demo/flaky paused"],
    ] as const) {
      await setVisibility(tab.page, "visible");
      await tab.open(path);
      await tab.page.getByText(shown).first().waitFor();
      const seen = asked;
      await tab.page.clock.runFor(30_000);
      await expect.poll(() => asked).toBeGreaterThan(seen);
      await setVisibility(tab.page, "hidden");
      await tab.page.waitForLoadState("networkidle");
      const before = asked;
      await tab.page.clock.runFor(600_000);
      expect([path, asked]).toEqual([path, before]);
    }
    expect(tab.mishaps).toEqual([]);
  });
}
