import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import { actingRun } from "../support/acting-run.ts";
import { axeViolations } from "../support/axe.ts";
import { createFakeRuns } from "../support/fake-runs.ts";
import { hostileRun } from "../support/hostile-run.ts";
import { makeResults } from "../support/make-results.ts";
import { watchMishaps } from "../support/open-tab.ts";
import { nightly } from "../support/sample-runs.ts";
import { pageFolder } from "../support/serve-page.ts";
import { deepTest } from "../../support/deep-test.ts";

const template = readTemplate();

function readTemplate(): () => string {
  let text: string | undefined;
  return () => (text ??= readFileSync(join(pageFolder, "report.html"), "utf8"));
}

/** As the command line fills it. */
function fill(results: EvaluationResponse, judged?: object): string {
  const data = { run: createFakeRuns([]).toRun(results), results, model_name: "the tuned one", judged };
  return template().replace("__REHEARSAL_REPORT_DATA__", () => JSON.stringify(data).replaceAll("<", "\\u003c"));
}

async function openReport(browser: Browser, results: EvaluationResponse, judged?: object) {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-report-"));
  const file = join(folder, "report.html");
  writeFileSync(file, fill(results, judged));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const url = pathToFileURL(file).href;
  const mishaps = watchMishaps(page, [url, "blob:"]);
  await page.goto(url);
  return {
    page,
    mishaps,
    url,
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export function reportSuite(browser: () => Browser): void {
  test("a report of a judged run shows failed gates first, and the comparison behind a fold", async () => {
    const judgements = [
      { name: "overall>=0.9", outcome: "failed", message: "overall>=0.9: is 0.78, failed" },
      { name: "success>=1", outcome: "passed", message: "success>=1: is 1, passed" },
      { name: "baseline", outcome: "told", message: "overall is worse by 0.1." },
    ];
    const scores = [{ name: "overall", baseline: 0.88, candidate: 0.78, effect: -0.1, verdict: "worse" }];
    await using report = await openReport(browser(), nightly, { judgements, scores });
    const gates = report.page.getByRole("region", { name: "Gates" });
    expect(await gates.innerText()).toMatch(/^Gates failed\s+failed\s+overall>=0\.9: is 0\.78, failed/);
    await gates.getByText("Other gates and the comparison with the baseline").click();
    expect(await gates.innerText()).toMatch(
      /success>=1: is 1, passed[\s\S]*overall\s+0\.880\s+0\.780\s+−0\.100\s+worse/,
    );
    expect(await axeViolations(report.page)).toEqual([]);
    expect(report.mishaps).toEqual([]);
  });

  test("a report is one small file that opens from disk, shows every diff and sends no request", async () => {
    expect(template().length).toBeLessThan(1_000_000);
    await using report = await openReport(browser(), nightly);
    await report.page.getByRole("heading", { name: /nightly support/ }).waitFor();
    expect(await axeViolations(report.page)).toEqual([]);
    // The headline comes first, and the model has its name.
    expect(await report.page.getByRole("main").innerText()).toMatch(
      /^nightly support\s.*?1 of 4 scenarios passes · 0\.7\d\d .*the tuned one at http/s,
    );
    // The style came along: figures stand beside each other.
    expect(await report.page.evaluate("getComputedStyle(document.querySelector('dl')).display")).toBe("grid");
    await report.page.getByRole("link", { name: "refund-status" }).click();
    await report.page.locator("ins").first().waitFor();
    expect(report.page.url()).toContain("#/runs/");
    await report.page.keyboard.press("n");
    await report.page.waitForURL("**/refund-status/5?turn=1");
    await report.page.keyboard.press("d");
    await report.page.waitForURL("**/refund-status/5?turn=1&view=inline");
    const link = report.page.url();
    await report.page.goto("about:blank");
    await report.page.goto(link);
    await report.page.getByText("Attempt 5 of 5").waitFor();
    await report.page.goBack();
    await report.page.goto(`${report.url}#/runs/${nightly.run_id}?tab=scores`);
    await report.page.getByText("macro F1").waitFor();
    expect(await report.page.getByRole("button", { name: /Delete|Stop/ }).count()).toBe(0);
    expect(report.mishaps).toEqual([]);
  });

  deepTest("a report in a sandbox, which has no store, is shown all the same", async () => {
    await using report = await openReport(browser(), nightly);
    const address = "http://artifacts.test/report.html";
    const headers = { "content-security-policy": "sandbox allow-scripts" };
    const body = fill(nightly);
    await report.page.route(address, (route) =>
      route.fulfill({ contentType: "text/html; charset=utf-8", headers, body }),
    );
    await report.page.goto(address);
    await report.page.getByRole("link", { name: "refund-status" }).click();
    await report.page.locator("ins").first().waitFor();
    expect(report.mishaps).toEqual([`request to ${address}`]);
  });

  deepTest("a transcript is read from its top, and going back finds the place in the list again", async () => {
    const attempts = [Array.from({ length: 8 }, () => ({ overall: 1 }))];
    const scenarios = Array.from({ length: 40 }, (_, index) => ({ id: `scenario-${index}`, attempts }));
    await using report = await openReport(browser(), makeResults({ id: "many", name: "many", scenarios }));
    await report.page.getByText("scenario-0").waitFor();
    await report.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const last = report.page.getByRole("link", { name: "scenario-39", exact: true });
    await last.waitFor();
    const place = await report.page.evaluate(() => scrollY);
    expect(place).toBeGreaterThan(400);
    await last.click();
    await report.page.getByText("Attempt 1 of 1").waitFor();
    expect(await report.page.evaluate(() => scrollY)).toBe(0);
    await report.page.goBack();
    await last.waitFor();
    await expect.poll(() => report.page.evaluate(() => scrollY)).toBe(place);
    expect(report.mishaps).toEqual([]);
  });

  deepTest("a reply that takes minutes to read as Markdown holds up neither a report nor the next reply", async () => {
    const endless = `${"*".repeat(20_000)}a${"*".repeat(20_000)}`;
    const replies = [endless, "*fine* &amp; &copy; well"];
    const attempts = [replies.map((reply) => ({ reply, reference: "", overall: 0.2 }))];
    const run = makeResults({ id: "stars", name: "stars", scenarios: [{ id: "s", attempts }] });
    await using report = await openReport(browser(), run);
    await report.page.goto(`${report.url}#/runs/stars/s/1?view=rendered`);
    await report.page.locator("p:has(em)", { hasText: "fine & © well" }).waitFor({ timeout: 30_000 });
    await report.page.getByText(endless).waitFor();
    expect(report.mishaps).toEqual([]);
  });

  test("hostile text in a report stays text", async () => {
    await using report = await openReport(browser(), hostileRun);
    await report.page
      .getByRole("link", { name: /Attempt 1/ })
      .first()
      .click();
    await report.page.getByRole("radio", { name: "Markdown" }).check({ force: true });
    await report.page.getByRole("article", { name: "Turn 1" }).waitFor();
    expect(await report.page.locator("main :is(script, iframe, img, style, link)").count()).toBe(0);
    expect(report.mishaps).toEqual([]);
  });

  test("a report shows tool calls, the outcome and what failed, as the page does", async () => {
    await using report = await openReport(browser(), actingRun);
    await report.page.goto(`${report.url}#/runs/${actingRun.run_id}?tab=failures`);
    const wrong = report.page.getByRole("region", { name: "Wrong tool calls" });
    await wrong.getByRole("link").first().click();
    await report.page.getByText('order_id is "1043", expected "1042"').first().waitFor();
    const outcome = report.page.getByRole("region", { name: "Outcome" });
    await outcome.getByRole("rowheader", { name: "/orders/0/status" }).waitFor();
    expect(await axeViolations(report.page)).toEqual([]);
    expect(report.mishaps).toEqual([]);
  });
}
