import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { judgedRun } from "../support/judged-run.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly } from "../support/sample-runs.ts";

const path = `/review?run=${judgedRun.run_id}`;
const reply = (page: Page) => page.getByRole("region", { name: "Reply to judge" });
const mine = (page: Page, count: number) => page.getByText(`You ${count}`, { exact: true }).waitFor();

async function introduce(page: Page, name: string): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.keyboard.press("Enter");
  await reply(page).waitFor();
}

/** Judges so many replies by keyboard: the first choice for good ones, another for others. */
async function judge(page: Page, count: number, { bad }: { bad: string }): Promise<void> {
  for (let done = 1; done <= count; done += 1) {
    const isGood = await reply(page).getByText("Good reply").isVisible();
    await page.keyboard.press(isGood ? "1" : bad);
    await mine(page, done);
  }
}

export function reviewSuite(browser: () => Browser): void {
  test("a person judges by keyboard, the judge is checked, and its mean is corrected", async () => {
    await using services = await startFakeServices({ runs: [judgedRun] });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open(`/runs/${judgedRun.run_id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Review replies" }).click();
    await introduce(page, "ada");
    expect(await page.getByText("Compare the reply with the reference replies").isVisible()).toBe(true);
    expect(await page.getByRole("button", { name: "Ask the judge" }).isDisabled()).toBe(true);
    await judge(page, 25, { bad: "4" });
    await page.getByRole("button", { name: "Ask the judge" }).click();
    await page.getByText("The judge agrees with people").waitFor();
    expect(await page.getByRole("region", { name: "Confusion of choices" }).innerText()).toMatch(/people ↓ judge →/);
    await page.getByRole("button", { name: "Mark this run's scores" }).click();
    await page.getByText("Marked as verified.").waitFor();
    await tab.open(`/runs/${judgedRun.run_id}?tab=scores`);
    await page.getByRole("region", { name: "Corrected means" }).waitFor();
    expect(await page.getByRole("region", { name: "Corrected by people" }).innerText()).toContain("People would give");
    expect(tab.mishaps).toEqual([]);
  });

  test("a verdict can be changed, commented and skipped, and a judge that says otherwise does not pass", async () => {
    await using services = await startFakeServices({ runs: [judgedRun] });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open(path);
    await introduce(page, "ada");
    // The keyboard goes on behind the navigation.
    await page.locator("main:focus").waitFor();
    expect(await reply(page).innerText()).toContain("case-0");
    await page.keyboard.press("s");
    await expect.poll(() => reply(page).innerText()).toContain("case-1");
    await page.keyboard.press("c");
    await page.keyboard.type("As good as it gets");
    await page.keyboard.press("Escape");
    await page.keyboard.press("1");
    await mine(page, 1);
    await page.keyboard.press("k");
    const pressed = reply(page).getByRole("button", { pressed: true });
    await expect.poll(() => pressed.innerText()).toContain("equivalent");
    expect(await page.getByLabel("Comment").inputValue()).toBe("As good as it gets");
    await reply(page).getByRole("button", { name: "partial" }).click();
    await expect.poll(() => pressed.count()).toBe(0);
    await reply(page).locator("button:not([aria-disabled=true])", { hasText: "equivalent" }).waitFor();
    for (let count = 2; count <= 21; count += 1) {
      await page.keyboard.press("1");
      await mine(page, count);
    }
    await page.getByRole("button", { name: "Ask the judge" }).click();
    await page.getByText("The judge doesn't agree with people").waitFor();
    expect(await page.getByText("−0.200 to 0.400").isVisible()).toBe(true);
    // The name is asked for once.
    await page.reload();
    await mine(page, 21);
    expect(tab.mishaps).toEqual([]);
  });

  test("conflicts show who said what, and a decision closes them", async () => {
    await using services = await startFakeServices({ runs: [judgedRun] });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open(path);
    await introduce(page, "ada");
    expect(await page.getByRole("region", { name: "Progress" }).innerText()).toMatch(/grace 1/);
    expect(await page.getByText("It leaves out the date").count()).toBe(0);
    await page.getByRole("button", { name: "1 conflict" }).click();
    const conflict = page.getByRole("article", { name: "Conflict on case-1" });
    await conflict.getByText("alan").waitFor();
    expect(await conflict.innerText()).toContain("It leaves out the date.");
    await conflict.getByRole("button", { name: "equivalent" }).click();
    await conflict.getByText("decided: equivalent").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "1 conflict" }).count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("any reply can be judged from its transcript", async () => {
    await using services = await startFakeServices({ runs: [judgedRun] });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open(`/runs/${judgedRun.run_id}/case-3/1`);
    await page.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByLabel("Your name").fill("ada");
    await page.getByLabel("Comment (optional)").fill("Fine");
    await page.getByRole("dialog").getByRole("button", { name: "pass" }).click();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await tab.open(`${path}&question=review`);
    await mine(page, 1);
    expect(tab.mishaps).toEqual([]);
  });

  test("the old address leads here, one without a run leads on, and a run without a judge can be reviewed", async () => {
    await using services = await startFakeServices({ runs: [judgedRun, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open(`/audit?run=${nightly.run_id}`);
    await introduce(page, "ada");
    expect(await page.getByRole("group", { name: "Your verdict" }).innerText()).toMatch(/pass[^]*partial[^]*fail/);
    expect(await page.getByRole("button", { name: "Ask the judge" }).count()).toBe(0);
    // Skipped replies can be brought back.
    const again = page.getByRole("button", { name: "Show skipped replies" });
    await reply(page).waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press("s");
        return again.isVisible();
      })
      .toBe(true);
    await again.click();
    await reply(page).waitFor();
    await tab.open("/review");
    await page.getByRole("link", { name: "Go to Runs" }).waitFor();
  });
}
