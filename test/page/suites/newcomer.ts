import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly, nightlyAfter } from "../support/sample-runs.ts";
import { sampleScenario } from "../support/sample-scenarios.ts";

export function newcomerSuite(browser: () => Browser): void {
  test("the newcomer's five minutes: a failing diff, a comparison, a run, an own scenario, a saved chat", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly], scenarios: [sampleScenario] });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    const go = (name: string) =>
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();

    // The start: demo runs, marked as such.
    await tab.open("/");
    await page.getByText("Runs marked “demo” are samples from scripted models").waitFor();

    // The first failing diff, by one link and one key.
    await page.getByRole("link", { name: "nightly support" }).last().click();
    await page.getByText("angry-customer").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("article", { name: "Turn 1" }).locator("del").first().waitFor();

    // Was the change real?
    await go("Runs");
    await page.getByRole("checkbox").nth(1).waitFor();
    for (const box of await page.getByRole("checkbox").all()) await box.check();
    await page.keyboard.press("c");
    expect(await page.getByRole("region", { name: "Verdict" }).innerText()).toContain("better by");

    // A run of one's own, started from the examples and watched to its end.
    await tab.open("/new?start=demo");
    await page.getByRole("button", { name: "Start run" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    services.runs.finish();
    await page.getByRole("link", { name: "Run again" }).waitFor();

    // A scenario of one's own.
    await go("Scenarios");
    await page.getByRole("link", { name: "New scenario" }).click();
    await page.getByLabel("Scenario id").fill("my-first");
    await page.getByLabel("User message").fill("Do you ship to Norway?");
    await page.getByLabel("Reference reply").fill("Yes, within 7 days.");
    await page.getByRole("button", { name: "Save scenario" }).click();
    await page.getByText("Saved.").waitFor();

    // A chat, saved as a scenario.
    await go("Chat");
    await page.getByLabel("Message", { exact: true }).fill("Do you gift-wrap?");
    await page.keyboard.press("Enter");
    await page.getByText("heard: Do you gift-wrap?").waitFor();
    await page.getByRole("link", { name: "Save as scenario" }).first().click();
    await page.getByRole("button", { name: "Save scenario" }).click();
    await page.getByText("Saved.").waitFor();
    expect([...services.library.scenarios.keys()]).toEqual(["refund", "my-first", "do-you-gift-wrap"]);
    expect(tab.mishaps).toEqual([]);
  });

  test("a live run survives a reload in the middle", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const test_batch = { id: "long", interactions: [{ user_message: "one" }, { user_message: "two" }] };
    const run = services.runs.start({ model_id: "demo/flaky", test_batch, attempts: 4 });
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByText("4 of 8").waitFor();
    await tab.page.reload();
    await tab.page.getByText("4 of 8").waitFor();
    await tab.page.getByRole("link", { name: "long" }).click();
    await tab.page.getByRole("article", { name: "Turn 2" }).waitFor();
    await tab.page.goBack();
    services.runs.finish();
    await tab.page.getByRole("link", { name: "Run again" }).waitFor();
    expect(await tab.page.getByText("4 of 8").count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });
}
