import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import type { Run } from "../../../src/contract/schemas/run.ts";
import { axeViolations } from "../support/axe.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { passTime } from "../support/pass-time.ts";
import { nightly, nightlyAfter, refusedKey, withoutScores } from "../support/sample-runs.ts";
import { sampleScenario } from "../support/sample-scenarios.ts";
import { deepTest } from "../../support/deep-test.ts";

const oneTurn = { model_id: "demo/flaky", test_batch: { id: "a", interactions: [{ user_message: "hi" }] } };

export function runsSuite(browser: () => Browser): void {
  deepTest("without a network the services of this machine are asked as ever", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    await tab.page.evaluate("dispatchEvent(new Event('offline'))");
    await tab.page.getByRole("link", { name: "nightly support" }).click();
    await tab.page.getByRole("table", { name: "Attempts by scenario" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("the list shows each run with its pass rate, score, interval and replies", async () => {
    await using services = await startFakeServices({ runs: [nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/");

    const row = tab.page.getByRole("row", { name: /nightly support/ });
    await row.waitFor();
    expect(await row.innerText()).toMatch(
      /completed, 2 of 25 requests failed\s+20 attempts.*1 of 4.*0\.776 \[0\.\d{3}, 1\.000\].*92 %.*1 m 12 s/s,
    );
    // A run without a single reply has no green tick: its state says what happened.
    const dead = tab.page.getByRole("row", { name: /broken endpoint/ });
    const state = dead.getByText("completed, 2 of 2 requests failed");
    expect(await state.getAttribute("class")).toContain("text-infra");
    expect(await dead.locator('td[data-label="Replies"]').innerText()).toBe("0 %");
    expect(await dead.locator('td[data-label="Passing"]').innerText()).toBe("no reply");
    expect(tab.page.url()).toBe(`${services.origin}/runs`);
    expect(tab.mishaps).toEqual([]);
  });

  test("a filter in the address narrows the list, and clearing it brings all back", async () => {
    await using services = await startFakeServices({ runs: [nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs?search=nothing");

    await tab.page.getByText("No runs match these filters.").waitFor();
    await tab.page.getByRole("button", { name: "Clear filters" }).click();
    await tab.page.getByRole("link", { name: "broken endpoint" }).waitFor();

    await tab.page.getByLabel("Model").fill("openai/gpt-x");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor({ state: "detached" });
    expect(tab.page.url()).toContain("model=openai%2Fgpt-x");
  });

  test("a run is found by part of its name and by the name of its model", async () => {
    const tuned = makeResults({
      id: "tuned",
      name: "refunds",
      model: "d3a0517a-0000-4000-8000-0000000000ff",
      scenarios: [],
    });
    await using services = await startFakeServices({ runs: [nightly, tuned] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs?search=NIGHT");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    expect(await tab.page.getByRole("row").count()).toBe(2);

    await tab.page.getByLabel("Search").fill("mo-GONE");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor({ state: "detached" });
    expect(await tab.page.getByRole("row", { name: /refunds/ }).innerText()).toContain("demo-gone");
    await tab.page.getByLabel("Search").fill("");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();

    await tab.page.getByLabel("Model").fill("demo-gone");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor({ state: "detached" });
    await tab.page.getByRole("link", { name: "refunds" }).waitFor();
    expect(tab.page.url()).toContain("/runs?model=demo-gone");
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("long names leave room for the rest, and where columns do not fit every figure keeps its name", async () => {
    const long = "a very long name ".repeat(60).trim();
    const named = makeResults({ id: "long", name: long, model: "m".repeat(400), scenarios: [] });
    await using services = await startFakeServices({ runs: [named] });
    for (const width of [1280, 900, 390]) {
      await using tab = await openTab({ browser: browser(), services, width });
      await tab.open("/runs");
      const link = tab.page.getByRole("link", { name: long });
      await link.waitFor();
      expect((await link.boundingBox())?.height).toBeLessThan(60);
      const labels = await tab.page
        .locator("td[data-label]")
        .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content));
      const drawn = labels.filter((content) => content !== "none");
      expect(drawn).toHaveLength(width < 1125 ? labels.length : 0);
      expect(await tab.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await link.click();
      await tab.page.getByRole("heading", { level: 1 }).waitFor();
      expect((await tab.page.getByRole("heading", { level: 1 }).boundingBox())?.height).toBeLessThan(140);
    }
  });

  deepTest("while a run is under way, pages of the list on which nothing can change are not read again", async () => {
    const ended = Array.from({ length: 120 }, (_, index) =>
      makeResults({ id: `ended-${index}`, name: `ended ${index}`, scenarios: [] }),
    );
    await using services = await startFakeServices({ runs: ended });
    await using tab = await openTab({ browser: browser(), services });
    // The fake lists the oldest first, so this one is on the last page.
    services.runs.start({ ...oneTurn, test_name: "under way" });
    await tab.stopClock();
    await tab.open("/runs");
    for (const count of [101, 122]) {
      await tab.page.getByRole("button", { name: "Older runs" }).click();
      await tab.page
        .getByRole("row")
        .nth(count - 1)
        .waitFor();
    }
    const asked = (page: string): number => services.requests.filter((path) => path.endsWith(page)).length;
    const before = [asked("/runs"), asked("cursor=50"), asked("cursor=100")] as const;
    await tab.page.clock.runFor(2000);
    await expect.poll(() => asked("cursor=100")).toBeGreaterThan(before[2]);
    expect(asked("/runs")).toBeGreaterThan(before[0]);
    expect(asked("cursor=50")).toBe(before[1]);

    services.runs.finish();
    await tab.page.clock.runFor(2000);
    await tab.page.getByRole("row", { name: /under way.*completed/s }).waitFor();
    expect(await tab.page.getByRole("row").count()).toBe(122);
    expect(tab.mishaps).toEqual([]);
  });

  test("the first steps show which are done: an example failure, own scenarios, an own model", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open("/runs");
    const steps = page.getByRole("region", { name: "First steps" });
    for (const name of ["Run the demo", "Paste scenarios", "import a file", "Choose a provider"])
      await steps.getByRole("link", { name }).waitFor();
    expect(await steps.innerText()).toContain("0 of 3 done");
    expect(tab.mishaps).toEqual([]);
  });

  test("a run is renamed and tagged, found by its tag in a shared address, and has a score history", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open(`/runs/${nightly.run_id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Rename and tag" }).click();
    await page.getByLabel("Name", { exact: true }).fill("release");
    await page.getByLabel("Tags").fill("v2, v2, stable ");
    await page.keyboard.press("Enter");
    await page
      .getByRole("heading", { name: /release/ })
      .getByText("stable")
      .waitFor();

    await tab.open("/runs?tag=stable&min=0.1&score=overall&from=2020-01-01");
    await page.getByRole("button", { name: "More filters (3)" }).waitFor();
    await page.getByRole("link", { name: "release", exact: true }).waitFor();
    expect(services.requests.some((path) => path.includes("tag=stable"))).toBe(true);
    expect(services.requests.some((path) => path.includes("min_score=0.1") && path.includes("created_from=2020"))).toBe(
      true,
    );
    await page.getByRole("button", { name: "More filters (3)" }).click();

    await tab.open("/history?test=release");
    const chart = page.getByRole("img", { name: /overall of \d runs?, oldest first/ });
    await chart.waitFor();
    const rail = page.getByRole("navigation", { name: "Main" });
    expect(await rail.locator("[aria-current=page]").innerText()).toBe("Runs");
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(async () => ((await chart.boundingBox())?.width ?? 999) < 390).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("row").nth(1).getByRole("link").click();
    await page.getByRole("heading", { name: /release|nightly/ }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("with demo runs, the first step opens a reply that failed and is then done", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open("/runs");
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByRole("link", { name: "Open a reply that failed" }).click();
    await page.getByRole("article", { name: "Turn 1" }).waitFor();
    await page.goBack();
    await steps.getByText("1 of 3 done").waitFor();
    await steps.getByRole("button", { name: "Hide" }).click();
    await steps.waitFor({ state: "detached" });
    await page.getByText("Runs marked “demo” are samples from scripted models").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a service that does not answer is named, with what to do", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.route(`${services.evaluation}/**`, (route) => route.abort());
    await tab.open("/runs");
    const banner = tab.page.getByRole("status").filter({ hasText: "Cannot reach the service" });
    await banner.waitFor();
    expect(await banner.innerText()).toContain(services.evaluation);
    expect(await banner.innerText()).toContain("Check that Rehearsal is running");
    expect(await tab.page.getByRole("alert").count()).toBe(0);
  });

  test("an open list sees a run that is started elsewhere within two seconds, and one that is deleted", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.stopClock();
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    // The newest run is asked for alone: a page of the list may be large.
    await expect.poll(() => services.requests.filter((request) => request.endsWith("/runs?limit=1")).length).toBe(1);
    services.runs.remove(nightly.run_id);
    services.runs.start({ ...oneTurn, test_name: "from elsewhere" });
    await tab.page.clock.runFor(1900);
    const row = tab.page.getByRole("row", { name: /from elsewhere/ });
    await row.waitFor();
    expect(await tab.page.getByRole("link", { name: "nightly support" }).count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("while a service is away one quiet line says so, nothing is asked or counted, and all recovers by itself", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start({ ...oneTurn, attempts: 4, test_name: "under way" });
    const all = `${services.evaluation}/**`;
    const asked: string[] = [];
    await tab.stopClock();
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByText("2 of 4", { exact: true }).waitFor();
    await tab.page.route(all, (route) => {
      asked.push(new URL(route.request().url()).pathname);
      return route.abort();
    });
    const banner = tab.page.getByText("Cannot reach the service");
    await tab.page.clock.runFor(5100);
    await banner.waitFor();
    // Requests under way are tried three times.
    for (let tries = 0; tries < 4; tries += 1) await passTime(tab.page, 2000);
    expect(await banner.count()).toBe(1);
    expect(await tab.page.getByRole("alert").count()).toBe(0);
    const figures = await tab.page.getByRole("main").innerText();
    asked.length = 0;
    await passTime(tab.page, 20_000);
    expect(new Set(asked)).toEqual(new Set(["/healthz"]));
    expect(await tab.page.getByRole("main").innerText()).toBe(figures);

    await tab.page.unroute(all);
    services.runs.finish();
    await tab.page.clock.runFor(2100);
    await tab.page.getByRole("link", { name: "Run again" }).waitFor();
    expect(await banner.count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("a run that its budget stopped says so in the list, and how much of it was run", async () => {
    const stopped = { ...nightly, summary: { ...nightly.summary, stopped_by: "budget" as const } };
    await using services = await startFakeServices({ runs: [stopped] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.route(`**/runs/${nightly.run_id}`, async (route) => {
      if (route.request().resourceType() === "document") return route.continue();
      const response = await route.fetch();
      const run = (await response.json()) as Run;
      await route.fulfill({ response, json: { ...run, progress: { ...run.progress, interactions_total: 900 } } });
    });
    await tab.open("/runs");
    const row = tab.page.getByRole("row").filter({ hasText: /stopped by budget, \d+ of \d+ turns/ });
    await row.getByRole("link").first().click();
    await tab.page.getByText(/^stopped by budget, \d+ of 900 turns; 2 failed$/).waitFor();
    expect(await tab.page.getByText(/^completed/).count()).toBe(0);
    await tab.page.getByText(/^planned; \d+ of 900 turns run$/).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("the list is sorted by any column, and the address remembers it", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    const names = () => tab.page.getByRole("row").getByRole("link", { name: /nightly|broken/ });
    await tab.page.getByRole("button", { name: "Passing" }).click();
    await tab.page.waitForURL("**sort=-passing");
    await tab.page.locator('th[aria-sort="descending"]').getByText("Passing").waitFor();
    expect(await names().allInnerTexts()).toEqual(["nightly support", "nightly support", "broken endpoint"]);
    await tab.page.getByRole("button", { name: "Test" }).click();
    await tab.page.waitForURL("**sort=name");
    await tab.page.reload();
    await names().first().waitFor();
    expect(await names().allInnerTexts()).toEqual(["broken endpoint", "nightly support", "nightly support"]);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a list that is sorted as far as it was read says so", async () => {
    const runs = Array.from({ length: 60 }, (_, index) =>
      makeResults({ id: `run-${index}`, name: `run ${index}`, scenarios: [] }),
    );
    await using services = await startFakeServices({ runs });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    const note = tab.page.getByText("Only the 50 loaded rows are sorted");
    await tab.page.getByRole("button", { name: "Older runs" }).waitFor();
    expect(await note.count()).toBe(0);
    await tab.page.getByRole("button", { name: "Test" }).click();
    await note.waitFor();
    await tab.page.getByRole("button", { name: "Older runs" }).click();
    await note.waitFor({ state: "detached" });
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("runs sorted by replies stand in the order of what is shown", async () => {
    const bad = { error: refusedKey };
    const good = { overall: 1 };
    const uneven = makeResults({
      id: "uneven",
      name: "uneven",
      scenarios: [
        { id: "short", attempts: [[bad]] },
        { id: "long", attempts: [Array.from({ length: 9 }, () => good)] },
      ],
    });
    const even = makeResults({
      id: "even",
      name: "even",
      scenarios: [{ id: "only", attempts: [[bad, ...Array.from({ length: 4 }, () => good)]] }],
    });
    // The score weighs every scenario alike: by it the first would stand below the second.
    uneven.summary.average_scores["success"] = 0.5;
    await using services = await startFakeServices({ runs: [uneven, even] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs?sort=-replies");
    const shares = tab.page.locator('td[data-label="Replies"]');
    await shares.nth(1).waitFor();
    expect(await shares.allInnerTexts()).toEqual(["90 %", "80 %"]);
  });

  test("demo data is marked, and removed with one click and a question", async () => {
    const own = { ...withoutScores, demo: false };
    await using services = await startFakeServices({ runs: [nightly, own], scenarios: [sampleScenario] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("button", { name: "Remove demo data" }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor({ state: "detached" });
    expect(services.runs.list().map((run) => run.run_id)).toEqual([own.run_id]);
    expect(services.library.scenarios.size).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("keys go along the list, into a run and to its first failure", async () => {
    await using services = await startFakeServices({ runs: [nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    await tab.page.keyboard.press("j");
    await tab.page.keyboard.press("j");
    await tab.page.keyboard.press("k");
    await tab.page.keyboard.press("x");
    expect(await tab.page.getByRole("checkbox").first().isChecked()).toBe(true);
    await tab.page.keyboard.press("Enter");
    await tab.page.getByText("angry-customer").waitFor();
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/angry-customer/1");
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a run with a blank name is listed and can be opened", async () => {
    const run = makeResults({ id: "blank", name: " ", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "(no name)" }).click();
    await tab.page.getByRole("heading", { name: "(no name)" }).waitFor();
    expect(await tab.page.title()).toContain("(no name)");
  });

  deepTest("a score and its trend stay within their place on a card", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services, width: 640 });
    await tab.open("/runs");
    const cell = tab.page.locator('td[data-label="Overall"]').first();
    await cell.locator("svg").waitFor();
    expect(await cell.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  });

  deepTest("the titles of tabs with runs of one test differ in their first letters", async () => {
    const scenarios = [{ id: "s", attempts: [[{ overall: 1 }]] }];
    const made = (id: string, started_at: string) => {
      const run = makeResults({ id, name: "nightly", scenarios });
      return { ...run, timing: { ...run.timing, started_at } };
    };
    const runs = [made("first", "2026-01-14T09:00:00.000Z"), made("second", "2026-01-14T09:00:07.000Z")];
    await using services = await startFakeServices({ runs });
    await using tab = await openTab({ browser: browser(), services });
    for (const [id, seconds] of [
      ["first", "00"],
      ["second", "07"],
    ]) {
      await tab.open(`/runs/${id}`);
      const title = new RegExp(`^Jan 14, .*:${seconds} nightly \\(.+\\) · Rehearsal$`);
      await expect.poll(() => tab.page.title()).toMatch(title);
      await tab.page.getByRole("link", { name: "s", exact: true }).click();
      await expect.poll(() => tab.page.title()).toMatch(new RegExp(`^s, attempt 1 · Jan 14, .*:${seconds} nightly`));
    }
  });
}
