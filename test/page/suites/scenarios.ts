import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { otherScenario, sampleScenario, scenarios } from "../support/sample-scenarios.ts";
import { deepTest } from "../../support/deep-test.ts";

export function scenariosSuite(browser: () => Browser): void {
  test("the library lists, finds, and lets go of its demo examples; a long tag makes no tall row", async () => {
    const tagged = { ...sampleScenario, id: "tagged", tags: ["long-".repeat(40)] };
    await using services = await startFakeServices({ scenarios: [...scenarios, tagged] });
    await using tab = await openTab({ browser: browser(), services, width: 768 });
    await tab.open("/scenarios");
    expect((await tab.page.getByRole("row", { name: /tagged/ }).boundingBox())?.height).toBeLessThan(180);
    const row = tab.page.getByRole("row", { name: "Select refund" });
    expect(await row.innerText()).toMatch(/refund.*demo.*A customer wants a refund.*support.*nightly.*2/s);
    await tab.page.getByLabel("Search").fill("where");
    await row.waitFor({ state: "detached" });
    await tab.page.getByRole("link", { name: "delivery" }).click();
    expect(tab.page.url()).toContain("/scenarios?tag=delivery");
    await tab.page.getByRole("button", { name: "Remove demo scenarios" }).click();
    await tab.page.getByText("No scenarios match.").waitFor();
    expect(services.library.scenarios.size).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("chosen scenarios are run", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    await tab.page.getByLabel(`Select ${otherScenario.id}`).check();
    await tab.page.getByRole("button", { name: "Run 1 scenario" }).click();
    await tab.page.getByRole("button", { name: "Start run" }).click();
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    expect(services.runs.list()[0]?.results.scenarios.map((entry) => entry.scenario_id)).toEqual([otherScenario.id]);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("more scenarios than an address can name are run, after a reload too", async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      ...otherScenario,
      id: `a-conversation-with-a-long-name-${index}`,
    }));
    await using services = await startFakeServices({ scenarios: many });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Run all shown" }).click();
    await tab.page.getByText("120 scenarios, 120 turns").waitFor();
    expect(tab.page.url().length).toBeLessThan(4000);
    await tab.page.reload();
    await tab.page.getByText("120 scenarios, 120 turns").waitFor();
    await using other = await openTab({ browser: browser(), services });
    await other.open(new URL(tab.page.url()).pathname + new URL(tab.page.url()).search);
    await other.page.getByText("Your selection lives in the tab where you made it.").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("many scenarios are not all read at once, which a browser does not do", async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ ...sampleScenario, id: `scenario-${index}` }));
    await using services = await startFakeServices({ scenarios: many });
    await using tab = await openTab({ browser: browser(), services });
    let underWay = 0;
    let most = 0;
    tab.page.on("request", () => (most = Math.max(most, (underWay += 1))));
    tab.page.on("requestfinished", () => (underWay -= 1));
    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Run all shown" }).click();
    await tab.page.getByText("300 scenarios").waitFor({ timeout: 20_000 });
    expect(most).toBeLessThan(100);
    expect(tab.mishaps).toEqual([]);
  });

  test("the library is exported in the format chosen", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Export" }).click();
    const download = tab.page.waitForEvent("download");
    await tab.page.getByRole("menuitem", { name: /promptfoo/ }).click();
    expect((await download).suggestedFilename()).toBe("scenarios.yaml");
    expect(await tab.page.getByRole("region", { name: "Not included in the file" }).count()).toBe(0);
  });

  deepTest("parts that a format does not support are named after the download", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Export" }).click();
    const download = tab.page.waitForEvent("download");
    await tab.page.getByRole("menuitem", { name: /ShareGPT/ }).click();
    expect((await download).suggestedFilename()).toBe("scenarios.json");
    const told = tab.page.getByRole("region", { name: "Not included in the file" });
    await told.getByText("scenarios.json is incomplete").waitFor();
    await told.getByText("réfund: the format does not support labels").waitFor();
    await told.getByText("and 2 more").waitFor();
    await told.getByRole("button", { name: "Close" }).click();
    await told.waitFor({ state: "detached" });
    expect(tab.mishaps).toEqual([]);
  });
}
