import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { makeProblem } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { largeRun } from "../support/sample-runs.ts";
import { deepTest } from "../../support/deep-test.ts";

const run = largeRun();

export function largeRunsSuite(browser: () => Browser): void {
  test("a run of 10,000 turns is read page by page, and only what is on screen is in the page", async () => {
    const acted = largeRun();
    Object.assign(acted.summary, { pass_hat_k: { k: 10, mean: 0.42, scenarios: 1000 } });
    Object.assign(acted.summary.score_stats, { outcome: acted.summary.score_stats["overall"] });
    await using services = await startFakeServices({ runs: [acted] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "ten thousand turns" }).click();
    const table = tab.page.getByRole("table", { name: "Attempts by scenario" });
    await table.waitFor();
    expect(await table.getAttribute("aria-rowcount")).toBe("1001");
    expect(await tab.page.locator("*").count()).toBeLessThan(2000);
    // Its turns are not loaded: the figure is the server's.
    await tab.page.getByText("pass^10", { exact: true }).waitFor();
    expect(await tab.page.getByLabel("What the agent did").innerText()).toMatch(/pass\^10\s+42\s%/);

    await tab.page.getByText("flaky 143").click();
    await tab.page.locator('[aria-rowcount="144"]').waitFor();
    await tab.page.mouse.wheel(0, 100_000);
    await tab.page.getByText("scenario-0994").waitFor();
    await tab.page.getByLabel("Find a scenario").fill("0007");
    await tab.page.locator('[aria-rowcount="2"]').waitFor();
    await tab.page.getByText("scenario-0007").waitFor();
    expect(services.requests.filter((request) => request.includes("/results"))).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a large run is scrolled over its pages, there and back", async () => {
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByText("scenario-0000").waitFor();
    await tab.page.mouse.move(400, 400);
    for (const step of [2400, -2400]) {
      for (let moved = 0; moved < 24_000; moved += 2400) {
        await tab.page.mouse.wheel(0, step);
        await tab.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      }
    }
    await tab.page.getByText("scenario-0000").waitFor();
    expect(services.requests.some((request) => request.includes("offset=300"))).toBe(true);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("going back to a large run shows the row that was left", async () => {
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByText("scenario-0000").waitFor();
    await tab.page.mouse.move(400, 400);
    for (let moved = 0; moved < 24_000; moved += 600) {
      await tab.page.mouse.wheel(0, 600);
      await tab.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    const shown = (text: string) =>
      tab.page.locator("a[data-row]", { hasText: text }).filter({ visible: true }).first();
    const names = await tab.page
      .locator("a[data-row]")
      .evaluateAll((links) =>
        links.filter((link) => link.getBoundingClientRect().top > 300).map((link) => link.textContent),
      );
    const [left = ""] = names;
    await shown(left).click();
    await tab.page.getByText("Attempt 1 of 10").waitFor();
    await tab.page.goBack();
    await shown(left).waitFor();
    const top = await shown(left).evaluate((link) => link.getBoundingClientRect().top);
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(800);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("text typed to find a scenario is not lost while rows are loading", async () => {
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await tab.page.route(/search=/, async (route) => {
      await answered;
      await route.continue();
    });
    await tab.open(`/runs/${run.run_id}`);
    const field = tab.page.getByLabel("Find a scenario");
    const asked = tab.page.waitForRequest(/search=00&|search=00$/);
    await field.pressSequentially("00");
    await asked;
    await tab.page.keyboard.type("07");
    expect(await field.inputValue()).toBe("0007");
    answer();
    await tab.page.locator('[aria-rowcount="2"]').waitFor();
    await field.and(tab.page.locator(":focus")).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest(
    "the scenarios shown of a large run are run again, the same ones in every tab that opens the link",
    async () => {
      await using services = await startFakeServices({ runs: [run] });
      await using tab = await openTab({ browser: browser(), services });
      await tab.open(`/runs/${run.run_id}?show=flaky`);
      const link = tab.page.getByRole("link", { name: "Run these 143 again" });
      await using other = await openTab({ browser: browser(), services });
      await other.open((await link.getAttribute("href")) ?? "");
      const taken = async (): Promise<readonly unknown[]> => {
        const text = await other.page.getByLabel(/^Scenarios/).inputValue();
        return (JSON.parse(text) as { test_batch: readonly unknown[] }).test_batch;
      };
      expect(await taken()).toHaveLength(143);
      await other.open(`/new?from=${run.run_id}&q=nobody-has-this-name`);
      expect(await taken()).toEqual([]);
      expect(other.mishaps).toEqual([]);
    },
  );

  deepTest("rows that could not be read are reported in their place and can be requested again", async () => {
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    const problem = makeProblem("internal_error", "The disk is gone.");
    const headers = { "access-control-allow-origin": services.origin };
    await tab.page.route(/\/scenarios\?.*offset=[1-9]/, (route) =>
      route.fulfill({ status: 500, json: problem, headers }),
    );
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByText("scenario-0000").waitFor();
    await tab.page.mouse.wheel(0, 20_000);
    const notice = tab.page.getByRole("alert");
    await notice.waitFor();
    expect(await notice.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
    await tab.page.unrouteAll();
    await notice.getByRole("button", { name: "Try again" }).click();
    await notice.waitFor({ state: "detached" });
  });

  deepTest("keys go from failure to failure through a large run, one scenario at a time", async () => {
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByText("scenario-0000").waitFor();
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/scenario-0000/1");
    await tab.page.getByText("Attempt 1 of 10").waitFor();
    for (const attempt of [3, 5, 7, 9]) {
      await tab.page.keyboard.press("n");
      await tab.page.waitForURL(`**/scenario-0000/${attempt}?turn=1`);
    }
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/scenario-0007/1");
    await tab.page.getByText("Attempt 1 of 10").waitFor();
    await tab.page.keyboard.press("p");
    await tab.page.waitForURL("**/scenario-0000/9");
    await tab.open(`/runs/${run.run_id}/scenario-0000/1`);
    await tab.page.getByText("Attempt 1 of 10").waitFor();
    await tab.page.keyboard.press("p");
    await tab.page.waitForURL("**/scenario-0994/9");
    expect(services.requests.filter((request) => request.endsWith("/results"))).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("scores and failed turns of a large run are gone through once, turn by turn", async () => {
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}?tab=scores`);
    await tab.page.getByRole("img", { name: "overall: turns by value, 715 from 0.3, 9,285 from 0.9" }).waitFor();
    await tab.page.getByRole("link", { name: "Errors" }).click();
    await tab.page.getByText(/every turn got a reply/).waitFor();
    expect(services.requests.filter((request) => request.includes("/export"))).toHaveLength(1);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("of a large run that no turn failed in, none is gone through to say so", async () => {
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}?tab=failures`);
    await tab.page.getByText(/every turn got a reply/).waitFor();
    expect(services.requests.filter((request) => request.includes("/export"))).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a large run under way shows its score so far, and that the others come at the end", async () => {
    await using services = await startFakeServices({ runs: [{ ...run, state: "running" }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}?tab=scores`);
    await tab.page.getByText("Scores for large runs appear when the run finishes.").waitFor();
    const result = tab.page.getByRole("group", { name: "Result" });
    await result.getByText("857 of 1,000 scenarios pass so far").waitFor();
    expect(await result.innerText()).toMatch(/ · 0\.857 .*overall score so far: 95 % interval/s);
    expect(await tab.page.locator("dl").first().innerText()).toMatch(/Replies\s+100 %/);
    expect(services.requests.filter((request) => request.includes("/results"))).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a service without pages is read whole", async () => {
    await using services = await startFakeServices({ runs: [run], pages: false });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.locator('[aria-rowcount="1001"]').waitFor();
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/scenario-0000/1");
    await tab.page.getByText("Attempt 1 of 10").waitFor();
    await tab.page.keyboard.press("p");
    await tab.page.waitForURL("**/scenario-0994/9?turn=1");
    expect(tab.mishaps).toEqual([]);
  });
}
