import type { Browser, Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { fakeAnswer, makeProblem } from "../support/fake-agent.ts";
import { demoUuid, startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

export function chatSuite(browser: () => Browser): void {
  test("the models a hub lists are offered, and keys reach those further down", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const listed = Array.from({ length: 300 }, (_, index) => ({ id: `vendor/model-${index}`, owned_by: "hub" }));
    await tab.page.route("**/v1/models", (route) => route.fulfill({ json: { object: "list", data: listed } }));
    await tab.open("/chat");
    const picker = tab.page.getByRole("combobox", { name: "Model" });
    await picker.fill("model-");
    await tab.page.getByRole("option", { name: "vendor/model-199" }).waitFor();
    expect(await tab.page.getByRole("option").count()).toBe(200);
    await tab.page.getByText("and 100 more").waitFor();
    await picker.press("ArrowUp");
    const last = tab.page.getByRole("option", { name: "vendor/model-199", selected: true });
    await last.waitFor();
    expect(await isInSight(last)).toBe(true);
    await picker.press("ArrowDown");
    expect(await isInSight(tab.page.getByRole("option", { name: "vendor/model-0", selected: true }))).toBe(true);
    await picker.fill("model-277");
    await picker.press("ArrowDown");
    await picker.press("Enter");
    expect(await picker.inputValue()).toBe("vendor/model-277");
    expect(tab.page.url()).toContain("model=vendor%2Fmodel-277");
    expect(tab.mishaps).toEqual([]);
  });

  test("a message to a fine-tuned model picked by name sends its UUID and shows the reply", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat");
    await tab.page.getByRole("combobox", { name: "Model" }).click();
    await tab.page.getByRole("option", { name: /demo-support-v1/ }).click();
    await say(tab.page, "Hello");
    await tab.page.getByText("heard: Hello").waitFor();
    await tab.page.getByText("demo: scripted, not a language model").waitFor();
    await tab.page.getByText("21 + 9 tokens").waitFor();
    await tab.page.getByText("finish: stop").waitFor();

    await say(tab.page, "And now?");
    await tab.page.getByText("heard: And now?").waitFor();
    expect(services.questions.at(-1)).toEqual({
      model: demoUuid,
      messages: [
        { type: "human", content: "Hello" },
        { type: "ai", content: `**${demoUuid}** heard: Hello` },
        { type: "human", content: "And now?" },
      ],
    });
    expect(tab.mishaps).toEqual([]);
  });

  test("any model id can be typed, and the last used comes first", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat");
    await tab.page.getByRole("combobox", { name: "Model" }).fill("openai/gpt-x");
    await tab.page.keyboard.press("Enter");
    await say(tab.page, "Hi");
    await tab.page.getByText("heard: Hi").waitFor();
    await tab.open("/chat");
    await tab.page.getByText("heard: Hi").waitFor();
    expect(await tab.page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("openai/gpt-x");
  });

  test("the first of two models stays the first after a reload, and begins the next chat", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat");
    const modelIn = (name: string) => tab.page.getByRole("combobox", { name, exact: true }).inputValue();
    // The lists of models come one after the other.
    await expect.poll(() => modelIn("Model")).toBe("demo-support-v1");
    await tab.page.getByRole("button", { name: "Add a second model" }).click();
    await say(tab.page, "Hello");
    await tab.page.getByText("heard: Hello").nth(1).waitFor();
    const second = await modelIn("Second model");
    await tab.page.reload();
    await expect.poll(() => modelIn("Model")).toBe("demo-support-v1");
    expect(await modelIn("Second model")).toBe(second);
    await tab.open("/chat");
    await expect.poll(() => modelIn("Model")).toBe("demo-support-v1");
  });

  test("two models answer the same message; the one that fails says why and what to do", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/tools&second=demo/refused");
    await tab.page.getByText("Say something to both models.").waitFor();
    expect(await tab.page.getByText("Add a second model").count()).toBe(0);
    await say(tab.page, "6 times 7?");
    await tab.page.getByText("The answer is 42.").waitFor();
    await tab.page.getByText("1 tool call").click();
    await tab.page.getByText('"expression": "6*7"').waitFor();
    await tab.page.getByText("result: 42").waitFor();
    const alert = tab.page.getByRole("alert");
    expect(await alert.innerText()).toContain("The model provider refused our credentials");
    expect(await alert.innerText()).toContain("Next: Check that the service's environment has a valid key");
    // Only the one that failed is asked again, of the model that stands there now; the keyboard goes on from it.
    await tab.page.getByRole("combobox", { name: "Second model" }).fill("demo/other");
    await tab.page.keyboard.press("Enter");
    await alert.getByRole("button", { name: "Ask again" }).click();
    const other = tab.page.getByRole("region", { name: "Answer of demo/other" });
    await other.getByText("heard: 6 times 7?").waitFor();
    expect(await other.evaluate((card) => card === document.activeElement)).toBe(true);
    await tab.page.getByText("The answer is 42.").waitFor();
    expect(services.questions.map(({ model }) => model)).toEqual(["demo/tools", "demo/refused", "demo/other"]);
  });

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

  test("a connection that is lost in the middle of an answer is told as that", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Hello");
    await tab.page.getByText("Let me think").waitFor();
    await services[Symbol.asyncDispose]();
    const alert = tab.page.getByRole("alert");
    await alert.getByText("The answer broke off").waitFor();
    expect(await alert.innerText()).toContain("Next: Try again.");
    await tab.page.getByText("Let me think").waitFor();
    await say(tab.page, "Still there?");
    await tab.page.getByText("The service cannot be reached").waitFor();
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

  test("a double click on Send does not stop the answer, and the keyboard stays with the message", async () => {
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

  test("a chat that was cleared by mistake can be brought back", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    await say(tab.page, "First");
    await tab.page.getByText("heard: First").waitFor();
    await tab.page.getByRole("button", { name: "Clear" }).click();
    await tab.page.getByText("Say something to the model.").waitFor();
    expect(await tab.page.getByText("heard: First").count()).toBe(0);
    const message = tab.page.getByLabel("Message", { exact: true });
    expect(await message.and(tab.page.locator(":focus")).count()).toBe(1);
    await tab.page.getByRole("button", { name: "Bring back what was cleared" }).click();
    await tab.page.getByText("heard: First").waitFor();
    await tab.page.reload();
    await tab.page.getByText("heard: First").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("Escape stops an answer wherever in the chat the keyboard is", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Go on");
    await tab.page.getByText("Let me think").waitFor();
    await tab.page.getByRole("region", { name: "Conversation" }).press("Escape");
    await tab.page.getByText("Stopped.").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("what was typed is there again after a look at another screen or a reload, and gone once it was sent", async () => {
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

  test("a message that is being edited is there again after a look at another screen or a reload, until it is sent or left", async () => {
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
  });

  test("the end of the conversation stays in sight while the message or the window takes room from it", async () => {
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
    // Whoever reads further up is left there.
    await conversation.evaluate((box) => box.scrollTo({ top: 0 }));
    await tab.page.setViewportSize({ width: 1280, height: 380 });
    await expect.poll(() => conversation.evaluate((box) => box.scrollTop)).toBe(0);
  });

  test("Enter that ends the composing of a word does not send it", async () => {
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

  test("a reply is shown while it streams, with the tool at work, and can be stopped half-way", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Hi");
    await tab.page.getByText("Let me think").waitFor();
    await tab.page.getByText("web_fetch").waitFor();
    await tab.page.getByText("at work").waitFor();
    await tab.page.getByRole("button", { name: "Stop" }).click();
    await tab.page.getByText("Stopped.").waitFor();
    await tab.page.reload();
    await tab.page.getByText("Let me think").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("an answer that is left behind by a reload was stopped, it did not break off", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Hi");
    await tab.page.getByText("Let me think").waitFor();
    await tab.page.reload();
    const answer = tab.page.getByRole("region", { name: "Answer of demo/slow" });
    await answer.getByRole("button", { name: "Ask again" }).waitFor();
    expect(await answer.innerText()).toMatch(/Let me think[^]*Stopped\./);
    expect(tab.mishaps).toEqual([]);
  });

  test("a stream that ends in an error keeps what came and says why", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/breaks");
    await say(tab.page, "Hi");
    await tab.page.getByText("The provider hung up.").waitFor();
    expect(await tab.page.getByRole("region", { name: "Answer of demo/breaks" }).innerText()).toContain("Half a");
  });

  test("what a model thinks is folded above its reply, after a reload too, and no part of it", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/thinks");
    await say(tab.page, "How long?");
    const answer = tab.page.getByRole("region", { name: "Answer of demo/thinks" });
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

  test("a backend that answers JSON is understood as well", async () => {
    await using services = await startFakeServices({ streams: false });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    await say(tab.page, "Hello");
    await tab.page.getByText("heard: Hello").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

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
    await tab.page.getByRole("button", { name: "Change arguments" }).click();
    const written = tab.page.getByLabel("Arguments of send_mail");
    await written.fill("{");
    await tab.page.getByText("must be a JSON object").waitFor();
    await written.fill("{}");
    await tab.page.getByRole("button", { name: "Approve with these" }).click();
    await tab.page.getByRole("alert").getByText("/args/to is required").waitFor();
    await tab.page.getByRole("button", { name: "Refuse" }).click();
    await tab.page.getByText("Then I will not send it.").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("of several calls that wait, each shows what was decided until its arguments are changed", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/asks-twice");
    await say(tab.page, "Mail it");
    const waiting = tab.page.getByRole("region", { name: "Waiting for approval" });
    const mail = waiting.getByRole("listitem").first();
    await waiting.getByRole("status").getByText("2 tool calls wait").waitFor();
    await mail.getByRole("button", { name: "Change arguments" }).click();
    await mail.getByRole("button", { name: "Approve with these" }).click();
    await mail.getByText("✓ approved, sent when all are decided").waitFor();
    await waiting.getByRole("status").getByText("1 tool call waits").waitFor();
    await mail.getByLabel("Arguments of send_mail").fill('{"to": "b@example.org"}');
    await waiting.getByRole("status").getByText("2 tool calls wait").waitFor();
    expect(await mail.getByText("✓ approved").count()).toBe(0);
    await waiting.getByRole("button", { name: "Refuse" }).last().click();
    await waiting.getByText("✕ refused, sent when all are decided").waitFor();
    const [resumed] = await Promise.all([
      tab.page.waitForRequest("**/resume"),
      mail.getByRole("button", { name: "Approve with these" }).click(),
    ]);
    const decisions = { "call-7": { args: { to: "b@example.org" } }, "call-8": "deny" };
    expect(resumed.postDataJSON()).toEqual({ decisions });
    expect(tab.mishaps).toEqual([]);
  });

  test("changed arguments are there again after a look at another screen, a reload and a refusal", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/asks");
    await say(tab.page, "Mail it");
    await tab.page.getByRole("button", { name: "Change arguments" }).click();
    const written = tab.page.getByLabel("Arguments of send_mail");
    await written.and(tab.page.locator(":focus")).fill('{"subject": "Hello"}');
    await tab.page.getByRole("link", { name: "Models" }).click();
    await tab.page.getByRole("heading", { name: "Models" }).waitFor();
    await tab.page.goBack();
    expect(await written.inputValue()).toBe('{"subject": "Hello"}');
    expect(await written.and(tab.page.locator(":focus")).count()).toBe(0);
    await tab.page.reload();
    await tab.page.getByRole("button", { name: "Approve with these" }).click();
    await tab.page.getByRole("alert").getByText("/args/to is required").waitFor();
    expect(await written.inputValue()).toBe('{"subject": "Hello"}');
    await tab.page.getByRole("button", { name: "Undo changes" }).click();
    await tab.page.reload();
    await tab.page.getByRole("button", { name: "Change arguments" }).waitFor();
    expect(await written.count()).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });

  test("a chat is saved as a scenario: one model's replies as references, changed before saving", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/chat?model=${demoUuid}&second=demo/flaky`);
    await say(tab.page, "Where is my order?");
    await tab.page.getByText("heard: Where").nth(1).waitFor();
    await tab.page.getByRole("link", { name: "Save as scenario" }).click();
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

  test("a model nobody knows is told in the words of the page", async () => {
    const problem = makeProblem(
      "model_id_invalid",
      "send the UUID of a fine-tuned model (GET /studio/models lists them)",
    );
    const told = { ...problem, suggestions: ["demo-support-v1", "demo/scripted"] };
    await using services = await startFakeServices({ answer: () => ({ problem: told }) });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=nonsense");
    await say(tab.page, "Hi");
    const alert = tab.page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(
      /No model goes by this name\s+Did you mean demo-support-v1, demo\/scripted\?\s+Next: Pick a model from the list above/,
    );
    expect(await alert.innerText()).not.toContain("GET");
  });

  test("an answer goes on while another screen is shown", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/slow");
    await say(tab.page, "Hi");
    await tab.page.getByText("Let me think").waitFor();
    await tab.page.getByRole("link", { name: "Models" }).click();
    await tab.page.getByRole("heading", { name: "Models" }).waitFor();
    await tab.page.getByRole("navigation").getByRole("link", { name: "Chat" }).click();
    await tab.page.getByText("at work").waitFor();
    expect(await tab.page.getByText("Stopped.").count()).toBe(0);
    await tab.page.getByRole("button", { name: "Stop" }).click();
    await tab.page.getByText("Stopped.").waitFor();
    await tab.page.getByText("1 tool call").click();
    await tab.page.getByText("did not end").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("calls that failed or were got wrong are shown, each once, and the tokens are those of all calls", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/wrong");
    await say(tab.page, "Try");
    await tab.page.getByText("I could not.").waitFor();
    await tab.page.getByText("1 tool call · 1 failed").click();
    await tab.page.getByText("There is no such tool.").waitFor();
    await tab.page.getByText("not run").waitFor();
    expect(await tab.page.getByText("There is no such tool.").count()).toBe(1);
    await tab.page.getByText("1 call the model got wrong").click();
    await tab.page.getByText("calculator: The arguments are no JSON.").waitFor();
    await tab.page.getByText("42 + 18 tokens in 2 calls").waitFor();
  });

  test("the keyboard stays where it was after approving and after leaving an edit", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    const focused = () => tab.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await tab.open("/chat?model=demo/asks");
    await say(tab.page, "Mail it");
    const edit = tab.page.getByRole("button", { name: "Edit message" });
    await edit.press("Enter");
    await tab.page.keyboard.press("Escape");
    expect(await focused()).toBe("Edit message");
    await tab.page.getByRole("button", { name: "Refuse" }).press("Enter");
    await tab.page.getByText("Then I will not send it.").waitFor();
    expect(await focused()).toBe("Answer of demo/asks");
    await tab.page.getByText("1 tool call · 1 failed").click();
    await tab.page.getByText("it was not approved").waitFor();
    await edit.press("Enter");
    await tab.page.getByRole("button", { name: "Send again" }).press("Enter");
    expect(await focused()).toBe("Message");
  });
}

/** Whether something is within the list that scrolls it. */
const isInSight = (option: Locator): Promise<boolean> =>
  option.evaluate((element) => {
    const place = element.getBoundingClientRect();
    const list = element.closest(".overflow-y-auto")?.getBoundingClientRect();
    return list !== undefined && place.top >= list.top && place.bottom <= list.bottom;
  });
