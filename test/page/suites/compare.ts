import type { Browser } from "playwright-core";
import type { RunComparison } from "../../../src/contract/schemas/comparison.ts";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { demoUuid, startFakeServices } from "../support/fake-services.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly, nightlyAfter, withoutScores } from "../support/sample-runs.ts";
import { deepTest } from "../../support/deep-test.ts";

const path = `/compare?baseline=${nightly.run_id}&candidate=${nightlyAfter.run_id}`;

export function compareSuite(browser: () => Browser): void {
  test("two chosen runs are compared: the verdict on top, regressions first with all three texts", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("checkbox").nth(1).waitFor();
    for (const box of await tab.page.getByRole("checkbox").all()) await box.check();
    await tab.page.getByRole("button", { name: "Compare 2 selected" }).click();
    await tab.page.waitForURL("**/compare?**");
    expect(await tab.page.getByRole("region", { name: "Verdict" }).innerText()).toContain("overall is better by");
    await expect
      .poll(() => tab.page.title())
      .toMatch(/^.*:\d\d nightly support \(.+\) vs\. .*:\d\d nightly support \(.+\) · Rehearsal$/);
    expect(await tab.page.getByRole("row", { name: /^overall/ }).innerText()).toMatch(/\+0\.\d\d.*to.*better/s);

    const changes = tab.page.getByRole("region", { name: "Changed turns" });
    const first = changes.getByRole("listitem").first();
    expect(await first.innerText()).toMatch(/▼ −0\.\d\d.*greeting/s);
    await first.getByRole("heading", { name: "Reference" }).waitFor();
    await first.locator("ins").first().waitFor();
    const scores = first.getByRole("list", { name: "Scores that changed" });
    expect(await scores.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(/▼ −0\.400\s+token F1 1\.000 → 0\.600 candidate: 7 of 9 words are shared/),
      expect.stringMatching(/▼ −0\.400\s+ROUGE-L 1\.000 → 0\.600$/),
    ]);
    await first
      .getByRole("link", { name: /Attempt/ })
      .last()
      .click();
    await tab.page.waitForURL(`**/${nightlyAfter.run_id}/greeting/**`);
    expect(tab.mishaps).toEqual([]);
  });

  test("the verdict says how many turns scored lower, and leads to them", async () => {
    await using services = await startFakeServices({ runs: [nightly, nightlyAfter] });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.open(path);
    const verdict = tab.page.getByRole("region", { name: "Verdict" });
    await verdict.getByRole("link", { name: /^\d+ turns? scored lower, \d+ higher$/ }).click();
    const heading = tab.page.getByRole("heading", { name: "Changed turns" });
    expect(await heading.and(tab.page.locator(":focus")).count()).toBe(1);
    await expect.poll(async () => (await heading.boundingBox())?.y ?? -1).toBeLessThan(400);
    expect(tab.page.url()).toContain(path);
    expect(tab.mishaps).toEqual([]);
  });

  test("on a phone and on a tablet everything of a comparison stays within its card", async () => {
    await using services = await startFakeServices({
      runs: [nightly, nightlyAfter].map((run) => ({ ...run, demo: true })),
    });
    await using tab = await openTab({ browser: browser(), services, width: 320 });
    await tab.page.route(`${services.evaluation}/compare?**`, async (route) => {
      const response = await route.fetch();
      const comparison = (await response.json()) as RunComparison;
      const counts = { scenarios: 5000, scenarios_better: 1200, scenarios_worse: 1100 };
      await route.fulfill({
        response,
        json: { ...comparison, scores: comparison.scores.map((score) => ({ ...score, ...counts })) },
      });
    });
    await tab.open(path);
    await tab.page.getByRole("region", { name: "Effect by score" }).locator("summary").first().click();
    await tab.page.getByText("+1,200 −1,100 of 5,000").locator("visible=true").first().waitFor();
    const verdict = tab.page.getByRole("region", { name: "Verdict" });
    await verdict.getByText("demo: scripted").first().waitFor();
    for (const width of [320, 768, 1088]) {
      await tab.page.setViewportSize({ width, height: 800 });
      const wide = await tab.page
        .locator("section, td, [role=region]")
        .evaluateAll((places) =>
          places.filter((place) => place.scrollWidth > place.clientWidth + 1).map((place) => place.textContent),
        );
      expect(wide, `${width} pixels wide`).toEqual([]);
    }
  });

  deepTest("parts left out of a comparison are named beside its verdict, not below the last change", async () => {
    const more = makeResults({
      id: "more",
      name: nightly.test_name,
      scenarios: [
        { id: "greeting", attempts: [[{ overall: 0.2 }]] },
        { id: "new", attempts: [[{ overall: 1 }]] },
      ],
    });
    await using services = await startFakeServices({ runs: [more, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/compare?baseline=${nightly.run_id}&candidate=more`);
    await tab.page.getByText("1 turn only in the candidate").waitFor();
    expect(await tab.page.getByRole("main").innerText()).toMatch(/Not compared[^]*Changed turns/);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("changes can be narrowed to what scored higher, and the address says so", async () => {
    await using services = await startFakeServices({ runs: [nightly, nightlyAfter] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(path);
    await tab.page.getByRole("radio", { name: /higher/ }).check({ force: true });
    await tab.page.getByText("angry-customer").waitFor();
    expect(await tab.page.getByRole("region", { name: "Changed turns" }).innerText()).not.toContain("▼");
    expect(tab.page.url()).toContain("show=better");
    await tab.page.getByRole("button", { name: "Swap" }).click();
    await tab.page.getByText("overall is worse by").waitFor();
  });

  deepTest("changes of settings between the runs appear below the verdict, or that there are none", async () => {
    const again = { ...nightly, run_id: "again" };
    await using services = await startFakeServices({ runs: [nightly, { ...nightlyAfter, model_id: demoUuid }, again] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(path);
    const changes = tab.page.getByRole("region", { name: "Changed settings" });
    await changes.locator("del", { hasText: "kind" }).waitFor();
    await changes.locator("ins", { hasText: "brief" }).waitFor();
    expect(await changes.innerText()).toMatch(/history\s+generated → both/);
    expect(await changes.innerText()).toMatch(/parameters\.temperature\s+not set → 0\.7/);
    await changes.getByText(`${nightly.model_id} → demo-support-v1`).waitFor();
    await tab.open(`/compare?baseline=${nightly.run_id}&candidate=again`);
    await tab.page.getByText("Both runs used the same model, prompts and parameters").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("the interval is the one the verdict rests on, and means that differ from those of the runs say why", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.route(`${services.evaluation}/compare?*`, async (route) => {
      const answer = await route.fetch();
      const comparison = (await answer.json()) as RunComparison;
      const chance = {
        baseline: 0.5,
        effect: 0.06,
        ci_lower: 0.01,
        ci_upper: 0.11,
        ci_lower_adjusted: -0.02,
        ci_upper_adjusted: 0.14,
        p: 0.02,
        p_adjusted: 0.14,
        adjusted_for: 7,
        verdict: "no_difference_seen",
      };
      const scores = comparison.scores.map((score) => (score.name === "overall" ? { ...score, ...chance } : score));
      await route.fulfill({ response: answer, json: { ...comparison, scores } });
    });
    await tab.open(path);
    const row = tab.page.getByRole("row", { name: /^overall/ });
    await row.waitFor();
    // The plain interval excludes 0, which would contradict the verdict beside it.
    expect(await row.innerText()).toMatch(/−0\.020 to \+0\.140.*0\.140.*may be chance/s);
    expect(await row.innerText()).not.toContain("+0.010 to");
    await tab.page.getByText(/p and intervals of the other \d are corrected for their number/).waitFor();
    await tab.page.getByText("overall is the baseline 0.500 instead of 0.776 over the whole run").waitFor();
    expect(await axeViolations(tab.page)).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });

  test("runs that cannot be compared show the reason", async () => {
    await using services = await startFakeServices({ runs: [nightly, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/compare?baseline=${nightly.run_id}&candidate=${withoutScores.run_id}`);
    await tab.page.getByText("The runs share no scenario and interaction ids.").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("without a comparable overall score, no other score is shown as the verdict", async () => {
    const [before, after] = [nightly, nightlyAfter].map((run) => {
      const { overall: _, ...average_scores } = run.summary.average_scores;
      const scenarios = run.results.scenarios.map((scenario) => ({
        ...scenario,
        attempts: scenario.attempts.map((attempt) => ({
          ...attempt,
          interactions: attempt.interactions.map((turn) => ({ ...turn, scores: { success: 1 } })),
        })),
      }));
      return { ...run, results: { scenarios }, summary: { ...run.summary, average_scores } };
    });
    if (!before || !after) throw new Error("There are two runs.");
    await using services = await startFakeServices({ runs: [before, after] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(path);
    const verdict = tab.page.getByRole("region", { name: "Verdict" });
    await verdict
      .getByText("The overall score could not be compared, so this verdict covers only the reply rate.")
      .waitFor();
    await tab.page.getByText("No turn's replies changed.").waitFor();
    expect(await axeViolations(tab.page)).toEqual([]);
  });

  deepTest(
    "runs found by different searches are compared, are still chosen after a step back and a reload, and can be let go of",
    async () => {
      await using services = await startFakeServices({ runs: [nightlyAfter, nightly, withoutScores] });
      await using tab = await openTab({ browser: browser(), services });
      await tab.open("/runs?search=broken");
      await tab.page.getByRole("checkbox").check();
      await tab.page.getByLabel("Search").fill("nightly");
      await tab.page.getByRole("checkbox").nth(1).waitFor();
      await tab.page.getByRole("checkbox").first().check();
      await tab.page.getByRole("button", { name: "Compare 2 selected" }).click();
      await tab.page.waitForURL("**/compare?**");
      expect(tab.page.url()).toContain(withoutScores.run_id);

      await tab.page.goBack();
      await tab.page.getByRole("button", { name: "Compare 2 selected" }).waitFor();
      await tab.page.reload();
      await tab.page.getByRole("checkbox").first().uncheck();
      await tab.page.getByRole("button", { name: "Compare 1 selected" }).waitFor();
      await tab.page.getByRole("button", { name: "Clear selection" }).click();
      expect(await tab.page.getByRole("checkbox", { checked: true }).count()).toBe(0);
      expect(tab.mishaps).toEqual([]);
    },
  );

  test("with one run chosen, the one before it of the same test is offered, or the pinned baseline", async () => {
    const earlier = { ...structuredClone(nightly), run_id: "earlier" };
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly, earlier, withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/compare?candidate=${nightlyAfter.run_id}`);
    await tab.page.getByText("or use one of the same test").waitFor();
    await tab.page.getByRole("button", { name: "Compare with it" }).click();
    await tab.page.getByRole("region", { name: "Verdict" }).waitFor();
    expect(tab.page.url()).toContain(`candidate=${nightlyAfter.run_id}&baseline=${nightly.run_id}`);

    const pins = { [nightly.test_name]: { runId: "earlier", overall: 0.5 } };
    await tab.page.evaluate(`localStorage.setItem("rehearsal.baselines", ${JSON.stringify(JSON.stringify(pins))})`);
    await tab.open(`/compare?candidate=${nightlyAfter.run_id}`);
    await tab.page.getByRole("button", { name: "Compare with it" }).click();
    await tab.page.waitForURL("**baseline=earlier");

    await tab.open(`/compare?candidate=${withoutScores.run_id}`);
    await tab.page.getByText("Choose a run to compare it with.").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("more runs than a page of them can be picked, named so that their scores are in sight", async () => {
    const long = "a name that goes on and on ".repeat(20).trim();
    const many = Array.from({ length: 210 }, (_, index) =>
      makeResults({ id: `run-${index}`, name: `${index} ${long}`, scenarios: [] }),
    );
    await using services = await startFakeServices({ runs: many });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/compare");
    await tab.page.getByText("Showing the newest 200.").waitFor();
    const choices = await tab.page.getByLabel("Baseline (before)").locator("option").allInnerTexts();
    expect(choices).toHaveLength(201);
    expect(Math.max(...choices.map((text) => text.length))).toBeLessThan(100);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a name that turns the direction of writing does not turn the scores of the runs to pick from", async () => {
    const turning = { ...nightly, test_name: "nightly \u202E\u2069 desrever" };
    await using services = await startFakeServices({ runs: [turning] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/compare");
    const option = tab.page.getByLabel("Baseline (before)").locator("option").nth(1);
    expect(await option.textContent()).toMatch(/^nightly {2}desrever · /);
  });

  deepTest("a run is not compared with itself", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/compare?baseline=${nightly.run_id}&candidate=${nightly.run_id}`);
    await tab.page.getByText("Baseline and candidate are the same run.").waitFor();
    await tab.page.getByLabel("Candidate (after)").selectOption(nightlyAfter.run_id);
    await tab.page.getByRole("table").waitFor();
    expect(await tab.page.getByText("are the same run").count()).toBe(0);
    expect(services.requests.filter((request) => request.includes("/compare"))).toHaveLength(1);
    expect(tab.mishaps).toEqual([]);
  });

  test("runs are picked from lists, and a pinned baseline shows each run's distance", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/compare");
    await tab.page.getByLabel("Baseline (before)").selectOption(nightly.run_id);
    await tab.page.getByLabel("Candidate (after)").selectOption(nightlyAfter.run_id);
    await tab.page.getByRole("region", { name: "Verdict" }).waitFor();

    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Pin as baseline" }).click();
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: /▲ \+0\.\d\d/ }).click();
    await tab.page.waitForURL(`**${path}`);
    await tab.open(`/runs/${nightlyAfter.run_id}`);
    await tab.page.getByRole("link", { name: "Run again" }).waitFor();
    await tab.page.keyboard.press("c");
    await tab.page.waitForURL(`**${path}`);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a baseline that is deleted is no baseline any more", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page
      .getByRole("button", { name: /Pin as baseline/ })
      .nth(1)
      .click();
    await tab.page.getByTitle("Compare with the baseline").waitFor();
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Delete" }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await tab.page.waitForURL("**/runs");
    await expect.poll(() => tab.page.getByRole("button", { name: /Pin as baseline/ }).count()).toBe(1);
    expect(await tab.page.getByTitle("Compare with the baseline").count()).toBe(0);
  });

  test("with nothing chosen the last two runs of a test are offered, and a stopped run has its name", async () => {
    const stopped = { ...nightly, run_id: "01990000-0000-7000-8000-000000000009", state: "cancelled" as const };
    await using services = await startFakeServices({ runs: [withoutScores, nightlyAfter, nightly, stopped] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/compare");
    await tab.page.getByText("the last two of “nightly support”").waitFor();
    await tab.page.getByRole("button", { name: "Compare them" }).click();
    await tab.page.getByRole("region", { name: "Verdict" }).waitFor();
    expect(tab.page.url()).toBe(services.origin + path);

    await tab.open(`/compare?baseline=${stopped.run_id}&candidate=${nightlyAfter.run_id}`);
    const chosen = tab.page.getByLabel("Baseline (before)").locator("option:checked");
    await chosen.filter({ hasText: "cancelled" }).waitFor({ state: "attached" });
    expect(await chosen.innerText()).toMatch(/^nightly support · demo\/flaky · .* · cancelled$/);
  });

  deepTest("runs that cannot be listed show the reason, and appear once a key is given", async () => {
    await using services = await startFakeServices({ runs: [nightly, nightlyAfter], apiKey: "secret" });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/compare");
    await tab.page.getByLabel("API key").fill("secret");
    await tab.page.getByRole("button", { name: "Use key" }).click();
    await tab.page.getByRole("button", { name: "Compare them" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest(
    "an unreachable service is reported once, and both the runs and the verdict appear when it is back",
    async () => {
      await using services = await startFakeServices({ runs: [nightly, nightlyAfter] });
      await using tab = await openTab({ browser: browser(), services });
      const all = `${services.evaluation}/**`;
      const tried: string[] = [];
      await tab.page.route(all, (route) => {
        tried.push(new URL(route.request().url()).pathname);
        return route.abort();
      });
      await tab.open(path);
      const told = tab.page.getByText("Cannot reach the service");
      await told.first().waitFor();
      for (const asked of ["/runs", "/compare"]) {
        await expect.poll(() => tried.filter((pathname) => pathname === asked).length).toBe(3);
      }
      expect(await told.count()).toBe(1);
      await tab.page.unroute(all);
      await tab.page.getByRole("region", { name: "Verdict" }).waitFor();
      await tab.page
        .getByRole("option", { name: /nightly support/ })
        .first()
        .waitFor({ state: "attached" });
      expect(await told.count()).toBe(0);
    },
  );

  deepTest("a change too small to be seen is neither worse nor better", async () => {
    const barely = makeResults({
      id: nightlyAfter.run_id,
      name: "barely",
      scenarios: [{ id: "s", attempts: [[{ overall: 0.321 }, { overall: 0.9 }]] }],
    });
    const before = makeResults({
      id: nightly.run_id,
      name: "barely",
      scenarios: [{ id: "s", attempts: [[{ overall: 0.324 }, { overall: 0.5 }]] }],
    });
    await using services = await startFakeServices({ runs: [before, barely] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(path);
    const changes = tab.page.getByRole("region", { name: "Changed turns" });
    await changes.getByText("≈ −0.003").waitFor();
    await tab.page.getByText("lower 0").waitFor();
    expect(await changes.innerText()).not.toContain("▼");
    await changes.getByText("words not in the reference").first().waitFor();
    await tab.page.getByRole("radio", { name: "lower 0" }).check({ force: true });
    await changes.getByText("No turn scored lower.").waitFor();
  });

  deepTest.each([390, 1280])("on a page of %i pixels every column of the effects is in sight", async (width) => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services, width });
    await tab.page.route(`${services.evaluation}/compare?*`, async (route) => {
      const answer = await route.fetch();
      const comparison = (await answer.json()) as RunComparison;
      const [first] = comparison.scores;
      const wide = { name: "sentiment_match", verdict: "no_difference_seen", ci_lower: -0.16, scenarios: 134 };
      await route.fulfill({
        response: answer,
        json: { ...comparison, scores: [...comparison.scores, { ...first, ...wide }] },
      });
    });
    await tab.open(`/compare?baseline=${nightly.run_id}&candidate=${nightlyAfter.run_id}`);
    const effects = tab.page.getByRole("region", { name: "Effect by score" });
    await effects.waitFor();
    const lines = effects.locator("summary");
    for (const line of width === 390 ? await lines.all() : []) {
      // One line per score; the rest is a tap away.
      expect((await line.boundingBox())?.height).toBeLessThan(48);
      await line.click();
    }
    const [inner = 0, outer = 0] = await effects.evaluate((box) => [box.scrollWidth, box.clientWidth]);
    expect(inner).toBeLessThanOrEqual(outer);
    expect(await effects.innerText()).toMatch(/[−+]0\.\d{3} to \+0\.\d{3}/);
    expect(await effects.innerText()).toMatch(
      width === 390 ? /may be chance.*0\.010, 0\.030/s : /0\.030.*better.*may be chance/s,
    );
  });

  test("a margin in the address is answered in one sentence, and can be changed", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.route(`${services.evaluation}/compare?*`, async (route) => {
      const margin = new URL(route.request().url()).searchParams.get("margin");
      const answer = await route.fetch();
      const sentence = `overall is undecided: +0.010 over 12 scenarios, so a loss of ${margin} is not excluded.`;
      const asked = { verdict: "undecided", sentence, family_error: 0.05, measures: [], next: "rehearsal eval …" };
      const comparison = (await answer.json()) as RunComparison;
      await route.fulfill({ response: answer, json: margin ? { ...comparison, not_worse: asked } : comparison });
    });
    await tab.open(path);
    const panel = tab.page.getByRole("region", { name: "Not worse by a margin" });
    await panel.getByLabel("Accepted loss").fill("0.02");
    await panel.getByRole("button", { name: "Ask" }).click();
    await panel.getByText("so a loss of 0.02 is not excluded").waitFor();
    expect(tab.page.url()).toContain("margin=0.02");
    await tab.open(`${path}&margin=0.1`);
    await panel.getByText("so a loss of 0.1 is not excluded").waitFor();
    expect(await panel.innerText()).toContain("rehearsal eval …");
    expect(await axeViolations(tab.page)).toEqual([]);
    expect(tab.mishaps).toEqual([]);
  });
}
