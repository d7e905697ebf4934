import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { axeViolations } from "../support/axe.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { deepTest } from "../../support/deep-test.ts";

export function scenarioImportSuite(browser: () => Browser): void {
  deepTest("a file in another encoding or without anything in it is refused, and the next one is taken", async () => {
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
    await tab.page.getByRole("button", { name: "Preview" }).click();
    await tab.page.getByText("comma separated, with a header").waitFor();
    await tab.page.getByRole("button", { name: "Preview" }).and(tab.page.locator(":focus")).waitFor();
    await tab.page.getByText("line 3").waitFor();
    expect(services.library.scenarios.size).toBe(0);
    const store = tab.page.getByRole("button", { name: "Import 2 scenarios" });
    await store.waitFor();
    await tab.page.getByLabel("User message").fill("frage");
    await store.waitFor({ state: "detached" });
    await tab.page.keyboard.press("Enter");
    await tab.page.getByText("user=frage").waitFor();
    await tab.page.getByLabel("User message").and(tab.page.locator(":focus")).waitFor();
    await store.click();
    await tab.page.getByText("2 scenarios imported").waitFor();
    expect([...services.library.scenarios.keys()]).toEqual(["row-1", "row-2"]);
    await tab.page.getByLabel("Paste a file's content").fill("frage,antwort\nWo ist es?,Zugestellt.\nWann?,Morgen.");
    await tab.page.getByRole("button", { name: "Preview" }).click();
    await tab.page.getByText("0 new, 1 replaced, 1 unchanged in the library").waitFor();
    await tab.page.getByText("row-1 replaces the scenario of the library, which has checks of 1 turn").waitFor();
    await store.click();
    const dialog = tab.page.getByRole("dialog", { name: "Replace a scenario?" });
    await dialog.getByRole("button", { name: "Keep" }).click();
    expect(services.library.scenarios.get("row-1")).toHaveLength(1);
    await store.click();
    await dialog.getByRole("button", { name: "Replace" }).click();
    await tab.page.getByText("1 scenario imported").waitFor();
    expect(services.library.scenarios.get("row-1")).toHaveLength(2);
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("an import survives another screen and a reload, until it is stored", async () => {
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
    await tab.page.getByRole("button", { name: "Preview" }).click();
    await tab.page.getByRole("button", { name: /^Import / }).click();
    await tab.page.getByRole("link", { name: "Go to the library" }).click();
    await tab.page.goBack();
    expect(await text.inputValue()).toBe("");
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("pasted text that replaces a file is not taken for that file", async () => {
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

  test("the conversations of traces are filtered and ticked before they are stored", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/scenarios/import");
    const buffer = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: tracedSpans }] }] }));
    await tab.page
      .getByLabel("File to import")
      .setInputFiles({ name: "spans.json", mimeType: "application/json", buffer });
    await tab.page.getByRole("button", { name: "Preview" }).click();
    await tab.page.getByRole("button", { name: "Import 3 scenarios" }).waitFor();
    expect(await axeViolations(tab.page)).toEqual([]);
    await tab.page.getByLabel("Errors").selectOption("with errors");
    await tab.page.getByRole("button", { name: "Import 2 scenarios" }).waitFor();
    await tab.page.getByRole("checkbox", { name: /Where is it/ }).uncheck();
    await tab.page.getByRole("checkbox", { name: "Send the recorded replies to review" }).check();
    await tab.page.getByRole("button", { name: "Import 1 scenario" }).click();
    await tab.page.getByText("1 scenario imported").waitFor();
    expect([...services.library.scenarios.keys()]).toEqual(["two"]);
    expect(tab.mishaps).toEqual([]);
  });
}

const tracedSpans = [
  ["one", "Where is it?", 2],
  ["two", "I want my money back.", 2],
  ["three", "Thank you!", 1],
].map(([id, text, code]) => ({
  traceId: id,
  spanId: "a",
  name: "chat",
  startTimeUnixNano: "1790000000000000000",
  status: { code },
  attributes: Object.entries({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-9",
    "gen_ai.conversation.id": id,
    "gen_ai.input.messages": JSON.stringify([{ role: "user", content: text }]),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", content: "Let me look." }]),
  }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
}));
