import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { makeProblem } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { sampleScenario } from "../support/sample-scenarios.ts";
import { nightly } from "../support/sample-runs.ts";
import { deepTest } from "../../support/deep-test.ts";

export function newRunSuite(browser: () => Browser): void {
  test("a scenario that is gone is named and left out, and the form is there all the same", async () => {
    await using services = await startFakeServices({ scenarios: [sampleScenario] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/new?scenario=gone&scenario=${sampleScenario.id}`);
    await tab.page.getByText("No longer in the library, left out: gone.").waitFor();
    await tab.page.getByText("1 scenario, 2 turns").waitFor();
    await tab.open("/new?scenario=gone");
    await tab.page.getByText("No longer in the library, left out: gone.").waitFor();
    expect(await tab.page.getByLabel(/^Scenarios/).inputValue()).toBe("");
    expect(tab.mishaps).toEqual([]);
  });

  test("the names of library scenarios are shown whole, and on one line each where there is room", async () => {
    const id = "refund-for-a-damaged-parcel-after-the-deadline-of-returns";
    const scenarios = [{ ...sampleScenario, id, description: "A customer writes at length. ".repeat(10) }];
    await using services = await startFakeServices({ scenarios });
    for (const width of [1440, 390]) {
      await using tab = await openTab({ browser: browser(), services, width });
      await tab.open("/new?start=paste");
      await tab.page.getByRole("button", { name: "From the library" }).click();
      const name = tab.page.getByRole("dialog").getByText(id);
      await name.waitFor();
      expect((await name.boundingBox())?.height).toBeLessThan(width === 1440 ? 26 : 52);
      const [shown = 0, whole = 0] = await name.evaluate((text) => [text.clientWidth, text.scrollWidth]);
      expect(shown).toBeGreaterThanOrEqual(whole);
      expect(tab.mishaps).toEqual([]);
    }
  });

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

  deepTest("a double click starts one run", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/new?start=demo");
    await tab.page.getByRole("button", { name: "Start run" }).dblclick();
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    expect(services.requests.filter((request) => request === "POST /evaluate")).toHaveLength(1);
  });

  test("problems that the service reports appear beside their fields", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/new?start=paste");
    await tab.page.getByRole("button", { name: "Start run" }).click();
    await tab.page.getByText("Add at least one scenario").waitFor();
    const endpoint = tab.page.getByLabel("Endpoint", { exact: true });
    expect(await endpoint.getAttribute("aria-invalid")).toBe("true");
    const alert = tab.page.getByRole("alert");
    expect(await alert.innerText()).toMatch(/Check the highlighted fields\s+Next: Correct them and try again\./);
    expect(await tab.page.getByRole("main").innerText()).not.toContain("/test_batch");

    // The error of a field is gone once it is filled in, and the summary with the last error.
    await endpoint.fill("http://localhost:9/v1");
    expect(await endpoint.getAttribute("aria-invalid")).toBe("false");
    await tab.page.getByLabel("Model", { exact: true }).fill("m");
    await tab.page.getByLabel("Scenarios (JSON or JSONL)").fill('{"id":"x"}');
    await alert.waitFor({ state: "detached" });
    expect(await tab.page.getByLabel("Attempts", { exact: true }).getAttribute("aria-invalid")).toBe("false");
  });

  deepTest("a field among the advanced ones stays in sight while it is corrected", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const errors = [{ pointer: "/threshold", code: "too_big", message: "must be at most 1", received: "8" }];
    const problem = { ...makeProblem("validation_failed", "The request does not match the contract."), errors };
    await tab.page.route("**/evaluate", (route) =>
      route.fulfill({ status: 422, json: problem, headers: { "access-control-allow-origin": services.origin } }),
    );
    await tab.open("/new?start=demo");
    await tab.page.getByRole("button", { name: "Start run" }).click();
    const field = tab.page.getByLabel("Threshold").and(tab.page.locator(":focus"));
    await field.waitFor();
    await field.pressSequentially("0.75");
    expect(await tab.page.getByLabel("Threshold").inputValue()).toBe("0.75");
    expect(await field.getAttribute("aria-invalid")).toBe("false");
  });

  deepTest("problems of a pasted field without an input appear below the text", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const errors = [
      { pointer: "/gate/min_pass_rate", code: "too_big", message: "must be at most 1", received: "4" },
      { pointer: "/budget/calls", code: "too_small", message: "must be at least 1", received: "0" },
    ];
    const problem = { ...makeProblem("validation_failed", "The request does not match the contract."), errors };
    await tab.page.route("**/evaluate", (route) =>
      route.fulfill({ status: 422, json: problem, headers: { "access-control-allow-origin": services.origin } }),
    );
    await tab.open("/new?start=paste");
    const request = { gate: { min_pass_rate: 4 }, budget: { calls: 0 }, test_batch: { id: "x" } };
    await tab.page.getByLabel("Scenarios (JSON or JSONL)").fill(JSON.stringify(request));
    await tab.page.getByRole("button", { name: "Start run" }).click();
    await tab.page.getByText("gate, min pass rate: must be at most 1 (got 4)").waitFor();
    await tab.page.getByText("budget, calls: must be at least 1 (got 0)").waitFor();
    expect(await tab.page.locator("[aria-invalid=true]").count()).toBe(1);

    await tab.page.getByLabel("Scenarios (JSON or JSONL)").fill(JSON.stringify({ test_batch: { id: "x" } }));
    await tab.page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("a newcomer can start from the example: the demo is put to the test", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/new?start=paste");
    await tab.page.getByText("No endpoint yet?").waitFor();
    await tab.page.getByRole("button", { name: "Example" }).click();
    expect(await tab.page.getByLabel("Endpoint", { exact: true }).inputValue()).toBe(services.origin);
    await tab.page.getByRole("button", { name: "Start run" }).click();
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
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
    expect(await tab.page.getByLabel("Endpoint", { exact: true }).inputValue()).toBe("http://localhost:9/v1");
    expect(await tab.page.getByLabel("Attempts", { exact: true }).inputValue()).toBe("3");
    const body = await tab.page.getByRole("region", { name: "Request body" }).innerText();
    expect(JSON.parse(body)).toEqual(request);

    // The fields count from then on, not the text beside them.
    await tab.page.getByLabel("Model", { exact: true }).fill("other");
    await tab.page.getByLabel("Endpoint", { exact: true }).fill("");
    await scenarios.press("End");
    await scenarios.pressSequentially("  ");
    await scenarios.fill(JSON.stringify({ ...request, seed: 8 }));
    expect(await tab.page.getByLabel("Model", { exact: true }).inputValue()).toBe("other");
    const changed = JSON.parse(await tab.page.getByRole("region", { name: "Request body" }).innerText()) as unknown;
    expect(changed).toEqual({ model_id: "other", attempts: 3, seed: 8, test_batch: { id: "x" } });
  });

  test("a scenario with a world asks how the agent gets into it, or offers the protocol of a model", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/new?start=paste");
    await tab.page.getByRole("button", { name: "Example" }).click();
    const header = tab.page.getByLabel("World header");
    expect(await header.count()).toBe(0);
    const scenario = { id: "desk", world: { tools: [] }, interactions: [] };
    await tab.page.getByLabel("Scenarios (JSON or JSONL)").fill(JSON.stringify(scenario));
    // The agent behind the page takes the address from a header of its own.
    expect(await header.inputValue()).toBe("rehearsal-world");
    const body = tab.page.getByRole("region", { name: "Request body" });
    expect(JSON.parse(await body.innerText())).toMatchObject({ world_address: { header: "rehearsal-world" } });
    await tab.page.getByLabel("Endpoint", { exact: true }).fill("http://localhost:9/v1");
    await tab.page.getByRole("button", { name: "Use OpenAI chat completions" }).click();
    expect(await tab.page.getByLabel("Protocol").inputValue()).toBe("openai-chat");
    expect(await header.count()).toBe(0);
    expect(JSON.parse(await body.innerText())).not.toHaveProperty("world_address");
    expect(tab.mishaps).toEqual([]);
  });

  test("a finished run can be run again, with all it was asked to do", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/new?from=${nightly.run_id}`);
    const scenarios = await tab.page.getByLabel("Scenarios (JSON or JSONL)").inputValue();
    expect(JSON.parse(scenarios)).toMatchObject({
      test_batch: [{ id: "greeting", system_prompt: "Be kind." }, {}, {}, {}],
    });
    const body = await tab.page.getByRole("region", { name: "Request body" }).innerText();
    expect(body).toContain('"protocol": "anthropic-messages"');
    expect(body).toContain('"token_f1": 1');
    expect(body).toContain('"system_prompt": "Be brief."');
  });

  deepTest("a run is run again with the scenarios that are shown, as with those that failed", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${nightly.run_id}`);
    const again = tab.page.getByRole("link", { name: /^Run th/ });
    await tab.page.getByRole("link", { name: "greeting" }).waitFor();
    expect(await again.count()).toBe(0);
    await tab.page.getByRole("radio", { name: /^failing/ }).check({ force: true });
    const shown = await tab.page.locator("[data-row]").allInnerTexts();
    await again.click();
    const text = await tab.page.getByLabel("Scenarios (JSON or JSONL)").inputValue();
    const { test_batch: batch } = JSON.parse(text) as { test_batch: { id: string }[] };
    expect(batch.map(({ id }) => id).toSorted()).toEqual(shown.toSorted());
    expect(batch.length).toBeLessThan(nightly.results.scenarios.length);
    expect(await tab.page.getByRole("region", { name: "Request body" }).innerText()).toContain('"token_f1": 1');
    expect(tab.mishaps).toEqual([]);
  });

  test("scenarios changed in the library after a run are offered when it is run again", async () => {
    const changed = { ...sampleScenario, id: "greeting", description: "Changed since" };
    const before = { ...nightly, timing: { ...nightly.timing, started_at: "2026-11-01T09:00:00.000Z" } };
    await using services = await startFakeServices({ runs: [before], scenarios: [sampleScenario, changed] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/new?from=${nightly.run_id}`);
    const offer = tab.page.getByRole("status").filter({ hasText: "library" });
    await offer.getByText("The library has other content: greeting.").waitFor();
    const text = tab.page.getByLabel("Scenarios (JSON or JSONL)");
    expect(await text.inputValue()).not.toContain("Changed since");
    await offer.getByRole("button", { name: "Use the new version" }).click();
    await offer.and(tab.page.locator(":focus")).getByText("1 scenario").waitFor();
    const { test_batch: batch, ...rest } = JSON.parse(await text.inputValue()) as { test_batch: { id: string }[] };
    expect(batch[0]).toMatchObject({ id: "greeting", description: "Changed since" });
    expect(batch).toHaveLength(nightly.results.scenarios.length);
    expect(rest).toMatchObject({ weights: { token_f1: 1 } });
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("scenarios from the library leave the rest of a whole request unchanged", async () => {
    await using services = await startFakeServices({ runs: [nightly], scenarios: [sampleScenario] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/new?from=${nightly.run_id}`);
    await tab.page.getByRole("button", { name: "From the library" }).click();
    await tab.page.getByRole("button", { name: "Use all 1 shown" }).click();
    const body = tab.page.getByRole("region", { name: "Request body" });
    await body.getByText(`"id": "${sampleScenario.id}"`).waitFor();
    expect(await body.innerText()).toContain('"token_f1": 1');
    expect(tab.mishaps).toEqual([]);
  });

  test("scenarios come from the library, however long their ids are, and advanced fields reach the request", async () => {
    const long = { ...sampleScenario, id: "long-".repeat(50) };
    await using services = await startFakeServices({ scenarios: [sampleScenario, long] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/new?start=paste");
    await tab.page.getByRole("button", { name: "From the library" }).click();
    expect((await tab.page.getByRole("listitem").filter({ hasText: "long-" }).boundingBox())?.height).toBeLessThan(80);
    await tab.page.getByRole("checkbox", { name: /^refund/ }).check();
    await tab.page.getByRole("button", { name: "Use 1 scenario" }).click();
    await tab.page.getByLabel("Protocol").selectOption("anthropic-messages");
    await tab.page.getByText("Advanced").click();
    await tab.page.getByLabel("History the model sees").selectOption("both");
    await tab.page.getByLabel("Threshold").fill("0.7");
    await tab.page.getByRole("checkbox", { name: "token F1" }).check();
    await tab.page.getByLabel("Your own scores").fill("house_style");
    await tab.page.getByRole("checkbox", { name: "chrF" }).check();
    await tab.page.getByLabel("Judge model").fill("judge-1");
    const body = await tab.page.getByRole("region", { name: "Request body" }).innerText();
    expect(JSON.parse(body)).toMatchObject({
      protocol: "anthropic-messages",
      history: "both",
      threshold: 0.7,
      scorers: ["token_f1", "chrf", "house_style"],
      judge: { model_id: "judge-1" },
      test_batch: [{ id: "refund" }],
    });
    expect(tab.mishaps).toEqual([]);
  });

  deepTest(
    "a repeated run is kept as typed over a reload and a step back, and starts fresh from its link",
    async () => {
      await using services = await startFakeServices({ runs: [nightly] });
      await using tab = await openTab({ browser: browser(), services });
      await tab.open(`/runs/${nightly.run_id}`);
      await tab.page.getByRole("link", { name: "Run again" }).click();
      const prompt = tab.page.getByLabel(/System prompt/);
      await prompt.fill("Be kind.");
      await tab.page.reload();
      await prompt.waitFor();
      expect(await prompt.inputValue()).toBe("Be kind.");
      await tab.page.getByRole("link", { name: "Scenarios", exact: true }).click();
      await tab.page.getByRole("heading", { name: "Scenarios", level: 1 }).waitFor();
      await tab.page.goBack();
      await prompt.waitFor();
      expect(await prompt.inputValue()).toBe("Be kind.");
      await tab.page.goBack();
      await tab.page.getByRole("link", { name: "Run again" }).click();
      await prompt.waitFor();
      expect(await prompt.inputValue()).toBe("Be brief.");
      expect(tab.mishaps).toEqual([]);
    },
  );

  test("the estimate of a run is shown before it starts", async () => {
    const range = { low: 10, expected: 30, high: 50 };
    const estimate = {
      calls: range,
      model_calls: range,
      helper_calls: range,
      input_tokens: range,
      output_tokens: range,
      money: null,
      seconds: range,
      based_on: "earlier runs",
      sentence: "About 30 calls and 30 seconds.",
      within_budget: false,
      warnings: [{ pointer: "/judge", message: "is not set, so the rubrics of 2 turns have no score" }],
    };
    await using services = await startFakeServices({ estimate });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/new?start=demo");
    await tab.page.getByText("About 30 calls and 30 seconds.").waitFor();
    await tab.page.getByText("Exceeds the budget.").waitFor();
    await tab.page.getByText("/judge is not set, so the rubrics of 2 turns have no score").waitFor();
    expect(services.runs.list()).toEqual([]);
  });

  deepTest("an endpoint that the service refuses to call is reported before the run starts", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const problem = makeProblem("endpoint_not_allowed", "The origin http://a is not on the list of allowed endpoints.");
    const headers = { "access-control-allow-origin": services.origin };
    for (const path of ["**/estimate", "**/evaluate"])
      await tab.page.route(path, (route) => route.fulfill({ status: 403, json: problem, headers }));
    await tab.open("/new?start=demo");
    const told = tab.page.getByText("This run would be refused.");
    await told.waitFor();
    expect(await tab.page.getByText("The origin http://a is not on the list of allowed endpoints.").count()).toBe(1);
    await tab.page.getByRole("button", { name: "Start run" }).click();
    await tab.page.getByRole("alert").waitFor();
    expect(await told.count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });
}
