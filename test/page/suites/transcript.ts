import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly } from "../support/sample-runs.ts";

export function transcriptSuite(browser: () => Browser): void {
  test("from the list to the failing reply with its word diff", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "nightly support" }).click();
    await tab.page.getByRole("link", { name: "refund-status" }).click();

    const turn = tab.page.getByRole("article", { name: "Turn 1" });
    await turn.locator("ins").first().waitFor();
    expect(tab.page.url()).toContain("/refund-status/2");
    expect(await turn.locator("ins").first().innerText()).toContain("Refunds are not possible");
    expect(await turn.locator("del").first().innerText()).toContain("I have started the refund");
    expect(await turn.innerText()).toContain("expected neutral, generated negative");
    expect(await turn.innerText()).toContain("7 of 9 words are shared");
    expect(tab.mishaps).toEqual([]);
  });

  test("keys move between turns, failures and views, and the address follows", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}/refund-status/2`);
    await tab.page.getByRole("article", { name: "Turn 1" }).waitFor();

    await tab.page.keyboard.press("j");
    await tab.page.locator('article[aria-label="Turn 2"][aria-current="step"]').waitFor();
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/refund-status/5**");
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/order%2Fstatus%20%C3%BCn%C3%AFcode%3F/2");
    await tab.page.getByText("Request failed: The provider refused the credentials").waitFor();
    await tab.page.keyboard.press("p");
    await tab.page.waitForURL("**/refund-status/5**");
    await tab.page.keyboard.press("d");
    await tab.page.waitForURL("**view=inline**");
    await tab.page.locator(".inline-diff del").first().waitFor();
    await tab.page.keyboard.press("a");
    await tab.page.getByText("Attempt 5 (this one)").waitFor();
    await tab.page.keyboard.press("u");
    await tab.page.getByRole("table", { name: "Attempts by scenario" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("long unrelated texts fall back to plain side by side", async () => {
    const words = (seed: number): string =>
      Array.from({ length: 6000 }, (_, index) => `w${(index * 7919 + seed * 104_729) % 99_991}`).join(" ");
    const run = makeResults({
      id: "long",
      name: "long",
      scenarios: [{ id: "long", attempts: [[{ reference: words(1), reply: words(2), overall: 0 }]] }],
    });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/long/long/1");
    await tab.page.getByText("Reply (too different for a word diff)").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a scenario with any id has an address that works", async () => {
    const ids = [".", "..", "~", "%41", "a/b?c#d", "\ud800"];
    const scenarios = ids.map((id, index) => ({ id, attempts: [[{ overall: index / 10, user: `found ${index}` }]] }));
    const run = makeResults({ id: "odd", name: "odd", scenarios });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    for (const index of ids.keys()) {
      await tab.open("/runs/odd");
      await tab.page
        .getByRole("link", { name: /Attempt 1/ })
        .nth(index)
        .click();
      await tab.page.getByText(`found ${index}`).waitFor();
      await tab.page.reload();
      await tab.page.getByText(`found ${index}`).waitFor();
    }
    expect(tab.mishaps).toEqual([]);
  });
}
