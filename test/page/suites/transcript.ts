import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { actingRun } from "../support/acting-run.ts";
import { axeViolations } from "../support/axe.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { bothHistories, detailed, nightly, nightlyAfter, simulated, withoutScores } from "../support/sample-runs.ts";
import { sampleScenario } from "../support/sample-scenarios.ts";
import { deepTest } from "../../support/deep-test.ts";

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
    // Neither reply nor reference is right by itself: no red, no green, and a legend.
    const look = (name: "ins" | "del") =>
      turn
        .locator(name)
        .first()
        .evaluate((part) => [getComputedStyle(part).color, getComputedStyle(part).textDecorationStyle]);
    expect(await look("ins")).toEqual(["rgb(122, 79, 0)", "solid"]);
    expect(await look("del")).toEqual(["rgb(77, 80, 88)", "dashed"]);
    await tab.page.getByText("extra and missing versus reference").waitFor();
    expect(await turn.innerText()).toContain("expected neutral, generated negative");
    expect(await turn.innerText()).toContain("7 of 9 words are shared");
    expect(await turn.innerText()).toContain("overall below 0.8");
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a missing label named like a property of every object is reported as missing", async () => {
    const attempts = [[{ expected: { toString: 5 }, generated: { valueOf: "x" } }]];
    const run = makeResults({ id: "labels", name: "labels", scenarios: [{ id: "labels", attempts }] });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/labels/labels/1");
    const labels = tab.page.getByRole("article", { name: "Turn 1" }).getByRole("list").first();
    await labels.waitFor();
    expect((await labels.innerText()).split("\n").filter((line) => /expected|by/.test(line))).toEqual([
      "expected 5, none generated",
      "none expected, generated x",
      "by the built-in labeller: lexicon (83 % confidence)",
    ]);
  });

  deepTest(
    "a transcript leads to its scenario where the library holds it, and elsewhere no request fails",
    async () => {
      const scenarios = [{ ...sampleScenario, id: "greeting" }];
      await using services = await startFakeServices({ runs: [nightly], scenarios });
      await using tab = await openTab({ browser: browser(), services });
      const edit = tab.page.getByRole("link", { name: "Edit scenario" });
      const logged: string[] = [];
      tab.page.on("console", (message) => logged.push(message.text()));
      const asked = tab.page.waitForResponse((response) => /scenarios.*refund-status$/.test(response.url()));
      await tab.open(`/runs/${nightly.run_id}/refund-status/1`);
      await asked;
      await tab.page.getByRole("article", { name: "Turn 1" }).waitFor();
      expect(await edit.count()).toBe(0);
      expect(logged).toEqual([]);
      await tab.open(`/runs/${nightly.run_id}/greeting/1`);
      await edit.click();
      await tab.page.waitForURL("**/scenarios/id/greeting");
      await tab.page.getByRole("heading", { name: "greeting" }).waitFor();
      expect(tab.mishaps).toEqual([]);
    },
  );

  deepTest(
    "a judge's long reason is shown in full once and shortened among the scores; a right-to-left name leaves the reason's direction unchanged",
    async () => {
      const reason = "Because it names another day. ".repeat(60).trim();
      const run = structuredClone(detailed);
      for (const turn of run.results.scenarios.flatMap(({ attempts }) => attempts.flatMap((one) => one.interactions))) {
        turn.score_reasons["judge_correctness"] = `incorrect: ${reason}`;
        turn.score_reasons["metadata.النية"] = "cannot be told";
        for (const { votes } of Object.values(turn.judgements ?? {})) for (const vote of votes) vote.reason = reason;
      }
      await using services = await startFakeServices({ runs: [run] });
      await using tab = await openTab({ browser: browser(), services });
      await tab.open(`/runs/${detailed.run_id}/refund-status/1`);
      const turn = tab.page.getByRole("article", { name: "Turn 1" });
      const heights = await Promise.all(
        [turn.getByText(`incorrect: ${reason}`), turn.getByText(reason, { exact: true })].map((text) =>
          text.evaluate((element) => element.closest("li, p")?.getBoundingClientRect().height ?? 0),
        ),
      );
      expect(heights[0]).toBeLessThan(100);
      expect(heights[1]).toBeGreaterThan(100);
      const [name, why] = await Promise.all(
        ["النية label", "cannot be told"].map((text) => turn.getByText(text, { exact: true }).boundingBox()),
      );
      expect((name?.x ?? 0) + (name?.width ?? 0)).toBeLessThan((why?.x ?? 0) + 1);
    },
  );

  test("keys move between turns, failures and views, and the address follows", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}/refund-status/2`);
    await tab.page.getByRole("article", { name: "Turn 1" }).waitFor();

    const told = tab.page.getByRole("status");
    await tab.page.keyboard.press("j");
    await tab.page.locator('article[aria-label="Turn 2"][aria-current="step"]').waitFor();
    await told.getByText("refund-status, attempt 2, turn 2: passed").waitFor();
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/refund-status/5**");
    await told.getByText("refund-status, attempt 5, turn 1: failed").waitFor();
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/order%2Fstatus%20%C3%BCn%C3%AFcode%3F/2?turn=1");
    await tab.page.getByText("Request failed: The model provider refused our credentials").waitFor();
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

  deepTest("a turn of an attempt that has not ended is judged by the run's own threshold", async () => {
    const run = makeResults({
      id: "01990000-0000-7000-8000-000000000009",
      name: "lenient",
      scenarios: [{ id: "refund", attempts: [[{ overall: 0.6 }, { overall: 0.4 }]] }],
    });
    for (const scenario of run.results.scenarios) {
      Object.assign(scenario, { threshold: 0.5, reliability: null });
      for (const attempt of scenario.attempts) attempt.unfinished = true;
    }
    await using services = await startFakeServices({ runs: [{ ...run, state: "running" }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}/refund/1`);
    await tab.page.getByRole("article", { name: "Turn 1" }).getByText("passed").waitFor();
    await tab.page.getByRole("article", { name: "Turn 2" }).getByText("overall below 0.5").waitFor();
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

  test("an attempt opens at its first bad turn unless the address names another", async () => {
    const turns = [{ overall: 1 }, { overall: 1 }, { overall: 0.2, reply: "No." }, { overall: 1 }];
    const run = makeResults({ id: "late", name: "late", scenarios: [{ id: "s", attempts: [turns] }] });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/late/s/1");
    await tab.page.locator('article[aria-label="Turn 3"][aria-current="step"]').waitFor();
    await tab.open("/runs/late/s/1?turn=1");
    await tab.page.locator('article[aria-label="Turn 1"][aria-current="step"]').waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("turns keep their numbers where one before them is missing", async () => {
    const turns = [{ overall: 1 }, { overall: 0.2, reply: "Second." }, { overall: 0.2, reply: "Third." }];
    const run = makeResults({ id: "gap", name: "gap", scenarios: [{ id: "s", attempts: [turns, turns] }] });
    // With reference replies as history turns run side by side: a later one may be there first.
    run.results.scenarios[0]?.attempts[0]?.interactions.splice(1, 1);
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/gap/s/1");
    const third = tab.page.locator('article[aria-label="Turn 3"][aria-current="step"]');
    await third.getByText("Same turn in all 2 attempts").click();
    await tab.page.waitForURL("**across=3");
    expect(await third.getByRole("list").getByText("Third.").count()).toBe(2);
    expect(await tab.page.getByText("Second.").count()).toBe(0);
    await tab.page.keyboard.press("k");
    await tab.page.locator('article[aria-label="Turn 1"][aria-current="step"]').waitFor();
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**turn=3*");
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/2?turn=2*");
    expect(tab.mishaps).toEqual([]);
  });

  test("a run with both histories shows each, and every turn what the other came to", async () => {
    await using services = await startFakeServices({ runs: [bothHistories] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${bothHistories.run_id}/refund/1`);
    const second = tab.page.getByRole("article", { name: "Turn 2" });
    await second.getByText("Same turn after the reference replies: overall 0.950 (+0.750)").click();
    await second.getByText("Taught reply").waitFor();
    await tab.page.keyboard.press("h");
    await tab.page.waitForURL("**history=reference");
    await tab.page.getByText("Attempt 1 of 1 · overall 0.970").waitFor();
    await second.getByText("Same turn after the model's own replies: overall 0.200").waitFor();
    await tab.page.reload();
    expect(await tab.page.getByRole("radio", { name: "Reference replies" }).isChecked()).toBe(true);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a scenario with any id has an address that works", async () => {
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

  deepTest("without failures there is no next failure, and no attempt after the last", async () => {
    const fine = makeResults({ id: "fine", name: "fine", scenarios: [{ id: "s", attempts: [[{ overall: 1 }]] }] });
    await using services = await startFakeServices({ runs: [fine] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/fine/s/1");
    expect(await tab.page.getByRole("button", { name: "Next failure" }).isDisabled()).toBe(true);
    await tab.open("/runs/fine/s/9");
    await tab.page.getByText("This scenario has 1 attempt; there is no attempt 9.").waitFor();
  });

  test("the question to the judge is shown beside its verdict", async () => {
    await using services = await startFakeServices({ runs: [detailed] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${detailed.run_id}/refund-status/1`);
    const turn = tab.page.getByRole("article", { name: "Turn 1" });
    await turn.getByText(/^All scores/).click();
    const asked = turn.getByRole("listitem").filter({ hasText: /rubric/ });
    await asked.nth(1).waitFor();
    expect(await asked.allInnerTexts()).toEqual([
      expect.stringMatching(/rubric .*Does it say when\?.* pass: It does\./),
      expect.stringMatching(/rubric.2 .*Does it say sorry\?.* fail: It does not\./),
    ]);
  });

  test("a turn without a reply still shows what was expected", async () => {
    await using services = await startFakeServices({ runs: [withoutScores] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${withoutScores.run_id}/hello/1`);
    const turn = tab.page.getByRole("article", { name: "Turn 1" });
    await turn.getByRole("heading", { name: "Reference" }).waitFor();
    expect(await turn.innerText()).toContain("Your refund is on its way.");
  });

  deepTest.each([1280, 390])("a wide table scrolls by itself and does not widen a page of %i pixels", async (width) => {
    const row = (cell: string): string => `|${`${cell}|`.repeat(50)}`;
    const reply = [row("column"), row("---"), row("value")].join("\n");
    const turn = { user: "All of it?", reply, reference: reply.replace("value", "other"), overall: 0.5 };
    const run = makeResults({ id: "wide", name: "wide", scenarios: [{ id: "table", attempts: [[turn]] }] });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services, width });
    await tab.open("/runs/wide/table/1?view=rendered");
    await tab.page.getByRole("region", { name: "Table" }).nth(1).waitFor();
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("an empty reply is called that in every view, and beside the same turn of other attempts", async () => {
    const empty = [{ reference: "Hello.", reply: "", overall: 0 }];
    const run = makeResults({ id: "empty", name: "empty", scenarios: [{ id: "empty", attempts: [empty, empty] }] });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/empty/empty/1?across=1");
    await tab.page.locator("del").waitFor();
    const empties = tab.page.getByText("(empty)", { exact: true });
    expect(await empties.count()).toBe(3);
    for (const view of ["Plain", "Markdown"]) {
      await tab.page.getByText(view, { exact: true }).click();
      await tab.page.locator("del").waitFor({ state: "detached" });
      expect(await empties.count()).toBe(3);
    }
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a turn that is scrolled into view is below the header, however high the header is", async () => {
    const turns = Array.from({ length: 6 }, () => ({ overall: 0.2, reply: "No.\n".repeat(30) }));
    const run = makeResults({
      id: "tall",
      name: "a name that goes on and on ".repeat(60),
      scenarios: [{ id: "s", attempts: Array.from({ length: 100 }, () => turns) }],
    });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services, width: 900 });
    await tab.open("/runs/tall/s/1?turn=4");
    const edges = (selector: string): Promise<number[]> =>
      tab.page.evaluate(
        (wanted) => [
          document.querySelector(wanted)?.getBoundingClientRect().top ?? 0,
          document.querySelector("main header")?.getBoundingClientRect().bottom ?? 0,
        ],
        selector,
      );
    const current = 'article[aria-label="Turn 4"][aria-current="step"]';
    await tab.page.locator(current).waitFor();
    await expect.poll(async () => (await edges(current)).at(0)).toBeLessThan(500);
    const [turn = 0, header = 0] = await edges(current);
    expect(turn).toBeGreaterThan(header);

    await tab.page.locator(current).getByRole("button", { name: "Turn 4" }).focus();
    await tab.page.keyboard.press("Shift+Tab");
    await tab.page.locator('article[aria-label="Turn 3"] :focus').waitFor();
    const [focused = 0, above = 0] = await edges(":focus");
    expect(focused).toBeGreaterThan(above);
  });

  deepTest("a long text is shown in part, and whole when asked for", async () => {
    const reply = `${"a".repeat(99_999)} the end`;
    const turn = { user: `${"please ".repeat(10_000)}help`, reply, reference: `${reply} of all`, overall: 0.9 };
    const run = makeResults({ id: "vast", name: "vast", scenarios: [{ id: "s", attempts: [[turn]] }] });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs/vast/s/1?view=plain");
    await tab.page.getByRole("button", { name: "Show all 70,004 characters" }).waitFor();
    expect(await tab.page.getByText(/the end$/).count()).toBe(0);
    await tab.page.getByRole("button", { name: "Show all 100,007 characters" }).click();
    await tab.page.getByText(/the end$/).waitFor();

    await tab.open("/runs/vast/s/1?view=inline");
    await tab.page.getByRole("button", { name: "Show all 100,014 characters" }).click();
    await tab.page.locator("del", { hasText: "of all" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("tool calls stand between message and reply: wrong ones open with the expected arguments, then the outcome", async () => {
    await using services = await startFakeServices({ runs: [actingRun] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${actingRun.run_id}/cancel-order/2`);
    const turn = tab.page.getByRole("article", { name: "Turn 2" });
    const calls = turn.getByRole("group", { name: "Tool calls" });
    await calls.getByText("4 tool calls").waitFor();
    expect(await calls.getByText("4 wrong").count()).toBe(1);
    const table = calls.getByRole("table", { name: "Arguments, expected and actual" });
    expect(await table.getByRole("row").allInnerTexts()).toEqual([
      expect.stringMatching(/Argument\s+Expected\s+Actual/),
      expect.stringMatching(/✕ order_id\s+"1042"\s+"1043"/),
      expect.stringMatching(/✕ note\s+not named\s+"asap"/),
      expect.stringMatching(/^reason\s+"changed mind", ignoring case and spaces\s+"Changed mind"/),
    ]);
    await calls.getByText('order_id is "1043", expected "1042"').waitFor();
    for (const mark of ["wrong arguments", "unknown tool", "not expected", "invalid arguments", "not called"])
      await calls.getByText(mark, { exact: true }).waitFor();
    // Malformed arguments are shown as they came.
    await calls.getByText("Arguments, as text").waitFor();
    expect(await calls.getByText('{"amount":').count()).toBe(2);
    const right = calls.locator("details", { hasText: "get_order" });
    expect(await right.getAttribute("open")).toBeNull();
    await right.locator("summary").click();
    await right.getByRole("region", { name: "Result of get_order" }).getByText('"status": "paid"').waitFor();

    const outcome = tab.page.getByRole("region", { name: "Outcome" });
    expect((await outcome.getByRole("listitem").allInnerTexts()).map((text) => text.split(/\s/)[0])).toEqual([
      "Final",
      "Judge's",
      "Replies",
    ]);
    const places = outcome.getByRole("table", { name: "Places, expected and actual" });
    expect(await places.getByRole("row").count()).toBe(11);
    expect(await places.getByRole("row").nth(1).innerText()).toMatch(/\/orders\/0\/status\s+"cancelled"\s+no value/);
    await outcome.getByRole("button", { name: "Show all 40 differences" }).click();
    expect(await places.getByRole("row").count()).toBe(41);

    // The outcome is a failure of its own, also where every turn passed.
    await tab.page.keyboard.press("n");
    await tab.page.waitForURL("**/cancel-order/3?turn=3");
    await tab.page.getByText("Outcome not as expected").first().waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("the same turn of other runs of the test is read beside this one", async () => {
    await using services = await startFakeServices({ runs: [nightlyAfter, nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}/refund-status/2`);
    const turn = tab.page.getByRole("article", { name: "Turn 1", exact: true });
    await turn.waitFor();
    await tab.page.keyboard.press("b");
    await tab.page.waitForURL("**beside=1");
    const columns = turn.getByRole("list", { name: "Replies by run" }).locator("> li");
    await columns
      .nth(1)
      .getByText(/^overall 0\.\d{3}, attempt 2 of 5$/)
      .waitFor();
    expect(await columns.first().innerText()).toMatch(/this run.*failed.*Refunds are not possible/s);
    expect(await columns.nth(1).innerText()).toMatch(/demo-support-v2.*passed.*I have started the refund/s);
    await columns.nth(1).getByRole("link").click();
    await tab.page.waitForURL(`**/${nightlyAfter.run_id}/refund-status/2?turn=1`);
    expect(tab.mishaps).toEqual([]);
  });

  test("passed turns are folded to a line, alone and together, and an attempt beside the others shows its calls", async () => {
    await using services = await startFakeServices({ runs: [actingRun] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${actingRun.run_id}/cancel-order/2`);
    const turn = (number: number) => tab.page.getByRole("article", { name: `Turn ${number}` });
    await turn(2).getByRole("heading", { name: "User" }).waitFor();
    expect(await turn(3).innerText()).toMatch(/Turn 3\s+passed\s+Thanks → You are welcome\.\s+1\.00/);
    await tab.page.getByRole("button", { name: "Show turn 3" }).click();
    await turn(3).getByRole("heading", { name: "User" }).waitFor();
    await tab.page.getByRole("button", { name: "Fold turn 3" }).click();
    expect(await turn(3).getByRole("heading", { name: "User" }).count()).toBe(0);
    await tab.page.keyboard.press("f");
    await tab.page.waitForURL("**passed=open");
    await turn(1).getByRole("heading", { name: "User" }).waitFor();
    expect(await axeViolations(tab.page)).toEqual([]);
    await tab.page.getByRole("button", { name: "Hide passed turns" }).click();
    await turn(1).getByRole("heading", { name: "User" }).waitFor({ state: "detached" });

    // Overall and what pulled it down come first, the rest on request.
    const scores = turn(2).getByRole("list").filter({ hasText: "overall" }).first();
    expect((await scores.innerText()).match(/overall|tool match|token F1/g)).toEqual(["overall", "tool match"]);
    await turn(2)
      .getByText(/^All scores/)
      .click();
    await turn(2).getByText("7 of 9 words are shared").waitFor();

    await turn(2).getByText("Same turn in all 3 attempts").click();
    const columns = turn(2).getByRole("list").filter({ hasText: "Attempt 2 (this one)" }).locator("> li");
    await columns.nth(2).waitFor();
    expect(await columns.count()).toBe(3);
    const tops = await columns.evaluateAll((items) => items.map((item) => item.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    await columns.nth(1).getByText("log_reason").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a turn with a thousand calls and huge values shows the wrong ones and stays usable", async () => {
    const run = structuredClone(actingRun);
    const turn = run.results.scenarios[0]?.attempts[1]?.interactions[1];
    if (!turn) throw new Error("the run has this turn");
    const huge = { rows: Array.from({ length: 20_000 }, (_, index) => ({ index, text: "x".repeat(40) })) };
    const many = Array.from({ length: 1000 }, (_, index) => ({
      id: String(index),
      name: "get_order",
      arguments: index < 998 ? {} : { order_id: String(index), huge },
      result: index < 998 ? null : huge,
    }));
    Object.assign(turn, {
      tool_calls: many,
      reference_tool_calls: [],
      tool_comparison: { pairs: [], problems: [{ call: 900, kind: "unknown_tool", reason: "unknown" }] },
    });
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}/cancel-order/2`);
    const calls = tab.page.getByRole("group", { name: "Tool calls" });
    await calls.getByText("1 wrong").waitFor();
    expect(await calls.locator("li").count()).toBe(21);
    await calls.getByRole("button", { name: "Show all 1,000 calls" }).click();
    const last = calls.locator("details").last();
    await last.locator("summary").click();
    await last
      .getByRole("button", { name: /^Show all [\d,]+ characters/ })
      .first()
      .waitFor();
    expect((await last.innerText()).length).toBeLessThan(20_000);
    expect(tab.mishaps).toEqual([]);
  });

  test("a simulated user is marked with its reasons, its failure is shown apart, and a conversation is frozen", async () => {
    await using services = await startFakeServices({ runs: [simulated] });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.page.route("**/freeze", (route) =>
      route.fulfill({ json: { scenario: { id: "ask-to-cancel-attempt-1", interactions: [] } } }),
    );
    await tab.open(`/runs/${simulated.run_id}/ask-to-cancel/1`);
    const turn = tab.page.getByRole("article", { name: "Turn 1" });
    await turn.getByText("Why: states the goal").waitFor();
    expect(await turn.innerText()).toContain("49 tokens of the simulator");
    const panel = tab.page.getByRole("region", { name: "Simulated user" });
    expect(await panel.innerText()).toContain("The simulated user stopped here: goal reached");
    await panel.getByRole("button", { name: "Save as scenario" }).click();
    await panel.getByRole("link", { name: "ask-to-cancel-attempt-1 is in the library" }).waitFor();
    await tab.page.getByRole("link", { name: "Attempt 2: simulated user failed" }).click();
    await panel.getByText("The simulated user spoke as the agent").waitFor();
    expect(await panel.innerText()).toContain("Unsent: “How can I help you?”");
    expect(await axeViolations(tab.page)).toEqual([]);
    await tab.open(`/runs/${simulated.run_id}`);
    await tab.page.getByText(/The simulated user failed in 1 of 2 conversations \(50 %/).waitFor();
    expect(await axeViolations(tab.page)).toEqual([]);
  });
}
