import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { toProblem } from "../../../src/contract/errors/problem.ts";
import { ServiceError } from "../../../src/contract/errors/errors.ts";
import { toOpenAiError } from "../../../src/services/http/responses/error-response.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { nightly } from "../support/sample-runs.ts";
import { sampleUpstreams } from "../support/sample-upstreams.ts";
import { openTab } from "../support/open-tab.ts";
import { deepTest } from "../../support/deep-test.ts";

export function modelsSettingsSuite(browser: () => Browser): void {
  test("models stand by where they come from, each with a way to the chat", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/models");
    await tab.page.getByRole("region", { name: "Fine-tuned" }).getByText("demo-support-v1").waitFor();
    await tab.page.getByRole("region", { name: "Hub" }).getByRole("link", { name: "Chat" }).first().click();
    await tab.page.waitForURL("**/chat?model=demo%2Fscripted");
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a provider that is held back says so, and each model what is known of it", async () => {
    await using services = await startFakeServices({ upstreams: sampleUpstreams });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/models");
    const list = tab.page.getByRole("list", { name: "Providers" });
    await list.waitFor();
    expect(await list.innerText()).toMatch(/demo\/flaky.*paused.*12 failures in 20 calls, retries in 4.0 s/s);
    // One model is held back, not the hub; and what lets calls through is not mentioned.
    expect(await list.innerText()).toMatch(/models by provider\/name\s+Failing/);
    expect(await list.innerText()).toMatch(/models by UUID\s+Online.*1,204 calls/s);
    expect(await list.innerText()).not.toContain("closed");
    expect(await list.innerText()).toMatch(/The model provider took too long: No answer within 60 s\./);
    expect(await list.innerText()).toMatch(/scripted\s+Not called yet\s+built in/);
    await tab.page.getByText("tools by prompt · 2 running, 5 waiting").waitFor();
    await tab.page.getByText("native tools").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest(
    "among many models one is found by part of its name, and a hub that is held back whole says so",
    async () => {
      const breaker = { origin: "https://hub.example", calls: 20, failures: 20, retry_after_ms: 4000 };
      const upstreams = { ...sampleUpstreams, breakers: [{ ...breaker, key: "", state: "open" }] };
      await using services = await startFakeServices({ upstreams });
      await using tab = await openTab({ browser: browser(), services });
      const data = Array.from({ length: 300 }, (_, index) => ({ id: `vendor/model-${index}`, owned_by: "hub" }));
      await tab.page.route("**/v1/models", (route) => route.fulfill({ json: { object: "list", data } }));
      await tab.open("/models");
      const list = tab.page.getByRole("list", { name: "Providers" });
      await list.waitFor();
      expect(await list.innerText()).toMatch(/models by provider\/name\s+Paused/);
      expect(await list.innerText()).toContain("all models paused: 20 failures in 20 calls");

      await tab.page.getByLabel("Find a model").fill("MODEL-277");
      await tab.page.getByText("vendor/model-276").waitFor({ state: "detached" });
      await tab.page.getByText("vendor/model-277").waitFor();
      expect(tab.page.url()).toContain("/models?q=MODEL-277");
      await tab.page.getByLabel("Find a model").fill("no such");
      await tab.page.getByText("No models match.").waitFor();
      expect(tab.mishaps).toEqual([]);
    },
  );

  test("without known models, the screen names the settings that define them", async () => {
    const upstreams = { ...sampleUpstreams, providers: [], breakers: [], routes: [] };
    await using services = await startFakeServices({ upstreams, studio: {} });
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.route("**/v1/models", (route) => route.fulfill({ json: { object: "list", data: [] } }));
    await tab.open("/models");
    await tab.page.getByText("HUB_BASE_URL or STUDIO_BASE_URL in the services' environment").waitFor();
    await tab.page.getByRole("link", { name: "Connect a provider" }).click();
    await tab.page.getByRole("heading", { name: "Connect a model" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a provider is connected in four steps, and no field asks for a key", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    const { page } = tab;
    await tab.open("/connect");
    await page.getByText("Anthropic", { exact: true }).click();
    await page.getByText("ANTHROPIC_API_KEY=…").waitFor();
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("The provider refused the credentials.").waitFor();
    await page.getByText("Set ANTHROPIC_API_KEY and restart Rehearsal.").waitFor();
    expect(page.url()).toContain("?provider=anthropic");

    await page.getByText("Azure OpenAI", { exact: true }).click();
    await page.getByLabel("Base URL").fill("https://acme.openai.azure.com/openai/v1");
    await page.getByText('HUB_PROVIDERS={"azure":{"base_url":"https://acme.openai.azure.com/openai/v1"').waitFor();
    expect(await page.locator("input[type=password]").count()).toBe(0);

    await page.getByText("OpenAI", { exact: true }).click();
    await page.getByText("OPENAI_API_KEY is set.").waitFor();
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("Answered in 310 ms: 2 models.").waitFor();
    await page.getByLabel("Find a model").fill("mini");
    await page.getByRole("button", { name: "Ask it" }).click();
    await page.getByText("“ready” in 310 ms").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole("link", { name: "Run scenarios" }).click();
    expect(await page.getByLabel("Endpoint", { exact: true }).inputValue()).toBe("https://api.openai.com/v1");
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("gpt-9-mini");
    expect(tab.mishaps).toEqual([]);
  });

  test("models on this machine are looked for when asked, and lead to a run", async () => {
    await using services = await startFakeServices({ upstreams: sampleUpstreams });
    await using tab = await openTab({ browser: browser(), services, width: 320 });
    await tab.open("/models");
    const search = tab.page.getByRole("button", { name: /Find Ollama/ });
    await search.waitFor();
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await search.click();
    await tab.page.getByText("needs a key").waitFor();
    await search.and(tab.page.locator(":focus")).waitFor();
    await tab.page.getByRole("link", { name: "Test llama4:8b" }).click();
    await tab.page.getByRole("button", { name: "Start run" }).waitFor();
    expect(await tab.page.getByLabel("Endpoint", { exact: true }).inputValue()).toBe("http://127.0.0.1:11434/v1");
    expect(await tab.page.getByLabel("Model", { exact: true }).inputValue()).toBe("llama4:8b");
  });

  deepTest("a screen that cannot be loaded says that the service is not there, and comes when it is", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const away = (url: URL) => url.pathname.includes("import-screen") || url.pathname === "/scenarios/import";
    await tab.page.route(away, (route) => route.abort());
    await tab.open("/scenarios");
    await tab.page.getByRole("link", { name: "Import" }).first().click();
    const alert = tab.page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/Cannot reach the service.*Check that Rehearsal is running/s);
    await alert.getByRole("button", { name: "Try again" }).click();
    await alert.waitFor();
    await tab.page.unroute(away);
    await alert.getByRole("button", { name: "Try again" }).click();
    await tab.page.getByRole("heading", { name: /Import/ }).waitFor();
  });

  deepTest("models wait for the providers above them instead of being pushed down by them", async () => {
    await using services = await startFakeServices({ upstreams: sampleUpstreams });
    await using tab = await openTab({ browser: browser(), services });
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    await tab.page.route(/\/agent\/upstreams$/, async (route) => {
      await asked;
      await route.continue();
    });
    const lists = [/\/studio\/models$/, /\/v1\/models$/].map((list) => tab.page.waitForResponse(list));
    await tab.open("/models");
    await Promise.all(lists);
    await tab.page.getByText("Loading models").waitFor();
    expect(await tab.page.getByText("demo-support-v1").count()).toBe(0);
    ask();
    await tab.page.getByText("demo-support-v1").waitFor();
    await tab.page.getByRole("heading", { name: "Providers" }).waitFor();
    expect(await tab.page.getByText("Loading models").count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a failure of all lists is reported once", async () => {
    await using services = await startFakeServices({ upstreams: sampleUpstreams });
    await using tab = await openTab({ browser: browser(), services });
    const error = new ServiceError("auth_missing", "This service needs an API key.");
    await tab.page.route(/\/(studio\/models|agent\/upstreams)$/, (route) =>
      route.fulfill({ status: 401, json: toProblem(error, "req-1") }),
    );
    await tab.page.route(/\/v1\/models$/, (route) => route.fulfill({ status: 401, json: toOpenAiError(error) }));
    await tab.open("/models");
    await tab.page.getByText("API key required").waitFor();
    expect(await tab.page.getByRole("alert").count()).toBe(1);
    await tab.page.unrouteAll();
    await tab.page.getByRole("button", { name: "Try again" }).click();
    await tab.page.getByRole("region", { name: "Hub" }).waitFor();
    expect(await tab.page.getByRole("alert").count()).toBe(0);
  });

  deepTest("a service that tells nothing of its providers still shows its models", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/models");
    await tab.page.getByText("demo-support-v1").waitFor();
    expect(await tab.page.getByRole("heading", { name: "Providers" }).count()).toBe(0);
    expect(await tab.page.getByRole("alert").count()).toBe(0);
  });

  test("settings change the theme, keep a key for the tab, and lead to the docs", async () => {
    await using services = await startFakeServices({ apiKey: "secret" });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/settings");
    await tab.page.getByRole("radio", { name: "dark" }).check({ force: true });
    await tab.page.locator('html[data-theme="dark"]').waitFor();
    await tab.page.getByRole("button", { name: "Theme: Dark. Change" }).getByText("Theme: dark").waitFor();
    // The second was copied from a text that had been made pretty: no header can carry it.
    for (const wrong of ["nonsense", "secret…"]) {
      await tab.page.getByRole("textbox", { name: /API key/ }).fill(wrong);
      await tab.page.getByRole("button", { name: "Use key" }).click();
      await tab.page.getByText("Unknown API key.").waitFor();
    }
    // A service that does not answer cannot say whether it accepts a key.
    await tab.page.route(`${services.evaluation}/runs**`, (route) => route.abort());
    await tab.page.getByRole("textbox", { name: /API key/ }).fill("secret");
    await tab.page.getByRole("button", { name: "Use key" }).click();
    await tab.page.getByText("✕ Cannot reach the service.").waitFor();
    await tab.page.unrouteAll();
    expect(await tab.page.getByText("A key is set for this tab").count()).toBe(0);
    await tab.page.getByRole("textbox", { name: /API key/ }).fill("secret");
    await tab.page.getByRole("button", { name: "Use key" }).click();
    await tab.page.getByText("A key is set for this tab").waitFor();
    await tab.page.getByText("Create, list and revoke keys").click();
    await tab.page.getByText("rehearsal keys revoke ID").waitFor();
    await tab.page.getByText("Rehearsal 0.1.0").waitFor();
    expect(await tab.page.getByRole("region", { name: "Limits in force" }).innerText()).toMatch(
      /Largest request body\s+REHEARSAL_MAX_BODY_BYTES\s+8 MiB/,
    );
    const docs = await tab.page.getByRole("link", { name: "API docs" }).all();
    expect(await Promise.all(docs.map((link) => link.getAttribute("href")))).toEqual([
      `${services.origin}/docs`,
      `${services.evaluation}/docs`,
    ]);
    await tab.page.getByRole("link", { name: "Runs", exact: true }).click();
    await tab.page.getByRole("link", { name: /Run the demo/ }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("on a phone the address of a service is not broken into pieces", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services, width: 320 });
    await tab.open("/settings");
    const address = tab.page.getByRole("definition").getByText(services.evaluation);
    expect((await address.boundingBox())?.height).toBeLessThan(30);
  });

  deepTest("a browser without storage shows the page, which remembers until it is closed", async () => {
    await using services = await startFakeServices({ apiKey: "secret", runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.addInitScript(() => {
      const get = (): never => {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      };
      for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, { get, configurable: true });
    });
    await tab.open("/settings");
    await tab.page.getByRole("radio", { name: "dark" }).check({ force: true });
    expect(await tab.page.locator("html").getAttribute("data-theme")).toBe("dark");
    await tab.page.getByRole("textbox", { name: /^API key/ }).fill("secret");
    await tab.page.getByRole("button", { name: "Use key" }).click();
    await tab.page.getByRole("link", { name: "Runs" }).click();
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    await tab.page.getByRole("button", { name: /^Pin as baseline/ }).click();
    await tab.page.getByRole("button", { name: /^Unpin/ }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });
}
