import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { otherScenario, sampleScenario, scenarios } from "../support/sample-scenarios.ts";
import { deepTest } from "../../support/deep-test.ts";

export function scenarioEditorSuite(browser: () => Browser): void {
  deepTest("the focus stays beside a row that is removed by keyboard", async () => {
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

  deepTest("the result of a save is in view, however long the form is, and takes the focus", async () => {
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
    await tab.page.getByRole("group", { name: "Check 2" }).getByLabel("Question").fill("Does it say when?");
    const save = tab.page.getByRole("button", { name: "Save scenario" });
    await save.click();
    const text = tab.page.getByRole("group", { name: "Check 1" }).getByLabel("Text (one per line)");
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
    expect(await tab.page.getByLabel("At most").inputValue()).toBe("80");
    await tab.page.getByLabel("Unit").selectOption("words");
    await tab.page.getByRole("button", { name: "Remove check 1" }).click();
    expect(JSON.parse(await json.inputValue())).toMatchObject({
      interactions: [{ checks: [{ type: "rubric" }, { type: "length", max: 80, unit: "words" }] }],
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

  deepTest("a copy of another scenario is stored with a warning", async () => {
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

  deepTest("an address of a scenario that is not there says so, and leads to those that are", async () => {
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

  test("world, expected calls and expected outcome of an agent are written without JSON of the scenario, and saved as written", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services, width: 1440 });
    const { page } = tab;
    const fill = (label: string | RegExp, text: string) => page.getByLabel(label, { exact: true }).fill(text);
    const within = (name: string) => page.getByRole("group", { name, exact: true });
    await tab.open("/scenarios/new");
    await fill("Scenario id", "cancel");
    await fill("User message", "Cancel order 1042.");
    const world = page.locator("div.panel, details.panel").filter({ hasText: /^World/ });
    await world.getByRole("button", { name: "Add" }).click();
    await fill("State at the beginning (JSON)", '{"orders": {"1042": {"status": "paid"}}');
    await page.getByText("Not valid JSON yet").waitFor();
    // Text that is not JSON yet is not lost, and nothing is saved without it.
    await page.getByRole("button", { name: "Save scenario" }).click();
    await page.getByLabel("State at the beginning (JSON)").and(page.locator(":focus")).waitFor();
    expect(services.library.scenarios.size).toBe(0);
    await fill("State at the beginning (JSON)", '{"orders": {"1042": {"status": "paid"}}}');
    await world.getByRole("button", { name: "Tool", exact: true }).click();
    await world.getByRole("button", { name: "Parameter", exact: true }).click();
    await fill("Parameter 1, name", "order_id");
    await world.getByLabel("required").check();
    await world.getByRole("button", { name: "Condition" }).click();
    await page.getByLabel("When 1, value: comparison").selectOption("pattern");
    await fill("When 1, value", "^1");
    await world.getByRole("button", { name: "Change" }).click();
    await fill("Changes of the state 1, name", "/orders/{order_id}/status");
    await fill("Changes of the state 1, value", "cancelled");

    await page.getByLabel("Expected tool calls").selectOption("these");
    await page.getByRole("button", { name: "Argument", exact: true }).click();
    await fill("Arguments 1, value", "1042");
    await page.getByText("Comparison of tool calls").click();
    await page.getByLabel("Other calls").selectOption("forbid");
    const outcome = page.locator("div.panel, details.panel").filter({ hasText: /^Expected outcome/ });
    await outcome.getByRole("button", { name: "Add" }).click();
    await outcome.getByRole("button", { name: "Place of the state" }).click();
    await fill("Final state 1, name", "/orders/1042/status");
    await fill("Final state 1, value", "cancelled");
    await outcome.getByRole("button", { name: "Text that must be said" }).click();
    await fill("Said 1", "cancelled");
    await within("Must not call").getByRole("button", { name: "Call" }).click();
    await fill("Must not call 1: tool", "refund_order");
    await fill("In total", "3");

    // The service refuses a tool without a name: the message is at the field.
    await page.getByRole("button", { name: "Save scenario" }).click();
    const name = page.getByLabel("Tool 1: name");
    await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
    await name.and(page.locator(":focus")).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await name.fill("cancel_order");
    await fill("Expected call 1: tool", "cancel_order");
    await page.getByRole("button", { name: "Save scenario" }).click();
    await page.waitForURL("**/scenarios/id/cancel?saved=new");
    expect(services.library.scenarios.get("cancel")?.[0]?.scenario).toMatchObject({
      world: {
        state: { orders: { "1042": { status: "paid" } } },
        tools: [
          {
            name: "cancel_order",
            parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
            answers: [{ when: { order_id: { $regex: "^1" } }, set: { "/orders/{order_id}/status": "cancelled" } }],
          },
        ],
      },
      tool_matching: { extra: "forbid" },
      interactions: [{ reference_tool_calls: [{ name: "cancel_order", arguments: { order_id: "1042" } }] }],
      expect: {
        state: { "/orders/1042/status": "cancelled" },
        said: ["cancelled"],
        must_not_call: ["refund_order"],
        max_calls: 3,
      },
    });
    await page.reload();
    await page.getByRole("button", { name: "Save scenario" }).click();
    await page.waitForURL("**/scenarios/id/cancel?saved=same");

    // The same scenario as YAML, edited on both sides.
    await page.getByText("YAML", { exact: true }).click();
    const yaml = page.getByRole("textbox", { name: "YAML" });
    expect(await yaml.inputValue()).toContain("  must_not_call:\n    - refund_order");
    await fill("Description", "Cancels it");
    expect(await yaml.inputValue()).toContain("description: Cancels it");
    await yaml.fill((await yaml.inputValue()).replace("max_calls: 3", "max_calls: 4 # with a margin"));
    await page.getByText(/^Expected outcome/).click();
    expect(await page.getByLabel("In total").inputValue()).toBe("4");
    await yaml.fill("id: [");
    await page.getByText(/Not valid YAML/).waitFor();
    expect(await page.getByLabel("Description", { exact: true }).inputValue()).toBe("Cancels it");
    // Text with an error is not left out of what is saved, and not lost to the other format or to the form.
    await page.getByRole("button", { name: "Save scenario" }).click();
    await yaml.and(page.locator(":focus")).waitFor();
    await page.getByText("JSON", { exact: true }).click();
    await page.getByRole("button", { name: "Save scenario" }).click();
    await yaml.and(page.locator(":focus")).waitFor();
    expect(await yaml.inputValue()).toBe("id: [");
    await fill("Description", "Cancels the order");
    expect(await yaml.inputValue()).toContain("description: Cancels the order");
    await page.getByRole("button", { name: "Bring my text back" }).click();
    expect(await yaml.inputValue()).toBe("id: [");
    expect(await axeViolations(page)).toEqual([]);
    expect(tab.mishaps).toEqual([]);
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
