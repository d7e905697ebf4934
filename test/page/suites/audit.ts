import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { judgedRun } from "../support/judged-run.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly } from "../support/sample-runs.ts";
import { deepTest } from "../../support/deep-test.ts";

const path = `/audit?run=${judgedRun.run_id}`;
const reply = (page: Page) => page.getByRole("region", { name: "Reply to grade" });
const ask = (page: Page) => page.getByRole("button", { name: "Ask the judge" });

/** Judges so many replies by keyboard: the first choice for good ones, another for others. */
async function judge(page: Page, count: number, { bad }: { bad: string }): Promise<void> {
  for (let done = 1; done <= count; done += 1) {
    const isGood = await reply(page).getByText("Good reply").isVisible();
    await page.keyboard.press(isGood ? "1" : bad);
    await reply(page).getByText(`${done} graded`, { exact: true }).waitFor();
  }
}

export function auditSuite(browser: () => Browser): void {
  test("a judge is checked by keyboard, passes, and its scores are marked", async () => {
    await using services = await startFakeServices({ runs: [judgedRun] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${judgedRun.run_id}`);
    await tab.page.getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Check the judge" }).click();
    await reply(tab.page).waitFor();
    expect(await tab.page.getByText("Compare the reply with the reference replies").isVisible()).toBe(true);
    expect(await ask(tab.page).isDisabled()).toBe(true);
    await judge(tab.page, 30, { bad: "4" });
    await ask(tab.page).click();
    await tab.page.getByText("The judge agrees with you").waitFor();
    expect(await tab.page.getByRole("region", { name: "Confusion of choices" }).innerText()).toMatch(/you ↓ judge →/);
    await tab.page.getByRole("button", { name: "Mark this run's scores" }).click();
    await tab.page.getByText("Marked as verified.").waitFor();
    expect(services.runs.get(judgedRun.run_id)?.summary.rescored).toBeDefined();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("an address that names no run says so, and leads on", async () => {
    await using services = await startFakeServices({ runs: [judgedRun] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/audit");
    await tab.page.getByRole("link", { name: "Go to Runs" }).waitFor();
    expect(services.requests.filter((request) => request.includes("/request"))).toEqual([]);
  });

  deepTest(
    "choices are there again after a reload, can be changed, and a judge that says otherwise does not pass",
    async () => {
      await using services = await startFakeServices({ runs: [judgedRun] });
      await using tab = await openTab({ browser: browser(), services });
      await tab.open(path);
      await reply(tab.page).waitFor();
      await judge(tab.page, 3, { bad: "1" });
      await tab.page.reload();
      await expect.poll(() => reply(tab.page).getByRole("status").innerText()).toBe("3 graded");
      await tab.page.keyboard.press("k");
      const pressed = reply(tab.page).getByRole("button", { pressed: true });
      expect(await pressed.innerText()).toContain("equivalent");
      await reply(tab.page).getByRole("button", { name: "partial" }).click();
      // Continues with the next reply without a grade.
      await expect.poll(() => pressed.count()).toBe(0);
      await tab.page.keyboard.press("k");
      await expect.poll(() => pressed.innerText()).toContain("partial");
      await tab.page.keyboard.press("j");
      for (let count = 0; count < 27; count += 1) await tab.page.keyboard.press("1");
      await ask(tab.page).click();
      await tab.page.getByText("The judge doesn't agree with you").waitFor();
      expect(await tab.page.getByText("−0.20 to 0.40").isVisible()).toBe(true);
      expect(await tab.page.getByRole("button", { name: "Mark this run's scores" }).count()).toBe(0);
      expect(tab.mishaps).toEqual([]);
    },
  );

  deepTest("a run without a judge of replies offers no check, and its address says why", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Score again" }).waitFor();
    expect(await tab.page.getByRole("menuitem", { name: "Check the judge" }).count()).toBe(0);
    await tab.open(`/audit?run=${nightly.run_id}`);
    await tab.page.getByText("weren't scored by a judge").waitFor();
  });
}
