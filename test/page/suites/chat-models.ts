import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { isInSight, say } from "../support/chat-steps.ts";
import { makeProblem } from "../support/fake-agent.ts";
import { demoUuid, startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { deepTest } from "../../support/deep-test.ts";

export function chatModelsSuite(browser: () => Browser): void {
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

  deepTest("a message to a fine-tuned model picked by name sends its UUID and shows the reply", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat");
    await tab.page.getByRole("combobox", { name: "Model" }).click();
    await tab.page.getByRole("option", { name: /demo-support-v1/ }).click();
    await say(tab.page, "Hello");
    await tab.page.getByText("heard: Hello").waitFor();
    await tab.page.getByTitle("demo: scripted, not a language model").waitFor();
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

  deepTest("any model id can be typed, and the last used comes first", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat");
    await tab.page.getByRole("combobox", { name: "Model" }).fill("openai/gpt-x");
    await tab.page.keyboard.press("Enter");
    await say(tab.page, "Hi");
    await tab.page.getByText("heard: Hi").waitFor();
    await tab.load("/chat");
    await tab.page.getByText("heard: Hi").waitFor();
    expect(await tab.page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("openai/gpt-x");
  });

  deepTest("the first of two models stays the first after a reload, and begins the next chat", async () => {
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
    await tab.page.getByText("Send a message to both models").waitFor();
    expect(await tab.page.getByText("Add a second model").count()).toBe(0);
    await say(tab.page, "6 times 7?");
    await tab.page.getByText("The answer is 42.").waitFor();
    await tab.page.getByText("1 tool call").click();
    await tab.page.getByText('"expression": "6*7"').waitFor();
    await tab.page.getByText("result: 42").waitFor();
    const alert = tab.page.getByRole("alert");
    expect(await alert.innerText()).toContain("The model provider refused our credentials");
    expect(await alert.innerText()).toContain("Next: Check that the service's environment has a valid key");
    // Only the failed question is sent again, to the model that is selected now; the focus stays there.
    await tab.page.getByRole("combobox", { name: "Second model" }).fill("demo/other");
    await tab.page.keyboard.press("Enter");
    await alert.getByRole("button", { name: "Ask again" }).click();
    const other = tab.page.getByRole("group", { name: "Answer of demo/other" });
    await other.getByText("heard: 6 times 7?").waitFor();
    expect(await other.evaluate((card) => card === document.activeElement)).toBe(true);
    await tab.page.getByText("The answer is 42.").waitFor();
    expect(services.questions.map(({ model }) => model)).toEqual(["demo/tools", "demo/refused", "demo/other"]);
  });

  deepTest("an unknown model is reported in the words of the page", async () => {
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
      /Unknown model\s+Did you mean demo-support-v1, demo\/scripted\?\s+Next: Pick a model from the list above/,
    );
    expect(await alert.innerText()).not.toContain("GET");
  });
}
