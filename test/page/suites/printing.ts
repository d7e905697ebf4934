import type { Browser, Page } from "playwright-core";
import { extractText } from "unpdf";
import { expect } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly, nightlyAfter } from "../support/sample-runs.ts";
import { deepTest } from "../../support/deep-test.ts";

async function printed(page: Page): Promise<string> {
  const { text } = await extractText(new Uint8Array(await page.pdf()), { mergePages: true });
  return text;
}

/** Elements that would need scrolling to be seen. */
const cutOff = (page: Page): Promise<string[]> =>
  page
    .getByRole("region")
    .evaluateAll((regions) =>
      regions.filter((region) => region.scrollWidth > region.clientWidth + 1).map((region) => region.ariaLabel ?? ""),
    );

export function printingSuite(browser: () => Browser): void {
  deepTest("a run and a transcript are printed whole", async () => {
    const turns = Array.from({ length: 15 }, (_, index) => ({ overall: 0.2, reply: `Reply ${index + 1}.` }));
    const scenarios = Array.from({ length: 60 }, (_, index) => ({ id: `scenario-${index + 1}`, attempts: [turns] }));
    const run = makeResults({ id: "paper", name: "paper", scenarios });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/paper");
    await tab.page.getByRole("link", { name: "scenario-1", exact: true }).waitFor();
    const rows = new Set((await printed(tab.page)).match(/\bscenario-\d+/g));
    expect(rows.size).toBe(60);

    await tab.open("/runs/paper/scenario-1/1");
    await tab.page.getByRole("article", { name: "Turn 1" }).waitFor();
    expect((await printed(tab.page)).match(/\bReply \d+\./g)).toEqual(turns.map(({ reply }) => reply));
    await expect.poll(() => tab.page.getByRole("article").count()).toBeLessThan(15);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("tables are printed whole, whatever the paper", async () => {
    const labels = ["damage", "greeting", "order_change", "billing", "closing", "discount", "warranty", "delivery"];
    const confusion = Object.fromEntries(labels.map((label) => [label, { [label]: 3, unknown: 1 }]));
    const run = makeResults({ id: "labels", name: "labels", scenarios: [{ id: "s", attempts: [[{ overall: 0.5 }]] }] });
    const intent = { n: 32, accuracy: 0.75, macro_f1: 0.7, kappa: 0.6, confusion };
    const labelled = { ...run, summary: { ...run.summary, label_metrics: { intent } } };
    await using services = await startFakeServices({ runs: [nightly, nightlyAfter, labelled] });
    await using tab = await openTab({ browser: browser(), services });
    const paths = [
      `/compare?baseline=${nightly.run_id}&candidate=${nightlyAfter.run_id}`,
      "/runs/labels?tab=scores",
      "/runs",
    ];
    for (const path of paths) {
      await tab.page.emulateMedia({ media: "screen" });
      await tab.open(path);
      await tab.page.getByRole("table").first().waitFor();
      await tab.page.emulateMedia({ media: "print" });
      // A4 and Letter, upright and across, with the usual margins and without.
      for (const width of [718, 739, 794, 816, 979, 1046, 1123]) {
        await tab.page.setViewportSize({ width, height: 1000 });
        expect(await cutOff(tab.page), `${path} at ${width}`).toEqual([]);
      }
    }
  });

  deepTest("a chat is printed whole, in ink that can be read on paper", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services, theme: "dark" });
    await tab.open("/chat?model=demo/scripted");
    for (let count = 1; count <= 6; count += 1) {
      await tab.page.getByLabel("Message", { exact: true }).fill(`Question ${count}.${"\nMore.".repeat(10)}`);
      await tab.page.keyboard.press("Enter");
      await tab.page
        .getByText("finish: stop")
        .nth(count - 1)
        .waitFor();
    }
    const questions = new Set((await printed(tab.page)).match(/\bQuestion \d/g));
    expect(questions.size).toBe(6);
    const ink = (): Promise<string> => tab.page.evaluate(() => getComputedStyle(document.documentElement).color);
    const onScreen = await ink();
    await tab.page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect([onScreen, await ink()]).toEqual(["rgb(233, 234, 236)", "rgb(27, 28, 31)"]);
    expect(tab.mishaps).toEqual([]);
  });
}
