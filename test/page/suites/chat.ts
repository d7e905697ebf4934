import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { isInSight, say } from "../support/chat-steps.ts";
import { demoUuid, startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { deepTest } from "../../support/deep-test.ts";

export function chatSuite(browser: () => Browser): void {
  test("while a service is away, the message field stays in view below the notice", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    for (const path of ["studio/models", "healthz"]) await tab.page.route(`**/${path}`, (route) => route.abort());
    await tab.load("/chat");
    await tab.page.getByText("Cannot reach the service").waitFor();
    const field = await tab.page.getByLabel("Message", { exact: true }).boundingBox();
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThan(800);
  });

  deepTest("a chat that was cleared by mistake can be brought back", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    await say(tab.page, "First");
    await tab.page.getByText("heard: First").waitFor();
    await tab.page.getByRole("button", { name: "New chat" }).click();
    await tab.page.getByText("Send a message to start").waitFor();
    expect(await tab.page.getByText("heard: First").count()).toBe(0);
    const message = tab.page.getByLabel("Message", { exact: true });
    expect(await message.and(tab.page.locator(":focus")).count()).toBe(1);
    await tab.page.getByRole("button", { name: "Restore the conversation" }).click();
    await tab.page.getByText("heard: First").waitFor();
    await tab.page.reload();
    await tab.page.getByText("heard: First").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a typed message survives another screen and a reload, and is gone once sent", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    const message = tab.page.getByLabel("Message", { exact: true });
    const lookAway = async (): Promise<void> => {
      await tab.page.getByRole("link", { name: "Models" }).click();
      await tab.page.getByRole("heading", { name: "Models" }).waitFor();
      await tab.page.goBack();
    };
    await message.fill("Half a thought");
    await lookAway();
    expect(await message.inputValue()).toBe("Half a thought");
    await tab.page.reload();
    expect(await message.inputValue()).toBe("Half a thought");
    await message.press("Enter");
    await tab.page.getByText("heard: Half a thought").waitFor();
    await lookAway();
    expect(await message.inputValue()).toBe("");
    await tab.page.reload();
    await tab.page.getByText("heard: Half a thought").waitFor();
    expect(await message.inputValue()).toBe("");
  });

  deepTest(
    "a message that is being edited is there again after a look at another screen or a reload, until it is sent or left",
    async () => {
      await using services = await startFakeServices();
      await using tab = await openTab({ browser: browser(), services });
      await tab.open("/chat?model=demo/scripted");
      await say(tab.page, "Frist");
      await tab.page.getByText("heard: Frist").waitFor();
      const edited = tab.page.getByRole("textbox", { name: "Edit message" });
      const edit = async (text: string): Promise<void> => {
        await tab.page.getByRole("button", { name: "Edit message" }).click();
        await edited.and(tab.page.locator(":focus")).fill(text);
      };
      await edit("First");
      await tab.page.getByRole("link", { name: "Models" }).click();
      await tab.page.getByRole("heading", { name: "Models" }).waitFor();
      await tab.page.goBack();
      expect(await edited.inputValue()).toBe("First");
      expect(await edited.and(tab.page.locator(":focus")).count()).toBe(0);
      await tab.page.reload();
      expect(await edited.inputValue()).toBe("First");
      await edited.press("Escape");
      await tab.page.reload();
      await tab.page.getByText("heard: Frist").waitFor();
      expect(await edited.count()).toBe(0);
      await edit("First of all");
      await tab.page.getByRole("button", { name: "Send again" }).click();
      await tab.page.getByText("heard: First of all").waitFor();
      await tab.page.reload();
      await tab.page.getByText("heard: First of all").waitFor();
      expect(await edited.count()).toBe(0);
      expect(tab.mishaps).toEqual([]);
    },
  );

  deepTest(
    "the end of the conversation stays in sight while the message or the window takes room from it",
    async () => {
      await using services = await startFakeServices();
      await using tab = await openTab({ browser: browser(), services });
      await tab.open("/chat?model=demo/echo");
      const conversation = tab.page.getByRole("region", { name: "Conversation" });
      for (const word of ["one", "two", "three", "four", "five", "six"]) {
        await say(tab.page, word);
        await conversation.getByText(`heard: ${word}`).waitFor();
      }
      const last = conversation.getByText("heard: six");
      const height = () => conversation.evaluate((box) => box.clientHeight);
      const before = await height();
      await tab.page.getByRole("textbox", { name: "Message" }).fill("a\nb\nc\nd\ne\nf\ng");
      await expect.poll(height).toBeLessThan(before);
      await expect.poll(() => isInSight(last)).toBe(true);
      await tab.page.setViewportSize({ width: 1280, height: 420 });
      await expect.poll(height).toBeLessThan(before - 300);
      await expect.poll(() => isInSight(last)).toBe(true);
      // A reader who has scrolled up stays there.
      await conversation.evaluate((box) => box.scrollTo({ top: 0 }));
      await tab.page.setViewportSize({ width: 1280, height: 380 });
      await expect.poll(() => conversation.evaluate((box) => box.scrollTop)).toBe(0);
    },
  );

  deepTest("Enter that ends the composing of a word does not send it", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    const message = tab.page.getByLabel("Message", { exact: true });
    await message.fill("にほんご");
    await message.dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true });
    // As Safari has it: composing has ended by then, and only the key's code tells.
    await message.dispatchEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true });
    expect(await message.inputValue()).toBe("にほんご");
    await message.press("Enter");
    await tab.page.getByText("heard: にほんご").waitFor();
    expect(services.questions).toHaveLength(1);
  });

  test("a chat is saved as a scenario: one model's replies as references, changed before saving", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/chat?model=${demoUuid}&second=demo/flaky`);
    await say(tab.page, "Where is my order?");
    await tab.page.getByText("heard: Where").nth(1).waitFor();
    await tab.page.getByRole("link", { name: "Save as scenario" }).first().click();
    await tab.page.getByRole("radio", { name: "demo-support-v1", checked: true }).waitFor({ state: "attached" });
    await tab.page.getByRole("radio", { name: "demo/flaky" }).check({ force: true });
    const reference = tab.page.getByLabel("Reference reply");
    expect(await reference.inputValue()).toBe("**demo/flaky** heard: Where is my order?");
    await reference.fill("It arrives tomorrow.");
    await tab.page.getByRole("button", { name: "Save scenario" }).click();
    await tab.page.waitForURL("**/scenarios/id/where-is-my-order?**");
    await tab.page.getByText("Saved.").waitFor();
    const [kept] = services.library.scenarios.get("where-is-my-order") ?? [];
    expect(kept?.scenario.interactions).toMatchObject([
      { user_message: "Where is my order?", reference_reply: "It arrives tomorrow." },
    ]);
    expect(tab.mishaps).toEqual([]);
  });
}
