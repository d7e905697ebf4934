import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly, nightlyAfter, withoutScores } from "../support/sample-runs.ts";
import { deepTest } from "../../support/deep-test.ts";

const again = { ...nightly, run_id: "run-nightly-again", model_id: "demo/again" };

export function rankSuite(browser: () => Browser): void {
  test("three chosen runs are ranked: the verdict on top, the best first, each beside the first", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly, again] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("checkbox").nth(2).waitFor();
    const boxes = await tab.page.getByRole("checkbox").all();
    // Runs of one test share a name, so a screen reader needs more to tell them apart.
    expect(new Set(await Promise.all(boxes.map((box) => box.getAttribute("aria-label"))))).toHaveLength(3);
    for (const box of boxes) await box.check();
    await tab.page.getByRole("button", { name: "Compare 3 selected" }).click();
    await tab.page.waitForURL("**/rank?**");
    const rows = tab.page.getByRole("table").getByRole("row");
    await rows.nth(3).waitFor();
    const verdict = tab.page.getByRole("region", { name: "Verdict" });
    expect(await verdict.innerText()).toContain("between the 3 runs can be seen");
    const means = (await rows.allInnerTexts()).slice(1).map((text) => Number(/0\.\d{3}/.exec(text)?.[0]));
    expect(means).toEqual(means.toSorted((left, right) => right - left));
    expect(await rows.nth(3).innerText()).toMatch(/−0\.\d{3} \[−0\.\d{3}, \+?−?0\.\d{3}\][^]*may be closest/);

    const replies = tab.page.getByRole("region", { name: "Replies side by side" });
    await replies.getByLabel("Scenario").selectOption("refund-status");
    const columns = replies
      .getByRole("article", { name: "Turn 1", exact: true })
      .getByRole("list", { name: "Replies by run" })
      .locator("> li");
    await columns
      .nth(2)
      .getByText(/^overall 0\.\d{3}, attempt 1 of 5$/)
      .waitFor();
    expect(await columns.count()).toBe(3);
    expect(new URL(tab.page.url()).searchParams.get("scenario")).toBe("refund-status");

    await tab.page.getByLabel("Rank by", { exact: true }).selectOption("success");
    await tab.page.waitForURL("**score=success");
    await verdict.getByText("replied").waitFor();
    await tab.page.reload();
    expect(await tab.page.getByLabel("Rank by", { exact: true }).inputValue()).toBe("success");
    await rows.nth(2).getByRole("link").last().click();
    await tab.page.waitForURL("**/compare?**");
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("on a phone the first run has no card for how far it is from itself", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly, again] });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.open(`/rank?runs=${[nightlyAfter, nightly, again].map(({ run_id }) => run_id).join(",")}`);
    const cells = tab.page.locator("[data-label='vs. #1']");
    await cells.nth(2).waitFor();
    expect(await Promise.all((await cells.all()).map((cell) => cell.isVisible()))).toEqual([false, true, true]);
  });

  test("runs that cannot be ranked show the reason, and an address without runs shows what to do", async () => {
    const unscored = { ...withoutScores, model_id: "d3a0517a-0000-4000-8000-000000000001" };
    const studio = { "the tuned one": unscored.model_id };
    await using services = await startFakeServices({ runs: [nightly, unscored], studio });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.open(`/rank?runs=${nightly.run_id},${withoutScores.run_id}&score=overall`);
    await tab.page
      .getByText("Can't rank these runs by overall. No turn of the run the tuned one has overall")
      .waitFor();
    expect(await tab.page.getByRole("table").count()).toBe(0);
    await tab.open("/rank");
    await tab.page.getByText("Select three or more runs").waitFor();
    expect(tab.mishaps).toEqual([]);
  });
}
