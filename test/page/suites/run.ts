import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { actingRun } from "../support/acting-run.ts";
import { axeViolations } from "../support/axe.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { detailed, nightly, nightlyAfter, refusedKey } from "../support/sample-runs.ts";
import { sampleScenario } from "../support/sample-scenarios.ts";
import { deepTest } from "../../support/deep-test.ts";

export function runSuite(browser: () => Browser): void {
  deepTest("the details of a run say that it was scored again, and what was replaced", async () => {
    const rescored = { at: "2026-02-03T10:00:00.000Z", replaced: ["scorers", "judge"], partial: true as const };
    const run = { ...nightly, summary: { ...nightly.summary, rescored } };
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}?tab=details`);
    const fact = tab.page.getByText(/replaced: scorers, judge; interrupted/);
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
    await dialog.getByLabel("Use the library's current references, labels and checks").check();
    await dialog.getByRole("button", { name: "Score again" }).click();
    await dialog.getByText("there are other references").waitFor();
    await dialog.getByLabel("Run judge, labeller and embedder again").check();
    await dialog.getByRole("button", { name: "Score again" }).click();
    await dialog.waitFor({ state: "detached" });
    await tab.page.getByText(/replaced: angry-customer$/).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a run whose scenarios are in no library cannot be scored by them", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Score again" }).click();
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByLabel("Use the library's current references, labels and checks").check();
    await dialog.getByRole("button", { name: "Score again" }).click();
    await dialog.getByText("None of this run's scenarios are in the library.").waitFor();
    expect(await dialog.innerText()).not.toContain("went wrong in the page");
    expect(services.requests.filter((request) => request.includes("rescore"))).toEqual([]);
  });

  test("warnings about a request appear above the results", async () => {
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

  test("an unknown run is reported in plain words", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/nope");
    await tab.page.getByText("There is no such run").waitFor();
    expect(await tab.page.getByRole("alert").innerText()).toContain("Next: It may have been deleted");
    // Asking again would not bring it back.
    expect(await tab.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  test("a run leads with its pass rate, its score with the interval, and the distance to its baseline", async () => {
    await using services = await startFakeServices({ runs: [nightly, nightlyAfter] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.evaluate(
      ([key, pins]) => localStorage.setItem(key ?? "", pins ?? ""),
      [
        "rehearsal.baselines",
        JSON.stringify({
          [nightly.test_name]: { runId: nightly.run_id, overall: nightly.summary.average_scores["overall"] },
        }),
      ],
    );
    await tab.open(`/runs/${nightlyAfter.run_id}`);
    const result = tab.page.getByRole("group", { name: "Result" });
    await result.waitFor();
    expect(await result.innerText()).toMatch(
      /^3 of 4 scenarios pass · 0\.\d{3} \[0\.\d{3}, 0\.\d{3}\] · \+0\.\d{3} vs\. baseline\s+overall score: 95 % interval, n = \d+$/,
    );
    expect(await tab.page.locator("dl > div", { hasText: "Replies" }).innerText()).toMatch(/100 %/);
    expect(await tab.page.getByRole("main").innerText()).not.toContain("Success");
    await result.getByRole("link", { name: "vs. baseline" }).click();
    await tab.page.waitForURL("**/compare?**");
    expect(tab.mishaps).toEqual([]);
  });

  test("a run in which nothing answered says so first, with the cause and the fix", async () => {
    const refused = {
      ...refusedKey,
      code: "upstream_unreachable" as const,
      detail: "connect ECONNREFUSED 127.0.0.1:9",
    };
    const turns = [{ error: refused }, { error: refused }];
    const dead = makeResults({
      id: "dead",
      name: "dead",
      scenarios: ["a", "b", "c"].map((id) => ({ id, attempts: [turns] })),
    });
    await using services = await startFakeServices({ runs: [{ ...dead, endpoint: "http://127.0.0.1:9" }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/dead");
    const banner = tab.page.getByRole("region", { name: "Missing replies" });
    await banner.getByRole("heading", { name: "No model at http://127.0.0.1:9 accepted connections" }).waitFor();
    expect(await banner.innerText()).toMatch(
      /None of 6 requests was answered.*ECONNREFUSED.*Fix: Check that it is running/s,
    );
    const heading = tab.page.getByRole("heading", { level: 1 });
    expect(await heading.innerText()).toContain("completed, 6 of 6 requests failed");
    expect(await heading.locator(".text-good").count()).toBe(0);
    const table = tab.page.getByRole("table", { name: "Attempts by scenario" });
    expect((await table.innerText()).match(/no reply|failing/g)).toEqual(["no reply", "no reply", "no reply"]);
    await tab.page.getByRole("radio", { name: "no reply 3" }).waitFor();
    expect(await axeViolations(tab.page)).toEqual([]);
    await banner.getByRole("link", { name: "Show failed requests" }).click();
    await tab.page.waitForURL("**/runs/dead?tab=failures");
    expect(tab.mishaps).toEqual([]);
  });

  test("a passing scenario is marked when one of its turns fails in every attempt", async () => {
    const attempt = [{ overall: 1 }, { overall: 0.3 }, { overall: 1 }, { overall: 1 }, { overall: 1 }];
    const scenarios = [
      { id: "hidden", attempts: [attempt, attempt] },
      { id: "fine", attempts: [attempt, attempt.toReversed()] },
    ];
    await using services = await startFakeServices({
      runs: [makeResults({ id: "marked", name: "marked", scenarios })],
    });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/marked");
    const row = tab.page.getByRole("row", { name: /hidden/ });
    await row.getByText("Turn 2 fails in every attempt").waitFor();
    expect(await row.locator(".text-good").count()).toBe(0);
    expect(await tab.page.getByRole("row", { name: /fine/ }).innerText()).not.toContain("every attempt");
    expect(await tab.page.getByRole("group", { name: "Result" }).innerText()).toMatch(
      /^2 of 2 scenarios pass.*1 with a turn that always fails/s,
    );
    await tab.open("/runs");
    await tab.page.getByRole("row").getByText("1 with a turn that always fails").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("the scenarios are sorted by any column, with headers and filters in sight, and zeros are tinted", async () => {
    const scenarios = Array.from({ length: 40 }, (_, index) => ({
      id: `s-${String(index).padStart(2, "0")}`,
      attempts: [[{ overall: index / 40 }]],
    }));
    await using services = await startFakeServices({ runs: [makeResults({ id: "many", name: "many", scenarios })] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/many");
    const first = tab.page.getByRole("row").nth(1);
    await first.getByText("s-00").waitFor();
    const [zero = "", passed = ""] = await tab.page
      .locator("a.attempt-square")
      .evaluateAll((squares) =>
        squares
          .slice(0, 1)
          .flatMap((square) => [
            getComputedStyle(square).backgroundColor,
            getComputedStyle(document.body).backgroundColor,
          ]),
      );
    expect(zero).not.toBe(passed);
    await tab.page.getByRole("button", { name: "Overall ± sd" }).click();
    await tab.page.waitForURL("**sort=overall");
    await tab.page.getByRole("button", { name: "Overall ± sd" }).click();
    await tab.page.waitForURL("**sort=-overall");
    await first.getByText("s-39").waitFor();
    expect(await tab.page.getByRole("columnheader", { name: "Overall ± sd" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
    await tab.page.mouse.move(600, 600);
    await tab.page.mouse.wheel(0, 1500);
    await tab.page.getByText("s-05").waitFor();
    const bottoms = await Promise.all(
      [tab.page.getByLabel("Find a scenario"), tab.page.getByRole("columnheader", { name: "Scenario" })].map(
        async (shown) => ((await shown.boundingBox())?.y ?? -1) >= 0,
      ),
    );
    expect(bottoms).toEqual([true, true]);
    expect(tab.mishaps).toEqual([]);
  });

  test("scenarios stand in the order failing, flaky, passing", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    const table = tab.page.getByRole("table", { name: "Attempts by scenario" });
    await table.waitFor();
    const verdicts = (await table.innerText()).match(/failing|flaky|passing/g);
    expect(verdicts).toEqual(["failing", "flaky", "flaky", "passing"]);
    expect(await tab.page.getByRole("link", { name: /request failed/ }).count()).toBe(2);
  });

  deepTest("attempts that a stopped run did not finish are not passed", async () => {
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

  test("failed turns are gathered by cause with the first thing to check", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}?tab=failures`);
    await tab.page.getByText("Check that the service's environment has a valid key").waitFor();
    expect(await tab.page.getByRole("listitem").innerText()).toContain("2 turns without a reply");
  });

  test("unscored turns are not shown as passed, and the scores say why", async () => {
    const judged = makeResults({
      id: "01990000-0000-7000-8000-000000000008",
      name: "judged",
      scenarios: [{ id: "refund", attempts: [[{}], [{}]] }],
    });
    const { success } = judged.summary.score_stats;
    const { scenarios: _outdated, ...figures } = judged.summary;
    const summary = { ...figures, score_stats: { ...(success && { success }) } };
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
    await tab.page.getByRole("radio", { name: "not judged 1" }).waitFor();
    expect(await tab.page.getByRole("radio", { name: "passing 0" }).count()).toBe(1);
    await tab.page.getByText("No scores available, see Scores").waitFor();
    await tab.page.getByRole("link", { name: "Scores" }).click();
    const causes = tab.page.getByRole("region", { name: "Replies without an overall score" });
    await causes.getByText("2 × judge correctness could not be had: HTTP 500 from judge.example").waitFor();
    await causes.getByRole("link", { name: "Show the first one" }).click();
    await tab.page.getByRole("heading", { name: "refund" }).waitFor();
  });

  test("conversations without a verdict of the judge are counted with the scores, and the attempt shows the reason", async () => {
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

  deepTest("an unreachable service is reported once, however many requests of a run fail", async () => {
    await using services = await startFakeServices({ runs: [{ ...nightly, state: "running" }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.stopClock();
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("table", { name: "Attempts by scenario" }).waitFor();
    const refused: string[] = [];
    tab.page.on("requestfailed", (request) => refused.push(request.url()));
    const tries = (end: string): number => refused.filter((url) => url.endsWith(end)).length;
    await tab.page.route(`${services.evaluation}/**`, (route) => route.abort());
    // Loaded data of a running run counts as fresh for two seconds.
    await tab.page.clock.runFor(2100);
    await tab.page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    // Both are tried three times.
    await expect
      .poll(() => Math.min(tries("/results"), tries(nightly.run_id)), { timeout: 20_000 })
      .toBeGreaterThanOrEqual(3);
    await tab.page.getByText("Cannot reach the service").waitFor();
    expect(await tab.page.getByText("Cannot reach the service").count()).toBe(1);
    expect(await tab.page.getByRole("alert").count()).toBe(0);
  });

  deepTest("a run is exported in the format chosen", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    const download = tab.page.waitForEvent("download");
    await tab.page.getByRole("button", { name: "Export" }).click();
    await tab.page.getByRole("menuitem", { name: "JUnit" }).click();
    expect((await download).suggestedFilename()).toBe("nightly-support-2026-11-14-000001.xml");
  });

  deepTest("a failed download is reported below the buttons, not between them", async () => {
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

  deepTest("a test and its labels may be called what every object has", async () => {
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

  deepTest("of many labels the most frequent mix-ups come first, and the matrix is drawn on demand", async () => {
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
    const mixUps = tab.page.getByRole("table", { name: "The 10 most frequent of 19 confusions" });
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

  test("every figure has its interval or the reason why there is none, and labels that no reply has are named", async () => {
    const run = makeResults({ id: "same", name: "same", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
    const reason = "all 4 scenarios have the same value";
    Object.assign(run.summary.score_stats["overall"] ?? {}, { n: 4, ci_lower: null, method: `none: ${reason}` });
    Object.assign(run.summary.label_metrics["intent"] ?? {}, { kappa_ci_lower: 0.41, kappa_ci_upper: 0.83 });
    run.summary.label_metrics["amount"] = { n: 0, accuracy: null, macro_f1: null, kappa: null, confusion: {} };
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/same?tab=scores");
    await tab.page.getByText("kappa 0.620 [0.410, 0.830]").waitFor();
    const labels = await tab.page.getByRole("region", { name: "Labels" }).innerText();
    expect(labels).toMatch(/amount\s+No reply could be labelled\.$/);
    expect(await tab.page.getByRole("row", { name: /^overall/ }).innerText()).toContain(`none: ${reason}`);
    const result = tab.page.getByRole("group", { name: "Result" });
    expect(await result.innerText()).toContain(`overall score: no interval, ${reason}`);
    await tab.page.setViewportSize({ width: 390, height: 800 });
    expect(await result.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(false);
  });

  test("drift, breakdown, conflicts and the gate are shown where a run has them", async () => {
    await using services = await startFakeServices({ runs: [detailed] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${detailed.run_id}?tab=scores`);
    await tab.page.getByText("Own replies cost 0.10 of overall.").waitFor();
    expect(await tab.page.getByRole("region", { name: "Drift by score and turn" }).innerText()).toMatch(
      /overall, turn 2\s+0\.600\s+0\.800\s+\+0\.200\s+\+0\.100 to \+0\.300/,
    );
    expect(await tab.page.getByRole("region", { name: "Scores by turn" }).innerText()).toContain("turn 2");
    await tab.page.getByText("gate failed: 1 check").click();
    await tab.page.getByText("overall 0.7, must be at least 0.9").waitFor();
    await tab.page.getByText("2 replies may contradict the reference").waitFor();
    await tab.open(`/runs/${detailed.run_id}/refund-status/1`);
    await tab.page.getByText("the reply says 7, the reference 5").first().waitFor();
    await tab.page.getByText("It names another number of days.").first().waitFor();
    await tab.page.getByText("$0.0021").first().waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a run of an agent leads with its outcomes and tool calls, groups their scores and counts what was wrong", async () => {
    await using services = await startFakeServices({ runs: [actingRun] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${actingRun.run_id}?tab=scores`);
    const figures = tab.page.getByLabel("What the agent did");
    await figures.getByText("pass^3").waitFor();
    expect((await figures.innerText()).replaceAll(/\s+/g, " ")).toMatch(
      /Outcomes met 33 % .*pass\^3 0 % .*Tool calls right 67 %/,
    );
    const groups = tab.page.getByRole("region", { name: "Scores" }).getByRole("rowheader");
    await groups.first().waitFor();
    const heads = await tab.page.locator("tr.score-group").allInnerTexts();
    expect(heads.map((head) => head.trim())).toEqual(["Outcome", "Tool calls", "Replies and labels"]);
    await tab.page.getByRole("link", { name: "Errors (6)" }).click();
    const missed = tab.page.getByRole("region", { name: "Missed outcomes" });
    await missed.getByText("2 attempts").waitFor();
    const wrong = tab.page.getByRole("region", { name: "Wrong tool calls" });
    expect(await wrong.getByRole("listitem").count()).toBe(4);
    expect(await axeViolations(tab.page)).toEqual([]);
    await wrong.getByRole("link").first().click();
    await tab.page.waitForURL("**/cancel-order/2?turn=2");
    expect(tab.mishaps).toEqual([]);
  });

  test.each([390, 1440])("a run that stops when it is decided draws its sequence, at %i pixels", async (width) => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services, width });
    const at = `${services.evaluation}/runs/${nightly.run_id}`;
    await tab.page.route(at, async (route) => {
      const answer = await route.fetch();
      const sequence = { side: "candidate", opponent: nightlyAfter.run_id };
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), sequence } });
    });
    const points = Array.from({ length: 30 }, (_, index) => {
      const half = 0.6 / Math.sqrt(index + 1);
      return { scenarios: index + 1, effect: 0.11, lower: 0.11 - half, upper: 0.11 + half };
    });
    const figures = { scenarios: 30, planned: 80, left_out: 0, effect: 0.11, lower: 0.0005, upper: 0.22 };
    const sentence = "Decided after 30 of 80 scenarios: overall is better, +0.110 (95 %: +0.001 to +0.220).";
    const decision = { score: "overall", margin: 0.05, verdict: "better", stopped_by: "decided", ...figures, sentence };
    const sides = { candidate: nightly.run_id, baseline: nightlyAfter.run_id, threshold: null };
    await tab.page.route(`${at}/sequence`, (route) =>
      route.fulfill({
        json: { ...decision, ...sides, estimand: "Mean of overall, candidate minus baseline.", points },
      }),
    );
    await tab.open(`/runs/${nightly.run_id}`);
    const panel = tab.page.getByRole("region", { name: "Until decided" });
    await panel.getByText("Decided after 30 of 80 scenarios").waitFor();
    const chart = panel.getByRole("img", { name: /with its 95 % interval and the boundary that decides it/ });
    expect(await chart.locator("line").count()).toBe(2);
    expect((await chart.boundingBox())?.width).toBeLessThanOrEqual(width);
    expect(await panel.getByRole("link", { name: "The baseline" }).getAttribute("href")).toContain(nightlyAfter.run_id);
    expect(await axeViolations(tab.page)).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });

  test("a run that people have judged shows how each score agrees with them", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const score = (name: string, correlation: number) => ({
      score: name,
      correlation,
      ci_lower: correlation - 0.2,
      ci_upper: correlation + 0.2,
      replies: 24,
      scenarios: 12,
      method: "Spearman, jackknife over 12 scenarios",
    });
    await tab.page.route(`${services.evaluation}/runs/*/score-agreement`, (route) =>
      route.fulfill({
        json: {
          run_id: nightly.run_id,
          verdicts: 24,
          scores: [score("overall", 0.52), score("token_f1", 0.31)],
          notes: [],
        },
      }),
    );
    await tab.open(`/runs/${nightly.run_id}?tab=scores`);
    const panel = tab.page.getByRole("region", { name: "Agreement with people" });
    expect(await panel.getByRole("row", { name: /^overall/ }).innerText()).toMatch(/\+0\.520.*\+0\.320 to \+0\.720/s);
    expect(await axeViolations(tab.page)).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });
}
