import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";

export function agentRunsSuite(browser: () => Browser): void {
  test("a run that waits is approved in its timeline, followed to its end, replayed and made a scenario", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    const { page } = tab;
    await tab.open("/agents");
    await page.getByRole("table").getByText("waits for approval").waitFor();
    await page.getByRole("link", { name: "Mail the <b>invoice</b>" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    const steps = page.getByRole("region", { name: "Steps" });
    await steps.and(page.locator(":focus")).waitFor();
    await page.getByText("completed").waitFor();
    expect((await steps.getByRole("listitem").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
      "Model call 1 asks for send_mail · 250 → 10 tokens 400 ms",
      "Approval given: send_mail 590 ms",
      "send_mail tool call 20 ms",
      "Model call 2 250 → 10 tokens 300 ms",
    ]);
    await steps.getByText("send_mail tool call").click();
    await steps.getByRole("region", { name: "Result of send_mail" }).getByText("queued").waitFor();
    expect(await page.getByRole("main").innerText()).toContain(
      "2 model calls · 1 tool call · 500 → 20 tokens · $0.0012",
    );
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("The tool send_mail is no longer available.").waitFor();
    await page.getByRole("button", { name: "Save as scenario" }).click();
    expect(await page.getByRole("link", { name: "Open the scenario" }).getAttribute("href")).toBe(
      "/scenarios/id/run-run-1",
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(tab.mishaps).toEqual([]);
  });

  test("agent runs are filtered by the address, and a thread shows its conversation and runs", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open("/agents?state=failed");
    await page.getByText("No agent runs match these filters.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("link", { name: "Mail the" }).waitFor();
    await page.getByText("Threads", { exact: true }).click();
    await page.getByRole("link", { name: "orders" }).click();
    await page.getByRole("region", { name: "Conversation" }).getByText("Sent it.").waitFor();
    await page.getByText("1 run of this thread").waitFor();
    expect(tab.mishaps).toEqual([]);
  });
}
