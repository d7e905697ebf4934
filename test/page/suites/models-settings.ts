import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { sampleUpstreams } from "../support/sample-upstreams.ts";
import { openTab } from "../support/open-tab.ts";

export function modelsSettingsSuite(browser: () => Browser): void {
  test("models stand by where they come from, each with a way to the chat", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/models");
    await tab.page.getByRole("region", { name: "Fine-tuned" }).getByText("demo-support-v1").waitFor();
    await tab.page.getByRole("region", { name: "Hub" }).getByRole("link", { name: "Chat" }).first().click();
    await tab.page.waitForURL("**/chat?model=demo%2Fscripted");
    expect(tab.mishaps).toEqual([]);
  });

  test("a provider that is held back says so, and each model what is known of it", async () => {
    await using services = await startFakeServices({ upstreams: sampleUpstreams });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/models");
    const list = tab.page.getByRole("list", { name: "Providers that fail" });
    expect(await list.innerText()).toMatch(/demo\/flaky.*held back.*12 failures in 20 calls, tried again in 4.0 s/s);
    await tab.page.getByText("tools by prompt · 2 running, 5 waiting").waitFor();
  });

  test("settings change the theme, keep a key for the tab, and lead to the docs", async () => {
    await using services = await startFakeServices({ apiKey: "secret" });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/settings");
    await tab.page.getByRole("radio", { name: "dark" }).check({ force: true });
    await tab.page.locator('html[data-theme="dark"]').waitFor();
    await tab.page.getByRole("button", { name: "Theme: Dark. Change" }).waitFor();
    await tab.page.getByRole("textbox", { name: /API key/ }).fill("secret");
    await tab.page.getByRole("button", { name: "Use key" }).click();
    await tab.page.getByText("A key is set for this tab").waitFor();
    await tab.page.getByText("Rehearsal 0.1.0").waitFor();
    const docs = await tab.page.getByRole("link", { name: "API docs" }).all();
    expect(await Promise.all(docs.map((link) => link.getAttribute("href")))).toEqual([
      `${services.origin}/docs`,
      `${services.evaluation}/docs`,
    ]);
    await tab.page.getByRole("link", { name: "Runs", exact: true }).click();
    await tab.page.getByRole("link", { name: /Run the demo/ }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });
}
