import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { makeProblem } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { otherScenario, sampleScenario } from "../support/sample-scenarios.ts";

const scenarios = [sampleScenario, otherScenario];

export function scenariosSuite(browser: () => Browser): void {
  test("the library lists, finds, and lets go of its demo examples", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    const row = tab.page.getByRole("row", { name: /refund/ });
    expect(await row.innerText()).toMatch(/refund.*demo.*A customer wants a refund.*support.*nightly.*2/s);
    await tab.page.getByLabel("Search").fill("where");
    await row.waitFor({ state: "detached" });
    await tab.page.getByRole("link", { name: "delivery" }).click();
    expect(tab.page.url()).toContain("/scenarios?tag=delivery");
    await tab.page.getByRole("button", { name: "Remove the demo examples" }).click();
    await tab.page.getByText("No scenario matches.").waitFor();
    expect(services.library.scenarios.size).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("who removes a row with the keyboard stays beside it", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/new");
    const press = (name: string | RegExp) => tab.page.getByRole("button", { name, exact: true }).press("Enter");
    const focused = () => tab.page.evaluate("document.activeElement.textContent.trim()");
    await press("Text it must contain");
    await press("Remove check 1");
    expect(await focused()).toBe("Text it must contain");
    await press("Label");
    await press(/Remove label/);
    expect(await focused()).toBe("Label");
    await press("Turn");
    await press("Remove turn 2");
    expect(await focused()).toBe("Turn");
  });

  test("chosen scenarios are run", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    await tab.page.getByLabel(`Choose ${otherScenario.id}`).check();
    await tab.page.getByRole("button", { name: "Run 1 scenario" }).click();
    await tab.page.getByRole("button", { name: "Start run" }).click();
    await tab.page.getByRole("button", { name: "Stop" }).waitFor();
    expect(services.runs.list()[0]?.results.scenarios.map((entry) => entry.scenario_id)).toEqual([otherScenario.id]);
    expect(tab.mishaps).toEqual([]);
  });

  test("more scenarios than an address can name are run, after a reload too", async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      ...otherScenario,
      id: `a-conversation-with-a-long-name-${index}`,
    }));
    await using services = await startFakeServices({ scenarios: many });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Run all shown" }).click();
    await tab.page.getByText("120 scenarios, 120 turns").waitFor();
    expect(tab.page.url().length).toBeLessThan(4000);
    await tab.page.reload();
    await tab.page.getByText("120 scenarios, 120 turns").waitFor();
    await using other = await openTab({ browser: browser(), services });
    await other.open(new URL(tab.page.url()).pathname + new URL(tab.page.url()).search);
    await other.page.getByText("only the tab they were chosen in knows").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("many scenarios are not all read at once, which a browser does not do", async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ ...sampleScenario, id: `scenario-${index}` }));
    await using services = await startFakeServices({ scenarios: many });
    await using tab = await openTab({ browser: browser(), services });
    let underWay = 0;
    let most = 0;
    tab.page.on("request", () => (most = Math.max(most, (underWay += 1))));
    tab.page.on("requestfinished", () => (underWay -= 1));
    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Run all shown" }).click();
    await tab.page.getByText("300 scenarios").waitFor({ timeout: 20_000 });
    expect(most).toBeLessThan(100);
    expect(tab.mishaps).toEqual([]);
  });

  test("what is being written is kept when the scenario is saved elsewhere, or the service asks for a key", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.clock.install();
    await tab.open("/scenarios/id/refund");
    const description = tab.page.getByLabel("Description");
    await description.fill("Half a thou");
    services.library.put({ ...sampleScenario, description: "Saved in another tab" }, true);
    // What was read is taken for fresh for two seconds.
    await tab.page.clock.runFor(2100);
    await tab.page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await tab.page.getByText("This is an older version.").waitFor();
    expect(await description.inputValue()).toBe("Half a thou");

    const expired = makeProblem("auth_expired", "The key has expired.");
    const headers = { "access-control-allow-origin": services.origin };
    await tab.page.route(
      (url) => url.href === `${services.evaluation}/scenarios`,
      (route) => route.fulfill({ status: 401, json: expired, headers }),
      { times: 1 },
    );
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByRole("button", { name: "Save mine" }).click();
    const sent = services.requests.length;
    await tab.page.getByLabel("API key").fill("secret");
    await tab.page.getByLabel("API key").press("Enter");
    await tab.page.getByText("The services take this key.").waitFor();
    expect(await description.inputValue()).toBe("Half a thou");
    expect(services.requests.slice(sent).filter((request) => request.startsWith("POST"))).toEqual([]);
  });

  test("a scenario that was saved elsewhere meanwhile is not replaced unasked, and both versions are kept", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/refund");
    await tab.page.getByLabel("Description").fill("Mine");
    const theirs = { ...sampleScenario, description: "Saved in another tab" };
    services.library.put(theirs, false);
    const save = tab.page.getByRole("button", { name: "Save scenario" });
    await save.click();
    const dialog = tab.page.getByRole("dialog", { name: "Saved elsewhere meanwhile" });
    await dialog.getByText("Saved in another tab").waitFor();
    expect(await dialog.getByRole("listitem").allInnerTexts()).toEqual([expect.stringMatching(/^description\n/)]);
    expect(await axeViolations(tab.page)).toEqual([]);
    await dialog.getByRole("button", { name: "Keep editing" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await save.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
    expect(services.library.scenarios.get("refund")?.map(({ scenario }) => scenario.description)).toEqual([
      "Saved in another tab",
      sampleScenario.description,
    ]);

    await save.click();
    await dialog.getByRole("button", { name: "Save mine" }).click();
    await tab.page.waitForURL("**/scenarios/id/refund?saved=new");
    expect(services.library.scenarios.get("refund")?.map(({ scenario }) => scenario.description)).toEqual([
      "Mine",
      "Saved in another tab",
      sampleScenario.description,
    ]);

    services.library.scenarios.delete("refund");
    await tab.page.getByLabel("Description").fill("Mine again");
    await save.click();
    await tab.page.getByRole("dialog", { name: "Removed elsewhere meanwhile" }).waitFor();
    expect(services.library.scenarios.has("refund")).toBe(false);
    expect(tab.mishaps).toEqual([]);
  });

  test("what was written is there again after a reload or a look elsewhere, until it is saved or given up", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/refund");
    const description = tab.page.getByLabel("Description");
    await description.fill("Half a thought");
    await tab.page.reload();
    await tab.page.getByText("What you wrote here earlier is back.").waitFor();
    expect(await description.inputValue()).toBe("Half a thought");
    await tab.page.getByRole("link", { name: "Runs" }).click();
    await tab.page.goBack();
    await tab.page.getByText("What you wrote here earlier is back.").waitFor();

    // It was written upon a version that is not the newest any more.
    services.library.put({ ...sampleScenario, description: "Saved in another tab" }, false);
    await tab.page.reload();
    await tab.page.getByText("What you wrote here earlier is back.").waitFor();
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByRole("dialog", { name: "Saved elsewhere meanwhile" }).waitFor();
    await tab.page.keyboard.press("Escape");

    await tab.page.getByRole("button", { name: "Start over" }).click();
    expect(await description.inputValue()).toBe("Saved in another tab");
    await tab.page.reload();
    await description.waitFor();
    expect(await description.inputValue()).toBe("Saved in another tab");
    expect(await tab.page.getByText("What you wrote here earlier is back.").count()).toBe(0);

    await description.fill("Whole");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.waitForURL("**/scenarios/id/refund?saved=new");
    await tab.page.reload();
    await description.waitFor();
    expect(await tab.page.getByText("What you wrote here earlier is back.").count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("what is typed while a save is under way is kept, and can be saved upon it", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/refund");
    const description = tab.page.getByLabel("Description", { exact: true });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await tab.page.route(
      (url) => url.href === `${services.evaluation}/scenarios`,
      async (route) => {
        await released;
        await route.continue();
      },
      { times: 1 },
    );
    await description.fill("Begun");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByRole("button", { name: "Saving …" }).waitFor();
    await description.fill("Begun and ended");
    release();
    await tab.page.getByText("Saved.").waitFor();
    await tab.page.reload();
    await description.waitFor();
    expect(await description.inputValue()).toBe("Begun and ended");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    const stored = () => services.library.scenarios.get("refund")?.map(({ scenario }) => scenario.description);
    await expect.poll(stored).toEqual(["Begun and ended", "Begun", sampleScenario.description]);
    expect(tab.mishaps).toEqual([]);
  });

  test("what became of a save is in sight, however long the form is, and the keyboard goes on from there", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/refund");
    await tab.page.getByLabel("Description", { exact: true }).fill("Changed");
    const save = tab.page.getByRole("button", { name: "Save scenario" });
    await save.scrollIntoViewIfNeeded();
    expect(await tab.page.evaluate(() => scrollY)).toBeGreaterThan(0);
    await save.click();
    await tab.page.getByText("Saved.").waitFor();
    await expect.poll(() => tab.page.evaluate(() => scrollY)).toBe(0);
    expect(await tab.page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
  });

  test("what the service finds wrong stands at its field; cards and JSON say the same", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/new");
    await tab.page.getByLabel("User message").fill("Hello");
    await tab.page.getByLabel("Turn id").fill("");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByText("fill this in").first().waitFor();
    expect(await tab.page.getByText("fill this in").count()).toBe(2);
    expect(await tab.page.getByLabel("Scenario id").getAttribute("aria-invalid")).toBe("true");
    expect(await tab.page.getByLabel("Turn id").getAttribute("aria-invalid")).toBe("true");
    expect(await tab.page.getByLabel("User message").getAttribute("aria-invalid")).toBe("false");

    const json = tab.page.getByRole("textbox", { name: "JSON" });
    expect(JSON.parse(await json.inputValue())).toMatchObject({ interactions: [{ user_message: "Hello" }] });
    await json.fill('{"id":"typed",');
    await tab.page.getByText(/Not valid JSON/).waitFor();
    await json.fill(
      '{"id":"typed","interactions":[{"id":"1","user_message":"From JSON","reference_metadata":{"n":1}}]}',
    );
    expect(await tab.page.getByLabel("Scenario id").inputValue()).toBe("typed");
    await tab.page.getByLabel("Label 1, value").fill("2");
    expect(JSON.parse(await json.inputValue())).toMatchObject({ interactions: [{ reference_metadata: { n: 2 } }] });
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.waitForURL("**/scenarios/id/typed?saved=new");
    expect(services.library.scenarios.has("typed")).toBe(true);
    expect(tab.mishaps).toEqual([]);
  });

  test("what a reply must hold, and what the judge is asked, is written in the card of its turn", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/new");
    await tab.page.getByLabel("Scenario id").fill("checked");
    await tab.page.getByLabel("User message").fill("Where is my parcel?");
    await tab.page.getByRole("button", { name: "Text it must contain" }).click();
    await tab.page.getByRole("button", { name: "Question for the judge" }).click();
    await tab.page.getByLabel("Check 2: the judge is asked").fill("Does it say when?");
    const save = tab.page.getByRole("button", { name: "Save scenario" });
    await save.click();
    const text = tab.page.getByLabel("Check 1: the reply contains");
    await expect.poll(() => text.getAttribute("aria-invalid")).toBe("true");
    expect(await axeViolations(tab.page)).toEqual([]);
    await text.fill("on its way");
    await save.click();
    await tab.page.waitForURL("**/scenarios/id/checked?saved=new");
    expect(services.library.scenarios.get("checked")?.[0]?.scenario.interactions[0]?.checks).toEqual([
      expect.objectContaining({ type: "contains", text: "on its way" }),
      { type: "rubric", text: "Does it say when?" },
    ]);

    const json = tab.page.getByRole("textbox", { name: "JSON", exact: true });
    const written = JSON.parse(await json.inputValue());
    written.interactions[0].checks.push({ type: "length", max: 80 });
    await json.fill(JSON.stringify(written));
    await tab.page.getByRole("textbox", { name: "Check 3" }).waitFor();
    expect(await tab.page.getByRole("textbox", { name: "Check 3" }).inputValue()).toBe('{"type":"length","max":80}');
    await tab.page.getByRole("button", { name: "Remove check 1" }).click();
    expect(JSON.parse(await json.inputValue())).toMatchObject({
      interactions: [{ checks: [{ type: "rubric" }, { type: "length" }] }],
    });
    expect(tab.mishaps).toEqual([]);
  });

  test("an older version shows what changed since, and can be brought back", async () => {
    await using services = await startFakeServices({ scenarios: [sampleScenario] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/refund");
    await tab.page.getByLabel("Reference reply").first().fill("I have stopped the refund.");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByText("2 versions").click();
    await tab.page.getByRole("link", { name: /2026/ }).last().click();
    const changes = tab.page.getByRole("region", { name: "Changes since this version" });
    await changes.getByText("turn ask, reference").waitFor();
    await changes.locator("ins").waitFor();
    expect(await changes.locator("ins").innerText()).toBe("stopped");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.waitForURL("**/refund?saved=same");
    expect(services.library.scenarios.get("refund")?.[0]?.scenario.interactions[0]?.reference_reply).toBe(
      "I have started the refund.",
    );
    expect(tab.mishaps).toEqual([]);
  });

  test("a copy of another scenario is stored with a warning", async () => {
    await using services = await startFakeServices({ scenarios: [sampleScenario] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/refund");
    await tab.page.getByLabel("Scenario id").fill("copy");
    await tab.page.getByText("Another id makes a copy").waitFor();
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByText("It has the same turns as").waitFor();
    expect([...services.library.scenarios.keys()]).toEqual(["refund", "copy"]);
  });

  test("nothing is saved under the id of another scenario without asking", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    const versions = () => services.library.scenarios.get(otherScenario.id)?.length;
    await tab.open("/scenarios/new");
    await tab.page.getByLabel("Scenario id").fill(otherScenario.id);
    await tab.page.getByLabel("User message").fill("Hello?");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    const dialog = tab.page.getByRole("dialog", { name: "Replace the scenario of this id?" });
    await dialog.getByRole("button", { name: "Choose another id" }).click();
    expect(versions()).toBe(1);
    await tab.page.getByLabel("Scenario id").and(tab.page.locator(":focus")).waitFor();

    await tab.page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Replace" }).click();
    await tab.page.getByText("2 versions").waitFor();
    expect(versions()).toBe(2);
    expect(tab.mishaps).toEqual([]);
  });

  test("a file in another encoding or without anything in it is refused, and the next one is taken", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const table = "frage,antwort\nWie spät?,Acht.\n";
    for (const [address, label] of [
      ["/scenarios/import", "File to import"],
      ["/new", "Scenario file"],
    ] as const) {
      await tab.open(address);
      const choose = (buffer: Buffer) =>
        tab.page.getByLabel(label).setInputFiles({ name: "fragen.csv", mimeType: "text/csv", buffer });
      await choose(Buffer.from(table, "latin1"));
      await tab.page.getByRole("alert").getByText("fragen.csv is not UTF-8 text").waitFor();
      await choose(Buffer.from("\n"));
      await tab.page.getByRole("alert").getByText("fragen.csv is empty").waitFor();
      await choose(Buffer.from(table));
      await expect.poll(() => tab.page.locator("textarea.mono").first().inputValue()).toBe(table);
      expect(await tab.page.getByText("fragen.csv is").count()).toBe(0);
    }
    await tab.page.getByRole("link", { name: "import them" }).click();
    await tab.page.waitForURL("**/scenarios/import");
    expect(tab.mishaps).toEqual([]);
  });

  test("a file is shown as what it was taken for, with what is lost, before it is stored", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/import");
    await tab.page.getByLabel("File to import").setInputFiles({
      name: "questions.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("frage,antwort\nWo ist es?,Unterwegs.\nWann?,Morgen."),
    });
    await tab.page.getByText("(questions.csv)").waitFor();
    await tab.page.getByRole("button", { name: "See what is in it" }).click();
    await tab.page.getByText("comma separated, with a header").waitFor();
    await tab.page.getByRole("button", { name: "See what is in it" }).and(tab.page.locator(":focus")).waitFor();
    await tab.page.getByText("line 3").waitFor();
    expect(services.library.scenarios.size).toBe(0);
    const store = tab.page.getByRole("button", { name: "Store 2 scenarios" });
    await store.waitFor();
    await tab.page.getByLabel("User message").fill("frage");
    await store.waitFor({ state: "detached" });
    await tab.page.keyboard.press("Enter");
    await tab.page.getByText("user=frage").waitFor();
    await tab.page.getByLabel("User message").and(tab.page.locator(":focus")).waitFor();
    await store.click();
    await tab.page.getByText("2 scenarios stored").waitFor();
    expect([...services.library.scenarios.keys()]).toEqual(["row-1", "row-2"]);
    expect(tab.mishaps).toEqual([]);
  });

  test("what is to be imported is there again after a look at another screen or a reload, until it is stored", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/import");
    const text = tab.page.getByLabel(/^Paste a file's content/);
    await tab.page
      .getByLabel("File to import")
      .setInputFiles({ name: "questions.csv", mimeType: "text/csv", buffer: Buffer.from("frage,antwort\nWo?,Da.\n") });
    await expect.poll(() => text.inputValue()).toContain("Wo?");
    await tab.page.getByLabel("Format").selectOption("csv");
    await tab.page.getByLabel("User message").fill("frage");
    await tab.page.getByRole("link", { name: "Models" }).click();
    await tab.page.getByRole("heading", { name: "Models" }).waitFor();
    await tab.page.goBack();
    for (const look of [async () => {}, () => tab.page.reload()]) {
      await look();
      await tab.page.getByText("(questions.csv)").waitFor();
      expect(await text.inputValue()).toBe("frage,antwort\nWo?,Da.\n");
      expect(await tab.page.getByLabel("Format").inputValue()).toBe("csv");
      expect(await tab.page.getByLabel("User message").inputValue()).toBe("frage");
    }
    await tab.page.getByRole("button", { name: "See what is in it" }).click();
    await tab.page.getByRole("button", { name: /^Store / }).click();
    await tab.page.getByRole("link", { name: "Go to the library" }).click();
    await tab.page.goBack();
    expect(await text.inputValue()).toBe("");
    expect(tab.mishaps).toEqual([]);
  });

  test("what is pasted in place of a file is not taken for that file", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/import");
    const choose = async (): Promise<void> => {
      await tab.page
        .getByLabel("File to import")
        .setInputFiles({ name: "questions.csv", mimeType: "text/csv", buffer: Buffer.from("frage\nWo?\n") });
      await tab.page.getByText("(questions.csv)").waitFor();
    };
    const text = tab.page.getByLabel(/^Paste a file's content/);
    await choose();
    await text.press("End");
    await text.pressSequentially("Wann?");
    await tab.page.getByText("(questions.csv)").waitFor();
    await text.press("ControlOrMeta+a");
    await text.press("ControlOrMeta+c");
    await text.press("ControlOrMeta+v");
    await tab.page.getByText("(questions.csv)").waitFor({ state: "detached" });
    await choose();
    await text.fill("");
    await tab.page.getByText("(questions.csv)").waitFor({ state: "detached" });
    expect(tab.mishaps).toEqual([]);
  });

  test("the library is exported in the format chosen", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Export" }).click();
    const download = tab.page.waitForEvent("download");
    await tab.page.getByRole("menuitem", { name: /promptfoo/ }).click();
    expect((await download).suggestedFilename()).toBe("scenarios.yaml");
    expect(await tab.page.getByRole("region", { name: "Left out of the file" }).count()).toBe(0);
  });

  test("what a format has no place for is told when the file is there", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Export" }).click();
    const download = tab.page.waitForEvent("download");
    await tab.page.getByRole("menuitem", { name: /ShareGPT/ }).click();
    expect((await download).suggestedFilename()).toBe("scenarios.json");
    const told = tab.page.getByRole("region", { name: "Left out of the file" });
    await told.getByText("Not everything is in scenarios.json").waitFor();
    await told.getByText("labels of réfund: the format has no place for them").waitFor();
    await told.getByText("and 2 more").waitFor();
    await told.getByRole("button", { name: "Close" }).click();
    await told.waitFor({ state: "detached" });
    expect(tab.mishaps).toEqual([]);
  });

  test("an address of a scenario that is not there says so, and leads to those that are", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/gone");
    await tab.page.getByText("There is no such scenario. It may have been removed").waitFor();
    await tab.page.getByRole("link", { name: "Scenarios shows the ones there are." }).click();
    await tab.page.waitForURL("**/scenarios");
    expect(tab.mishaps).toEqual([]);
  });

  test("a scenario is removed with all its versions, after asking", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/scenarios/id/${encodeURIComponent(otherScenario.id)}`);
    await tab.page.getByRole("button", { name: "Remove", exact: true }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await tab.page.waitForURL("**/scenarios");
    expect([...services.library.scenarios.keys()]).toEqual(["refund"]);
  });
}
