import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { makeProblem } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { passTime } from "../support/pass-time.ts";
import { nightly } from "../support/sample-runs.ts";
import { deepTest } from "../../support/deep-test.ts";

const oneTurn = { model_id: "demo/flaky", test_batch: { id: "a", interactions: [{ user_message: "hi" }] } };

export function followedRunSuite(browser: () => Browser): void {
  deepTest("a run deleted elsewhere disappears, and a failed refresh is reported", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const lookAgain = async (): Promise<void> => {
      // Loaded data counts as fresh for two seconds.
      await tab.page.clock.runFor(2100);
      await tab.page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    };
    await tab.stopClock();
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

  test("a run under way shows one count of its turns", async () => {
    await using services = await startFakeServices({
      runs: [{ ...nightly, state: "running", message: "0 of 26 done" }],
    });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("progressbar").waitFor();
    expect(await tab.page.getByText("0 of 26 done").count()).toBe(0);
  });

  test.each([true, false])("a run is followed until it ends (with events: %s)", async (events) => {
    await using services = await startFakeServices({ events });
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    services.runs.finish();
    await tab.page.getByRole("link", { name: "Run again" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("an interrupted run says so and how to resume it, until it is running again", async () => {
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
    await tab.stopClock();
    await tab.open("/runs");
    await tab.page.getByRole("row", { name: /nightly support.*interrupted/ }).waitFor();

    await tab.open(`/runs/${nightly.run_id}`);
    const heading = tab.page.getByRole("heading", { level: 1 });
    await heading.getByText("interrupted").waitFor();
    await tab.page.getByText(message).waitFor();
    expect(await tab.page.getByText("left", { exact: false }).count()).toBe(0);

    await tab.page.unroute(single);
    await passTime(tab.page, 10_000);
    await heading.getByText("running").waitFor();
    await tab.page.getByText(message).waitFor({ state: "detached" });
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a run that is deleted elsewhere is no longer asked for", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    await tab.stopClock();
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

  deepTest("with a key that was revoked a run is asked for no longer, and followed again with another", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start(oneTurn);
    let refused = 0;
    const problem = makeProblem("auth_expired", "The API key has expired or was revoked.");
    await tab.stopClock();
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
      // Running runs are polled every five seconds.
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

  test("a guarded service is opened with the key the user gives", async () => {
    await using services = await startFakeServices({ runs: [nightly], apiKey: "secret" });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByLabel("API key").fill("secret");
    await tab.page.getByRole("button", { name: "Use key" }).click();
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a run under way shows its score so far, its pace and the time left, and its progress in the title", async () => {
    await using services = await startFakeServices({ runs: [{ ...nightly, state: "running" }] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.stopClock({ time: Date.parse("2026-11-14T09:00:14.000Z") });
    await tab.open(`/runs/${nightly.run_id}`);
    const result = tab.page.getByRole("group", { name: "Result" });
    await result.getByText("so far").first().waitFor();
    expect(await result.innerText()).toMatch(
      /1 of 4 scenarios passes so far · 0\.7\d\d .*overall score so far: 95 % interval/s,
    );
    await tab.page.getByText("12 of 25").waitFor();
    // 12 turns in about 13 seconds, and 13 to go.
    await tab.page.getByText(/^5\d turns\/min, about 1\d s left$/).waitFor();
    await expect.poll(() => tab.page.title()).toMatch(/^48 % · .*nightly support/);
    expect(tab.mishaps).toEqual([]);
  });

  test("stopping a run asks first and says how much of it was done, and deleting one asks first", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const run = services.runs.start({ ...oneTurn, attempts: 8 });
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByRole("button", { name: "Stop" }).click();
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByText("4 of 8 turns are done and will be kept.").waitFor();
    await dialog.getByRole("button", { name: "Keep running" }).click();
    expect(services.runs.get(run.run_id)?.state).toBe("running");
    await tab.page.getByRole("button", { name: "Stop" }).click();
    await dialog.getByRole("button", { name: "Stop run" }).click();
    await tab.page.getByRole("heading", { level: 1 }).getByText("cancelled, 4 of 8 turns done").waitFor();

    await tab.page.getByRole("button", { name: "More" }).press("Enter");
    await tab.page.locator("[role=menuitem]:focus").waitFor();
    await tab.page.keyboard.press("End");
    await tab.page.locator("[role=menuitem]:focus", { hasText: "Delete" }).waitFor();
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await tab.page.waitForURL("**/runs");
    expect(services.runs.list()).toEqual([]);
  });
}
