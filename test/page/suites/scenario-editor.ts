import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { otherScenario, sampleScenario, scenarios } from "../support/sample-scenarios.ts";

export function scenarioEditorSuite(browser: () => Browser): void {
  test("the focus stays beside a row that is removed by keyboard", async () => {
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

  test("the result of a save is in view, however long the form is, and takes the focus", async () => {
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

  test("problems that the service reports appear at their fields, in cards and in JSON", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/new");
    await tab.page.getByLabel("User message").fill("Hello");
    await tab.page.getByLabel("Turn id").fill("");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByText("Required").first().waitFor();
    expect(await tab.page.getByText("Required").count()).toBe(2);
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

  test("checks of a reply and questions for the judge are edited in the card of their turn", async () => {
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
    await tab.page.getByText("A new id saves a copy").waitFor();
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
    const dialog = tab.page.getByRole("dialog", { name: "Replace the existing scenario?" });
    await dialog.getByRole("button", { name: "Choose another id" }).click();
    expect(versions()).toBe(1);
    await tab.page.getByLabel("Scenario id").and(tab.page.locator(":focus")).waitFor();

    await tab.page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Replace" }).click();
    await tab.page.getByText("2 versions").waitFor();
    expect(versions()).toBe(2);
    expect(tab.mishaps).toEqual([]);
  });

  test("an address of a scenario that is not there says so, and leads to those that are", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/gone");
    await tab.page.getByText("There is no such scenario. It may have been removed").waitFor();
    await tab.page.getByRole("link", { name: "Show all scenarios" }).click();
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

  test("the form of a simulated user writes its scenario, which then needs no turn", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/new");
    await tab.page.getByLabel("Scenario id").fill("ask-to-cancel");
    await tab.page.getByRole("button", { name: "Simulated user" }).click();
    await tab.page.getByLabel("Goal").fill("Cancel the order.");
    await tab.page.getByLabel("Knows (name: value, one per line)").fill("order_id: 1042\nname: Ada");
    await tab.page.getByLabel("Turns at most").fill("4");
    await tab.page.getByRole("button", { name: "Remove turn 1" }).click();
    expect(await axeViolations(tab.page)).toEqual([]);
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByText("Saved.").waitFor();
    expect(services.library.scenarios.get("ask-to-cancel")?.at(-1)).toMatchObject({
      scenario: { user: { goal: "Cancel the order.", knows: { order_id: "1042", name: "Ada" }, max_turns: 4 } },
    });
  });
}
