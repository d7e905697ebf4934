import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { say } from "../support/chat-steps.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { deepTest } from "../../support/deep-test.ts";

export function chatToolCallsSuite(browser: () => Browser): void {
  test("a tool call that waits is approved, after a reload too, and the run goes on", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/asks");
    await say(tab.page, "Mail it");
    const waiting = tab.page.getByRole("region", { name: "Waiting for approval" });
    await waiting.getByText("send_mail").waitFor();
    expect(await tab.page.getByRole("link", { name: "Save as scenario" }).count()).toBe(0);
    await tab.page.reload();
    await waiting.getByRole("button", { name: "Approve" }).click();
    await tab.page.getByText("Sent.").waitFor();
    await tab.page.getByText("1 tool call").click();
    await tab.page.getByText("queued").waitFor();
    expect(await waiting.count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("a tool call that waits can be refused, or approved with other arguments if they fit", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/asks");
    await say(tab.page, "Mail it");
    await tab.page.getByRole("button", { name: "Edit arguments" }).click();
    const written = tab.page.getByLabel("Arguments of send_mail");
    await written.fill("{");
    await tab.page.getByText("must be a JSON object").waitFor();
    await written.fill("{}");
    await tab.page.getByRole("button", { name: "Approve with changes" }).click();
    await tab.page.getByRole("alert").getByText("/args/to is required").waitFor();
    await tab.page.getByRole("button", { name: "Deny" }).click();
    await tab.page.getByText("Then I will not send it.").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("of several calls that wait, each shows what was decided until its arguments are changed", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/asks-twice");
    await say(tab.page, "Mail it");
    const waiting = tab.page.getByRole("region", { name: "Waiting for approval" });
    const mail = waiting.getByRole("listitem").first();
    await waiting.getByRole("status").getByText("2 tool calls wait").waitFor();
    await mail.getByRole("button", { name: "Edit arguments" }).click();
    await mail.getByRole("button", { name: "Approve with changes" }).click();
    await mail.getByText("✓ approved, sent when all are decided").waitFor();
    await waiting.getByRole("status").getByText("1 tool call waits").waitFor();
    await mail.getByLabel("Arguments of send_mail").fill('{"to": "b@example.org"}');
    await waiting.getByRole("status").getByText("2 tool calls wait").waitFor();
    expect(await mail.getByText("✓ approved").count()).toBe(0);
    await waiting.getByRole("button", { name: "Deny" }).last().click();
    await waiting.getByText("✕ denied, sent when all are decided").waitFor();
    const [resumed] = await Promise.all([
      tab.page.waitForRequest("**/resume"),
      mail.getByRole("button", { name: "Approve with changes" }).click(),
    ]);
    const decisions = { "call-7": { args: { to: "b@example.org" } }, "call-8": "deny" };
    expect(resumed.postDataJSON()).toEqual({ decisions });
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("changed arguments are there again after a look at another screen, a reload and a refusal", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/asks");
    await say(tab.page, "Mail it");
    await tab.page.getByRole("button", { name: "Edit arguments" }).click();
    const written = tab.page.getByLabel("Arguments of send_mail");
    await written.and(tab.page.locator(":focus")).fill('{"subject": "Hello"}');
    await tab.page.getByRole("link", { name: "Models" }).click();
    await tab.page.getByRole("heading", { name: "Models" }).waitFor();
    await tab.page.goBack();
    expect(await written.inputValue()).toBe('{"subject": "Hello"}');
    expect(await written.and(tab.page.locator(":focus")).count()).toBe(0);
    await tab.page.reload();
    await tab.page.getByRole("button", { name: "Approve with changes" }).click();
    await tab.page.getByRole("alert").getByText("/args/to is required").waitFor();
    expect(await written.inputValue()).toBe('{"subject": "Hello"}');
    await tab.page.getByRole("button", { name: "Undo changes" }).click();
    await tab.page.reload();
    await tab.page.getByRole("button", { name: "Edit arguments" }).waitFor();
    expect(await written.count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest(
    "calls that failed or were got wrong are shown, each once, and the tokens are those of all calls",
    async () => {
      await using services = await startFakeServices();
      await using tab = await openTab({ browser: browser(), services });
      await tab.open("/chat?model=demo/wrong");
      await say(tab.page, "Try");
      await tab.page.getByText("I could not.").waitFor();
      await tab.page.getByText("1 tool call · 1 failed").click();
      await tab.page.getByText("There is no such tool.").waitFor();
      await tab.page.getByText("not run").waitFor();
      expect(await tab.page.getByText("There is no such tool.").count()).toBe(1);
      await tab.page.getByText("1 invalid tool call").click();
      await tab.page.getByText("calculator: The arguments are no JSON.").waitFor();
      await tab.page.getByText("42 + 18 tokens in 2 calls").waitFor();
    },
  );

  deepTest("the keyboard stays where it was after approving and after leaving an edit", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const focused = () => tab.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await tab.open("/chat?model=demo/asks");
    await say(tab.page, "Mail it");
    const edit = tab.page.getByRole("button", { name: "Edit message" });
    await edit.press("Enter");
    await tab.page.keyboard.press("Escape");
    expect(await focused()).toBe("Edit message");
    await tab.page.getByRole("button", { name: "Deny" }).press("Enter");
    await tab.page.getByText("Then I will not send it.").waitFor();
    expect(await focused()).toBe("Answer of demo/asks");
    await tab.page.getByText("1 tool call · 1 failed").click();
    await tab.page.getByText("it was not approved").waitFor();
    await edit.press("Enter");
    await tab.page.getByRole("button", { name: "Send again" }).press("Enter");
    expect(await focused()).toBe("Message");
  });
}
