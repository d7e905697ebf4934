import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { makeProblem } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { sampleScenario, scenarios } from "../support/sample-scenarios.ts";
import { deepTest } from "../../support/deep-test.ts";

export function scenarioDraftsSuite(browser: () => Browser): void {
  deepTest("a draft is kept when the scenario is saved elsewhere, or the service asks for a key", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.stopClock();
    await tab.open("/scenarios/id/refund");
    const description = tab.page.getByLabel("Description");
    await description.fill("Half a thou");
    services.library.put({ ...sampleScenario, description: "Saved in another tab" }, true);
    // Loaded data counts as fresh for two seconds.
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
    await tab.page.getByText("Key accepted").waitFor();
    expect(await description.inputValue()).toBe("Half a thou");
    expect(services.requests.slice(sent).filter((request) => request.startsWith("POST"))).toEqual([]);
  });

  deepTest(
    "a scenario that was saved elsewhere meanwhile is not replaced unasked, and both versions are kept",
    async () => {
      await using services = await startFakeServices({ scenarios });
      await using tab = await openTab({ browser: browser(), services });
      await tab.open("/scenarios/id/refund");
      await tab.page.getByLabel("Description").fill("Mine");
      const theirs = { ...sampleScenario, description: "Saved in another tab" };
      services.library.put(theirs, false);
      const save = tab.page.getByRole("button", { name: "Save scenario" });
      await save.click();
      const dialog = tab.page.getByRole("dialog", { name: "Saved elsewhere" });
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
      await tab.page.getByRole("dialog", { name: "Removed elsewhere" }).waitFor();
      expect(services.library.scenarios.has("refund")).toBe(false);
      expect(tab.mishaps).toEqual([]);
    },
  );

  test("a draft survives a reload and another screen, until it is saved or discarded", async () => {
    await using services = await startFakeServices({ scenarios });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/id/refund");
    const description = tab.page.getByLabel("Description");
    await description.fill("Half a thought");
    await tab.page.reload();
    await tab.page.getByText("Restored your unsaved draft.").waitFor();
    expect(await description.inputValue()).toBe("Half a thought");
    await tab.page.getByRole("link", { name: "Runs" }).click();
    await tab.page.goBack();
    await tab.page.getByText("Restored your unsaved draft.").waitFor();

    // It was written upon a version that is not the newest any more.
    services.library.put({ ...sampleScenario, description: "Saved in another tab" }, false);
    await tab.page.reload();
    await tab.page.getByText("Restored your unsaved draft.").waitFor();
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.getByRole("dialog", { name: "Saved elsewhere" }).waitFor();
    await tab.page.keyboard.press("Escape");

    await tab.page.getByRole("button", { name: "Start over" }).click();
    expect(await description.inputValue()).toBe("Saved in another tab");
    await tab.page.reload();
    await description.waitFor();
    expect(await description.inputValue()).toBe("Saved in another tab");
    expect(await tab.page.getByText("Restored your unsaved draft.").count()).toBe(0);

    await description.fill("Whole");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.waitForURL("**/scenarios/id/refund?saved=new");
    await tab.page.reload();
    await description.waitFor();
    expect(await tab.page.getByText("Restored your unsaved draft.").count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("text typed during a save is kept, and can be saved afterwards", async () => {
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
}
