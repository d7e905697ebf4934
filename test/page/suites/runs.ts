import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import type { Run } from "../../../src/contract/run.ts";
import { axeViolations } from "../support/axe.ts";
import { makeProblem } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { passTime } from "../support/pass-time.ts";
import { detailed, nightly, nightlyAfter, refusedKey, withoutScores } from "../support/sample-runs.ts";
import { sampleScenario } from "../support/sample-scenarios.ts";

const oneTurn = { model_id: "demo/flaky", test_batch: { id: "a", interactions: [{ user_message: "hi" }] } };

export function runsSuite(browser: () => Browser): void {
  test("without a network the services of this machine are asked as ever", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    await tab.page.evaluate("dispatchEvent(new Event('offline'))");
    await tab.page.getByRole("link", { name: "nightly support" }).click();
    await tab.page.getByRole("table", { name: "Attempts by scenario" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("the list shows each run with its score, interval, success and failures", async () => {
    await using services = await startFakeServices({ runs: [nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/");

    const row = tab.page.getByRole("row", { name: /nightly support/ });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/20 attempts.*0\.78 \[0\.53, 1\.00\].*92 %.*! 2.*1 m 12 s/s);
    expect(tab.page.url()).toBe(`${services.origin}/runs`);
    expect(tab.mishaps).toEqual([]);
  });

  test("the details of a run say that it was scored again, and what was replaced", async () => {
    const rescored = { at: "2026-02-03T10:00:00.000Z", replaced: ["scorers", "judge"], partial: true as const };
    const run = { ...nightly, summary: { ...nightly.summary, rescored } };
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}?tab=details`);
    const fact = tab.page.getByText(/replaced: scorers, judge; broken off/);
    await fact.waitFor();
    expect(await fact.innerText()).toContain("2026");
    expect(tab.mishaps).toEqual([]);
  });

  test("a run is scored again by what its scenarios expect now, and shows it", async () => {
    const scenarios = [{ ...sampleScenario, id: "angry-customer" }, sampleScenario];
    await using services = await startFakeServices({ runs: [nightly], scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}?tab=details`);
    await tab.page.getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Score again" }).click();
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByLabel("Use the references, labels and checks that the library has now").check();
    await dialog.getByRole("button", { name: "Score again" }).click();
    await dialog.getByText("there are other references").waitFor();
    await dialog.getByLabel("Ask judge, labeller and embedder again").check();
    await dialog.getByRole("button", { name: "Score again" }).click();
    await dialog.waitFor({ state: "detached" });
    await tab.page.getByText(/replaced: angry-customer$/).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a run whose scenarios are in no library cannot be scored by them", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Score again" }).click();
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByLabel("Use the references, labels and checks that the library has now").check();
    await dialog.getByRole("button", { name: "Score again" }).click();
    await dialog.getByText("The library holds none of this run's scenarios.").waitFor();
    expect(await dialog.innerText()).not.toContain("went wrong in the page");
    expect(services.requests.filter((request) => request.includes("rescore"))).toEqual([]);
  });

  test("a filter in the address narrows the list, and clearing it brings all back", async () => {
    await using services = await startFakeServices({ runs: [nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs?search=nothing");

    await tab.page.getByText("No run matches these filters.").waitFor();
    await tab.page.getByRole("button", { name: "Clear filters" }).click();
    await tab.page.getByRole("link", { name: "broken endpoint" }).waitFor();

    await tab.page.getByLabel("Model").fill("openai/gpt-x");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor({ state: "detached" });
    expect(tab.page.url()).toContain("model=openai%2Fgpt-x");
  });

  test("a run is found by part of its name, and by the name of its model, whose id nobody remembers", async () => {
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

  test("a run that was deleted elsewhere is not shown from memory; trouble in reading it again is told", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const lookAgain = async (): Promise<void> => {
      // What was read is taken for fresh for two seconds.
      await tab.page.clock.runFor(2100);
      await tab.page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    };
    await tab.page.clock.install();
    await tab.open(`/runs/${nightly.run_id}`);
    const table = tab.page.getByRole("table", { name: "Attempts by scenario" });
    await table.waitFor();
    const trouble = makeProblem("internal_error", "Something broke.");
    const headers = { "access-control-allow-origin": services.origin };
    await tab.page.route(
      (url) => url.pathname === `/runs/${nightly.run_id}` && url.origin === services.evaluation,
      (route) => route.fulfill({ status: 500, json: trouble, headers }),
      { times: 1 },
    );
    await lookAgain();
    await tab.page.getByRole("button", { name: "Try again" }).waitFor();
    expect(await table.count()).toBe(1);
    await tab.page.getByRole("button", { name: "Try again" }).click();
    await tab.page.getByRole("alert").waitFor({ state: "detached" });

    services.runs.remove(nightly.run_id);
    await lookAgain();
    await tab.page.getByText("There is no such run").waitFor();
    expect(await table.count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("long names leave room for the rest, and where columns do not fit every figure keeps its name", async () => {
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

  test("while a run is under way, pages of the list on which nothing can change are not read again", async () => {
    const ended = Array.from({ length: 120 }, (_, index) =>
      makeResults({ id: `ended-${index}`, name: `ended ${index}`, scenarios: [] }),
    );
    await using services = await startFakeServices({ runs: ended });
    await using tab = await openTab({ browser: browser(), services });
    // The fake lists the oldest first: this one stands on the last page.
    services.runs.start({ ...oneTurn, test_name: "under way" });
    await tab.page.clock.install();
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

  test("without runs it offers three ways to start", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    for (const name of [/Run the demo/, /Paste a scenario/, /Point at your endpoint/]) {
      await tab.page.getByRole("link", { name }).waitFor();
    }
    expect(tab.mishaps).toEqual([]);
  });

  test("a service that does not answer is named, with what to do", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.route(`${services.evaluation}/**`, (route) => route.abort());
    await tab.open("/runs");
    const alert = tab.page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toContain(services.evaluation);
    expect(await alert.innerText()).toContain("Check that Rehearsal is still running");
  });

  test("what a request did not say as it was meant stands above the results", async () => {
    const warned = [{ pointer: "/atempts", message: "is not a known field", suggestion: "attempts" }];
    await using services = await startFakeServices({ runs: [{ ...nightly, warnings: warned }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    const warnings = tab.page.getByRole("list", { name: "Warnings" });
    expect(await warnings.innerText()).toContain("/atempts is not a known field. Did you mean attempts?");
  });

  test("the details say which prompt a run was asked with", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}?tab=details`);
    const settings = tab.page.getByRole("region", { name: "Settings" });
    expect(await settings.innerText()).toMatch(/system_prompt\s+Be brief\./);
    expect(await settings.innerText()).not.toContain("test_batch");
    expect(await axeViolations(tab.page)).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });

  test("an unknown run is told in plain words", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/nope");
    await tab.page.getByText("There is no such run").waitFor();
    expect(await tab.page.getByRole("alert").innerText()).toContain("Next: It may have been deleted");
    // Asking again would not bring it back.
    expect(await tab.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  test("scenarios stand in the order failing, flaky, passing", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    const table = tab.page.getByRole("table", { name: "Attempts by scenario" });
    await table.waitFor();
    const verdicts = (await table.innerText()).match(/failing|flaky|passing/g);
    expect(verdicts).toEqual(["failing", "flaky", "flaky", "passing"]);
    expect(await tab.page.getByRole("link", { name: /a request failed/ }).count()).toBe(2);
  });

  test("what a stopped run never came to, or not to the end of, is not passed", async () => {
    const stopped = makeResults({
      id: "01990000-0000-7000-8000-000000000007",
      name: "stopped",
      scenarios: [
        { id: "begun", attempts: [[{ overall: 0.9 }], [{ overall: 0.9 }], []] },
        { id: "halfway", attempts: [[{ overall: 0.9 }]] },
        { id: "never", attempts: [[], [], []] },
      ],
    });
    for (const attempt of stopped.results.scenarios[1]?.attempts ?? []) attempt.unfinished = true;
    await using services = await startFakeServices({ runs: [{ ...stopped, state: "cancelled" }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${stopped.run_id}`);
    const row = tab.page.getByRole("row").filter({ hasText: "never" });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/not run.*0 of 3 run/s);
    expect(await tab.page.getByRole("row").filter({ hasText: "begun" }).innerText()).toMatch(/2 of 2.*2 of 3 run/s);
    expect(await tab.page.getByRole("link", { name: "Attempt 1: not run" }).count()).toBe(1);
    expect(await tab.page.getByRole("row").filter({ hasText: "halfway" }).innerText()).toMatch(
      /not finished.*0 of 1 run/s,
    );
    await tab.page.getByRole("radio", { name: "not finished 2" }).waitFor();
    await tab.page.getByRole("link", { name: "Attempt 1: not finished" }).click();
    await tab.page.getByText("This attempt is not finished").waitFor();
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
    await tab.page.getByRole("row").filter({ hasText: "stopped by its budget" }).getByRole("link").click();
    await tab.page.getByText(/^planned; \d+ of 900 turns run$/).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("failed turns are gathered by cause with the first thing to check", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}?tab=failures`);
    await tab.page.getByText("Check the key bound to this origin").waitFor();
    expect(await tab.page.getByRole("listitem").innerText()).toContain("! 2 turns");
  });

  test("what could not be scored is not called passing, and the scores say why", async () => {
    const judged = makeResults({
      id: "01990000-0000-7000-8000-000000000008",
      name: "judged",
      scenarios: [{ id: "refund", attempts: [[{}], [{}]] }],
    });
    const { success } = judged.summary.score_stats;
    const summary = { ...judged.summary, score_stats: { ...(success && { success }) } };
    for (const attempt of judged.results.scenarios[0]?.attempts ?? []) {
      attempt.average_scores = { success: 1 };
      for (const turn of attempt.interactions) {
        turn.scores = { success: 1, token_f1: 1 };
        turn.score_reasons = {
          overall: "judge_correctness could not be had",
          judge_correctness: "unscored: HTTP 500 from judge.example",
        };
      }
    }
    await using services = await startFakeServices({ runs: [{ ...judged, summary }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${judged.run_id}`);
    await tab.page.getByRole("radio", { name: "not scored 1" }).waitFor();
    expect(await tab.page.getByRole("radio", { name: "passing 0" }).count()).toBe(1);
    await tab.page.getByText("nothing could be scored: see Scores").waitFor();
    await tab.page.getByRole("link", { name: "Scores" }).click();
    const causes = tab.page.getByRole("region", { name: "Replies without an overall score" });
    await causes.getByText("2 × judge correctness could not be had: HTTP 500 from judge.example").waitFor();
    await causes.getByRole("link", { name: "Show the first one" }).click();
    await tab.page.getByRole("heading", { name: "refund" }).waitFor();
  });

  test("conversations the judge gave no verdict on are told with the scores, and why with the attempt", async () => {
    const run = makeResults({
      id: "01990000-0000-7000-8000-000000000010",
      name: "judged as a whole",
      scenarios: [{ id: "refund", attempts: [[{}], [{}]] }],
    });
    for (const attempt of run.results.scenarios[0]?.attempts ?? []) {
      const score_reasons = { conversation_quality: "unscored: scoring broke: out of memory" };
      attempt.conversation = { scores: {}, score_reasons, judgements: {} };
    }
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}?tab=scores`);
    const causes = tab.page.getByRole("region", { name: "Conversations without a verdict" });
    await causes.getByText("2 conversations were not judged").waitFor();
    await causes.getByText("2 × conversation quality: scoring broke: out of memory").waitFor();
    await causes.getByRole("link", { name: "Show the first one" }).click();
    const notes = tab.page.getByRole("region", { name: "About this attempt" });
    await notes.getByText("unscored: scoring broke: out of memory").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a service that cannot be reached is told once, however much of a run was asked for", async () => {
    await using services = await startFakeServices({ runs: [{ ...nightly, state: "running" }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.clock.install();
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("table", { name: "Attempts by scenario" }).waitFor();
    const refused: string[] = [];
    tab.page.on("requestfailed", (request) => refused.push(request.url()));
    const tries = (end: string): number => refused.filter((url) => url.endsWith(end)).length;
    await tab.page.route(`${services.evaluation}/runs/**`, (route) => route.abort());
    // What was read of a run that goes on is taken for fresh for two seconds.
    await tab.page.clock.runFor(2100);
    await tab.page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    // Both are tried three times.
    await expect
      .poll(() => Math.min(tries("/results"), tries(nightly.run_id)), { timeout: 20_000 })
      .toBeGreaterThanOrEqual(3);
    await tab.page.getByRole("alert").first().waitFor();
    expect(await tab.page.getByRole("alert").count()).toBe(1);
  });

  test("a run is exported in the format chosen", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    const download = tab.page.waitForEvent("download");
    await tab.page.getByRole("button", { name: "Export" }).click();
    await tab.page.getByRole("menuitem", { name: "JUnit" }).click();
    expect((await download).suggestedFilename()).toBe(`run-${nightly.run_id}.xml`);
  });

  test("a file that cannot be had is told below the buttons, not between them", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.route("**/export?*", (route) => route.abort());
    await tab.page.getByRole("button", { name: "Export" }).click();
    await tab.page.getByRole("menuitem", { name: "JUnit" }).click();
    const notice = await tab.page.getByRole("alert").boundingBox();
    for (const name of ["Export", "More"]) {
      const button = await tab.page.getByRole("button", { name }).boundingBox();
      expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(notice?.y ?? 0);
    }
  });

  test("a run under way shows one count of its turns", async () => {
    await using services = await startFakeServices({
      runs: [{ ...nightly, state: "running", message: "0 of 26 done" }],
    });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("progressbar").waitFor();
    expect(await tab.page.getByText("0 of 26 done").count()).toBe(0);
  });

  test("a run is followed live until it ends", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    services.runs.finish();
    await tab.page.getByRole("link", { name: "Run again" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a run that nobody carries out any more says so, and how to go on, until somebody does", async () => {
    await using services = await startFakeServices({ runs: [{ ...nightly, state: "running" }] });
    await using tab = await openTab({ browser: browser(), services });
    const message = "`rehearsal eval --resume x` goes on with it";
    const interrupt = (run: object) => ({ ...run, interrupted: true, message });
    const listed = ({ origin, pathname }: URL) => origin === services.evaluation && pathname === "/runs";
    const single = `${services.evaluation}/runs/${nightly.run_id}`;
    await tab.page.route(listed, async (route) => {
      const response = await route.fetch();
      const { runs, ...page } = (await response.json()) as { runs: object[] };
      await route.fulfill({ response, json: { ...page, runs: runs.map(interrupt) } });
    });
    await tab.page.route(single, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: interrupt((await response.json()) as object) });
    });
    await tab.open("/runs");
    await tab.page.getByRole("row", { name: /nightly support.*interrupted/ }).waitFor();

    await tab.open(`/runs/${nightly.run_id}`);
    const heading = tab.page.getByRole("heading", { level: 1 });
    await heading.getByText("interrupted").waitFor();
    await tab.page.getByText(message).waitFor();
    expect(await tab.page.getByText("left", { exact: false }).count()).toBe(0);

    await tab.page.unroute(single);
    await heading.getByText("running").waitFor({ timeout: 20_000 });
    await tab.page.getByText(message).waitFor({ state: "detached" });
    expect(tab.mishaps).toEqual([]);
  });

  test("a run that is deleted elsewhere is no longer asked for", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    await tab.page.clock.install();
    let asked = 0;
    tab.page.on("request", (request) => (asked += Number(request.url().startsWith(services.evaluation))));
    await tab.page.route("**/events", (route) => route.abort(), { times: 1 });
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    services.runs.remove(run.run_id);
    await tab.page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await tab.page.getByText("There is no such run").waitFor();
    await passTime(tab.page, 1000);
    const before = asked;
    expect(before).toBeGreaterThan(0);
    await passTime(tab.page, 60_000);
    expect(asked).toBe(before);
  });

  test("with a key that was revoked a run is asked for no longer, and followed again with another", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    let refused = 0;
    const problem = makeProblem("auth_expired", "The API key has expired or was revoked.");
    await tab.page.clock.install();
    const isAsked = (url: URL): boolean => url.origin === services.evaluation && url.pathname.startsWith("/runs");
    const refuse = () =>
      tab.page.route(isAsked, (route) => {
        refused += 1;
        return route.fulfill({ status: 401, json: problem, headers: { "access-control-allow-origin": "*" } });
      });
    for (const path of ["/runs", `/runs/${run.run_id}`]) {
      await tab.open(path);
      await tab.page.locator("span").getByText("running").waitFor();
      await refuse();
      // What goes on is asked about again within five seconds.
      await tab.page.clock.runFor(5000);
      await tab.page.getByLabel(/^API key/).waitFor();
      await passTime(tab.page, 1000);
      const asked = refused;
      await passTime(tab.page, 60_000);
      expect(refused).toBe(asked);
      await tab.page.unroute(isAsked);
      await tab.page.getByLabel(/^API key/).fill("another");
      await tab.page.getByRole("button", { name: "Use key" }).click();
      await tab.page.getByRole("alert").waitFor({ state: "detached" });
    }
    services.runs.finish();
    await tab.page.getByText("completed", { exact: true }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a run is followed without events too", async () => {
    await using services = await startFakeServices({ events: false });
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    services.runs.finish();
    await tab.page.getByRole("link", { name: "Run again" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a guarded service is opened with the key the user gives", async () => {
    await using services = await startFakeServices({ runs: [nightly], apiKey: "secret" });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByLabel("API key").fill("secret");
    await tab.page.getByRole("button", { name: "Use key" }).click();
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("stopping a run says so, and deleting one asks first", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByRole("button", { name: "Stop" }).click();
    await tab.page.getByText("cancelled").waitFor();

    await tab.page.getByRole("button", { name: "More" }).press("Enter");
    await tab.page.locator("[role=menuitem]:focus").waitFor();
    await tab.page.keyboard.press("End");
    await tab.page.locator("[role=menuitem]:focus", { hasText: "Delete" }).waitFor();
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await tab.page.waitForURL("**/runs");
    expect(services.runs.list()).toEqual([]);
  });

  test("the list is sorted by any column, and the address remembers it", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    const names = () => tab.page.getByRole("row").getByRole("link", { name: /nightly|broken/ });
    await tab.page.getByRole("button", { name: "No reply" }).click();
    await tab.page.waitForURL("**sort=-failed");
    await tab.page.locator('th[aria-sort="descending"]').getByText("No reply").waitFor();
    expect(await names().allInnerTexts()).toEqual(["nightly support", "broken endpoint", "nightly support"]);
    await tab.page.getByRole("button", { name: "Test" }).click();
    await tab.page.waitForURL("**sort=name");
    await tab.page.reload();
    await names().first().waitFor();
    expect(await names().allInnerTexts()).toEqual(["broken endpoint", "nightly support", "nightly support"]);
    expect(tab.mishaps).toEqual([]);
  });

  test("a list that is sorted as far as it was read says so", async () => {
    const runs = Array.from({ length: 60 }, (_, index) =>
      makeResults({ id: `run-${index}`, name: `run ${index}`, scenarios: [] }),
    );
    await using services = await startFakeServices({ runs });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    const note = tab.page.getByText("Only these 50 are sorted");
    await tab.page.getByRole("button", { name: "Older runs" }).waitFor();
    expect(await note.count()).toBe(0);
    await tab.page.getByRole("button", { name: "Test" }).click();
    await note.waitFor();
    await tab.page.getByRole("button", { name: "Older runs" }).click();
    await note.waitFor({ state: "detached" });
    expect(tab.mishaps).toEqual([]);
  });

  test("runs sorted by success stand in the order of what is shown", async () => {
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
    await tab.open("/runs?sort=-success");
    const shares = tab.page.locator('td[data-label="Success"]');
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

  test("a run whose name is blank can be told of and opened", async () => {
    const run = makeResults({ id: "blank", name: " ", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "(no name)" }).click();
    await tab.page.getByRole("heading", { name: "(no name)" }).waitFor();
    expect(await tab.page.title()).toContain("(no name)");
  });

  test("a score and its trend stay within their place on a card", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services, width: 640 });
    await tab.open("/runs");
    const cell = tab.page.locator('td[data-label="Overall"]').first();
    await cell.locator("svg").waitFor();
    expect(await cell.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  });

  test("tabs of several runs of one test are told apart by their first letters", async () => {
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

  test("a test and its labels may be called what every object has", async () => {
    const run = makeResults({ id: "odd", name: "constructor", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
    const confusion = { constructor: { constructor: 2 }, refund: { refund: 1 } };
    Object.assign(run.summary.label_metrics["intent"] ?? {}, { confusion });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "constructor" }).waitFor();
    expect(await tab.page.getByRole("main").innerText()).not.toContain("NaN");
    await tab.open("/runs/odd?tab=scores");
    const matrix = tab.page.getByRole("region", { name: "Confusion of intent" });
    expect(await matrix.getByRole("row", { name: /^refund/ }).innerText()).toMatch(/refund\s+0\s+✓ 1/);
    expect(tab.mishaps).toEqual([]);
  });

  test("of many labels the most frequent mix-ups are told first, and the matrix is drawn when it is asked for", async () => {
    const run = makeResults({ id: "many", name: "many", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
    const names = Array.from({ length: 20 }, (_, index) => `a_label_with_a_name_that_is_rather_long_${index}`);
    const confusion = Object.fromEntries(names.map((name, index) => [name, { [name]: 5, other: index }]));
    Object.assign(run.summary.label_metrics["intent"] ?? {}, { confusion });
    Object.assign(run.summary.score_stats, { [`metadata.${"long".repeat(20)}`]: run.summary.score_stats["overall"] });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.open("/runs/many?tab=scores");
    const scores = tab.page.getByRole("region", { name: "Scores", exact: true });
    expect(await scores.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    const mixUps = tab.page.getByRole("table", { name: "The 10 most frequent of 19 mix-ups" });
    expect(await mixUps.getByRole("row").nth(1).innerText()).toMatch(/19\s+.*long_19\s+other/);
    expect(await mixUps.getByRole("row").count()).toBe(11);
    const matrix = tab.page.getByRole("region", { name: "Confusion of intent" });
    expect(await matrix.count()).toBe(0);
    await tab.page.getByText("All 21 labels").click();
    const expected = matrix.getByRole("rowheader", { name: /long_19/ });
    await expected.waitFor();
    const outer = await matrix.boundingBox();
    await matrix.evaluate((box) => box.scrollBy(2000, 0));
    const header = await expected.boundingBox();
    expect(header?.x).toBeCloseTo(outer?.x ?? 0, -1);
    expect(header?.width).toBeLessThan((outer?.width ?? 0) / 2);
    expect(await axeViolations(tab.page)).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });

  test("every figure has its interval, or the reason why there is none", async () => {
    const run = makeResults({ id: "same", name: "same", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
    const reason = "all 4 scenarios have the same value";
    Object.assign(run.summary.score_stats["overall"] ?? {}, { n: 4, ci_lower: null, method: `none: ${reason}` });
    Object.assign(run.summary.label_metrics["intent"] ?? {}, { kappa_ci_lower: 0.41, kappa_ci_upper: 0.83 });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/same?tab=scores");
    await tab.page.getByText("kappa 0.62 [0.41, 0.83]").waitFor();
    expect(await tab.page.getByRole("row", { name: /^overall/ }).innerText()).toContain(`none: ${reason}`);
    expect(await tab.page.getByText(reason, { exact: true }).count()).toBe(1);
  });

  test("drift, breakdown, conflicts and the gate are shown where a run has them", async () => {
    await using services = await startFakeServices({ runs: [detailed] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${detailed.run_id}?tab=scores`);
    await tab.page.getByText("Own replies cost 0.10 of overall.").waitFor();
    expect(await tab.page.getByRole("region", { name: "Drift by score and turn" }).innerText()).toMatch(
      /overall, turn 2\s+0\.60\s+0\.80\s+\+0\.20\s+\+0\.10 to \+0\.30/,
    );
    expect(await tab.page.getByRole("region", { name: "Scores by turn" }).innerText()).toContain("turn 2");
    await tab.page.getByText("gate failed: 1 check").click();
    await tab.page.getByText("overall 0.7, must be at least 0.9").waitFor();
    await tab.page.getByText("2 replies contradict the reference on some point").waitFor();
    await tab.open(`/runs/${detailed.run_id}/refund-status/1`);
    await tab.page.getByText("the reply says 7, the reference 5").first().waitFor();
    await tab.page.getByText("It names another number of days.").first().waitFor();
    await tab.page.getByText("$0.0021").first().waitFor();
    expect(tab.mishaps).toEqual([]);
  });
}
