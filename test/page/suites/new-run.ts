import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { nightly } from "../support/sample-runs.ts";

export function newRunSuite(browser: () => Browser): void {
  test("the demo card leads to a started run", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: /Run the demo/ }).click();
    await tab.page.getByRole("button", { name: "Start run" }).click();
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    expect(services.runs.list()[0]?.model_id).toBe("demo/flaky");
    expect(tab.mishaps).toEqual([]);
  });

  test("what the service finds wrong stands beside the field", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/new?start=paste");
    await tab.page.getByRole("button", { name: "Start run" }).click();
    await tab.page.getByText("/test_batch is required").waitFor();
    expect(await tab.page.getByLabel("Endpoint").getAttribute("aria-invalid")).toBe("true");
    expect(await tab.page.getByLabel("Attempts").getAttribute("aria-invalid")).toBe("false");
  });

  test("broken JSON is named with its place, and a whole request fills the form", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/new?start=paste");
    const scenarios = tab.page.getByLabel("Scenarios (JSON or JSONL)");
    await scenarios.fill('{"id": "x",,}');
    await tab.page.getByText(/Not valid JSON: .*line 1 column 12/).waitFor();

    const request = { endpoint: "http://localhost:9/v1", model_id: "m", attempts: 3, seed: 7, test_batch: { id: "x" } };
    await scenarios.fill(JSON.stringify(request));
    expect(await tab.page.getByLabel("Endpoint").inputValue()).toBe("http://localhost:9/v1");
    expect(await tab.page.getByLabel("Attempts").inputValue()).toBe("3");
    const body = await tab.page.getByRole("region", { name: "Request body" }).innerText();
    expect(JSON.parse(body)).toEqual(request);
  });

  test("a finished run can be run again from its results", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/new?from=${nightly.run_id}`);
    const scenarios = await tab.page.getByLabel("Scenarios (JSON or JSONL)").inputValue();
    expect(JSON.parse(scenarios)).toMatchObject([{ id: "greeting" }, { id: "refund-status" }, {}, {}]);
    expect(await tab.page.getByLabel("Attempts").inputValue()).toBe("5");
  });
}
