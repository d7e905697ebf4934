import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { say } from "../support/chat-steps.ts";
import { fakeAnswer, makeProblem } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { deepTest } from "../../support/deep-test.ts";

export function chatAnswersSuite(browser: () => Browser): void {
  test("an answer that wants a key asks for it, and comes with it", async () => {
    let asked = 0;
    const answer = (_model: string, message: string) => {
      asked += 1;
      return asked === 1 ? { problem: makeProblem("auth_expired", "The key has expired.") } : fakeAnswer("m", message);
    };
    await using services = await startFakeServices({ answer });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    await say(tab.page, "Hello");
    await tab.page.getByRole("alert").getByLabel("API key").fill("secret");
    await tab.page.getByRole("button", { name: "Use key" }).click();
    await tab.page.getByText("heard: Hello").waitFor();
    expect(asked).toBe(2);
  });

  deepTest("a connection lost in the middle of an answer is reported as such", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Hello");
    await tab.page.getByText("Let me think").waitFor();
    await services[Symbol.asyncDispose]();
    const alert = tab.page.getByRole("alert");
    await alert.getByText("The response was cut off").waitFor();
    expect(await alert.innerText()).toContain("Next: Try again.");
    await tab.page.getByText("Let me think").waitFor();
    await say(tab.page, "Still there?");
    const failed = tab.page.getByRole("region", { name: "Conversation" }).getByText("Cannot reach the service");
    await failed.waitFor();
  });

  test("an answer can be stopped, and the message edited and sent again", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/never");
    await say(tab.page, "Frist");
    await tab.page.getByRole("button", { name: "Stop" }).click();
    await tab.page.getByText("Stopped.").waitFor();

    await tab.page.getByRole("combobox", { name: "Model" }).fill("demo/scripted");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("button", { name: "Edit message" }).click();
    await tab.page.getByRole("textbox", { name: "Edit message" }).fill("First");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByText("heard: First").waitFor();
    expect(await tab.page.getByText("Frist").count()).toBe(0);
    expect(services.questions.at(-1)?.messages).toEqual([{ type: "human", content: "First" }]);
  });

  deepTest("a double click on Send does not stop the answer, and the keyboard stays with the message", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    const message = tab.page.getByLabel("Message", { exact: true });
    await message.fill("Hello");
    await tab.page.getByRole("button", { name: "Send" }).dblclick();
    await tab.page.getByText("Let me think").waitFor();
    expect(await tab.page.getByText("Stopped.").count()).toBe(0);
    expect(await message.evaluate((element) => element === document.activeElement)).toBe(true);
    await tab.page.keyboard.press("Escape");
    await tab.page.getByText("Stopped.").waitFor();
  });

  deepTest("Escape stops an answer wherever in the chat the keyboard is", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Go on");
    await tab.page.getByText("Let me think").waitFor();
    await tab.page.getByRole("region", { name: "Conversation" }).press("Escape");
    await tab.page.getByText("Stopped.").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a reply is shown while it streams, with the tool at work, and can be stopped half-way", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Hi");
    await tab.page.getByText("Let me think").waitFor();
    await tab.page.getByText("web_fetch").last().waitFor();
    await tab.page.getByText("running", { exact: true }).waitFor();
    await tab.page.getByRole("button", { name: "Stop" }).click();
    await tab.page.getByText("Stopped.").waitFor();
    await tab.page.reload();
    await tab.page.getByText("Let me think").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("an answer that is left behind by a reload was stopped, it did not break off", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Hi");
    await tab.page.getByText("Let me think").waitFor();
    await tab.page.reload();
    const answer = tab.page.getByRole("group", { name: "Answer of demo/slow" });
    await answer.getByRole("button", { name: "Ask again" }).waitFor();
    expect(await answer.innerText()).toMatch(/Let me think[^]*Stopped\./);
    expect(tab.mishaps).toEqual([]);
  });

  test("Markdown is rendered while it streams and after it is stopped, with code to copy", async () => {
    const partial = "Use **this**:\n\n```js\nconst a = 1;\n```\n\nand then";
    await using services = await startFakeServices({ answer: () => ({ partial }) });
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open("/chat?model=demo/slow");
    // The message field has the focus.
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("How?");
    await page.keyboard.press("Enter");
    const answer = page.getByRole("group", { name: "Answer of demo/slow" });
    await answer.locator("strong", { hasText: "this" }).waitFor();
    await answer.locator(".code-keyword", { hasText: "const" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await answer.getByText("Stopped.").waitFor();
    await answer.locator("strong", { hasText: "this" }).waitFor();
    await answer.locator(".code-block").getByRole("button", { name: "Copy" }).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a reply is regenerated with a system prompt and parameters, saved up to its turn, and found in the history", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const { page } = tab;
    await tab.open("/chat?model=demo/scripted");
    await page.getByText("System prompt and parameters").click();
    await page.getByLabel("System prompt").fill("Be brief.");
    await page.getByLabel("Temperature").fill("0.2");
    await page.getByLabel("Top p").fill("2");
    await page.getByText("Must be a number from 0 to 1").waitFor();
    await say(page, "First");
    await page.getByText("heard: First").waitFor();
    await say(page, "Second");
    await page.getByText("heard: Second").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Regenerate" }).first().click();
    await expect.poll(() => services.questions.length).toBe(3);
    expect(services.questions[2]).toMatchObject({ system_prompt: "Be brief.", parameters: { temperature: 0.2 } });
    expect(services.questions[2]?.messages).toHaveLength(1);

    await page.getByRole("link", { name: "Save as scenario" }).nth(1).click();
    await page.getByLabel("User message").waitFor();
    expect(await page.getByLabel("User message").count()).toBe(1);
    await page.goBack();

    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("menuitem", { name: /First/ }).click();
    await page.getByText("heard: Second").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a stream that ends in an error keeps what came and says why", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/breaks");
    await say(tab.page, "Hi");
    await tab.page.getByText("The provider hung up.").waitFor();
    expect(await tab.page.getByRole("group", { name: "Answer of demo/breaks" }).innerText()).toContain("Half a");
  });

  deepTest("reasoning is folded above the reply, after a reload too, and is no part of it", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/thinks");
    await say(tab.page, "How long?");
    const answer = tab.page.getByRole("group", { name: "Answer of demo/thinks" });
    await answer.getByText("Five days.").waitFor();
    const thoughts = answer.getByText("Three plus two <b>is</b> **five**.");
    expect(await thoughts.isVisible()).toBe(false);
    expect(await axeViolations(tab.page)).toEqual([]);
    await tab.page.reload();
    await answer.getByText("Reasoning").focus();
    await tab.page.keyboard.press("Enter");
    await thoughts.waitFor();
    await say(tab.page, "Sure?");
    await answer.nth(1).getByText("Five days.").waitFor();
    expect(services.questions.at(-1)?.messages.map(({ content }) => content)).toEqual([
      "How long?",
      "Five days.",
      "Sure?",
    ]);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a backend that answers JSON is understood as well", async () => {
    await using services = await startFakeServices({ streams: false });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    await say(tab.page, "Hello");
    await tab.page.getByText("heard: Hello").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("an answer goes on while another screen is shown", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Hi");
    await tab.page.getByText("Let me think").waitFor();
    await tab.page.getByRole("link", { name: "Models" }).click();
    await tab.page.getByRole("heading", { name: "Models" }).waitFor();
    await tab.page.getByRole("navigation").getByRole("link", { name: "Chat" }).click();
    await tab.page.getByText("running", { exact: true }).waitFor();
    expect(await tab.page.getByText("Stopped.").count()).toBe(0);
    await tab.page.getByRole("button", { name: "Stop" }).click();
    await tab.page.getByText("Stopped.").waitFor();
    await tab.page.getByText("1 tool call").click();
    await tab.page.getByText("not finished").waitFor();
    expect(tab.mishaps).toEqual([]);
  });
}
