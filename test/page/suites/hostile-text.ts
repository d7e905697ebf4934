import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { makeReply } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { hostileRun, hostileScenarios, hostileUpstreams } from "../support/hostile-run.ts";
import { deepTest } from "../../support/deep-test.ts";

/** Elements that no text may create. */
const activeElements =
  "main :is(script, iframe, object, embed, link, style, meta, base, form form, img, video, audio, math, marquee)";

const countActive = (page: Page): Promise<number> => page.locator(activeElements).count();

export function hostileTextSuite(browser: () => Browser): void {
  test("there are at least a hundred hostile texts", () => {
    expect(new Set(hostileTexts).size).toBeGreaterThanOrEqual(100);
  });

  test("nothing a model or a tool answers in the chat runs or reaches out", async () => {
    const batch = 12;
    const answer = (_model: string, message: string) => {
      const texts = hostileTexts.slice(Number(message) * batch, (Number(message) + 1) * batch);
      const tools = texts.map((text, index) => ({ id: `${index}`, name: text, args: { [text]: text }, result: text }));
      const asked = texts.map((text, index) => ({ id: `asked ${index}`, name: text, args: { [text]: text } }));
      const calls = asked.map((call) => ({ ...call, type: "tool_call" as const }));
      const invalid = asked.map((call) => ({ ...call, args: call.name, error: call.name }));
      const invalid_tool_calls = invalid.map((call) => ({ ...call, type: "invalid_tool_call" as const }));
      return { reply: makeReply(texts.join("\n\n"), { tool_calls: calls, invalid_tool_calls }), tools };
    };
    await using services = await startFakeServices({ answer });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    for (let index = 0; index * batch < hostileTexts.length; index += 1) {
      await tab.page.getByLabel("Message", { exact: true }).fill(String(index));
      await tab.page.keyboard.press("Enter");
      await tab.page.getByText("finish: stop").nth(index).waitFor();
    }
    await tab.page.evaluate("document.querySelectorAll('details').forEach((entry) => { entry.open = true; })");
    await tab.page.locator(".prose-reply").last().waitFor();
    expect(await countActive(tab.page)).toBe(0);
    const links = await tab.page
      .locator(".prose-reply a")
      .evaluateAll((found) => found.map((link) => [link.getAttribute("href"), link.getAttribute("rel")]));
    expect(links.length).toBeGreaterThan(0);
    for (const [href, rel] of links) {
      expect(href).toMatch(/^(https?|mailto):/);
      expect(rel).toBe("noopener noreferrer nofollow");
    }
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a reply nested too deeply for Markdown is shown as plain text, and the chat goes on", async () => {
    const deep = `${">".repeat(4000)} deep`;
    await using services = await startFakeServices({ answer: () => ({ reply: makeReply(deep) }) });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    for (const count of [1, 2]) {
      await tab.page.getByLabel("Message", { exact: true }).fill("Hello");
      await tab.page.keyboard.press("Enter");
      await tab.page
        .getByText(deep)
        .nth(count - 1)
        .waitFor();
      await tab.page
        .getByText("finish: stop")
        .nth(count - 1)
        .waitFor();
    }
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a reply that takes minutes to read as Markdown holds up neither the page nor the next reply", async () => {
    const endless = `${"*".repeat(20_000)}a${"*".repeat(20_000)}`;
    const answer = (_model: string, message: string) => ({
      reply: makeReply(message === "stars" ? endless : "*fine*"),
    });
    await using services = await startFakeServices({ answer });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    for (const message of ["stars", "words"]) {
      await tab.page.getByLabel("Message", { exact: true }).fill(message);
      await tab.page.keyboard.press("Enter");
      await tab.page.getByText("finish: stop").last().waitFor();
    }
    await tab.page.locator("em", { hasText: "fine" }).waitFor({ timeout: 30_000 });
    await tab.page.getByText(endless).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("nothing in a run runs or reaches out, on any of its screens", async () => {
    await using services = await startFakeServices({ runs: [hostileRun] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("row").nth(1).waitFor();
    for (const screen of ["?tab=scores", "?tab=failures", "?tab=details", ""]) {
      await tab.open(`/runs/hostile${screen}`);
      await tab.page.getByRole("navigation", { name: "Views of the run" }).waitFor();
      expect(await countActive(tab.page)).toBe(0);
    }
    await tab.open("/runs/hostile/all/1");
    const lastTurn = tab.page.getByRole("article", { name: `Turn ${hostileTexts.length}`, exact: true });
    await tab.page.getByRole("article", { name: "Turn 1", exact: true }).waitFor();
    // A printed transcript has all of its turns in the page.
    await tab.page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await lastTurn.waitFor();
    for (const view of ["Side by side", "Inline diff", "Markdown"]) {
      await tab.page.getByRole("radio", { name: view }).check({ force: true });
      await lastTurn.getByText("before").first().waitFor();
      expect({ view, active: await countActive(tab.page) }).toEqual({ view, active: 0 });
    }
    await tab.page.evaluate("dispatchEvent(new Event('afterprint'))");
    // Ids and failed requests are on the screens of the other scenarios.
    for (let count = 0; count < 3; count += 1) {
      await tab.page.keyboard.press("n");
      await tab.page.getByRole("article", { name: "Turn 1", exact: true }).waitFor();
      expect(await countActive(tab.page)).toBe(0);
    }
    expect(tab.mishaps).toEqual([]);
  });

  test("nothing in the library, a comparison or a model's name runs or reaches out", async () => {
    const [first = ""] = hostileTexts;
    const turns = hostileTexts.map((text, index) => ({
      id: `${index}`,
      user: text,
      reply: text,
      reference: "x",
      overall: 1,
    }));
    const better = makeResults({ id: "better", name: first, scenarios: [{ id: first, attempts: [turns] }] });
    const worse = makeResults({
      id: "worse",
      name: first,
      scenarios: [{ id: first, attempts: [turns.map((turn) => ({ ...turn, overall: 0.2 }))] }],
    });
    await using services = await startFakeServices({
      runs: [better, worse],
      scenarios: hostileScenarios,
      studio: Object.fromEntries(hostileTexts.map((text) => [text, text])),
      upstreams: hostileUpstreams,
    });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/compare?baseline=better&candidate=worse");
    await tab.page.getByRole("region", { name: "Changed turns" }).waitFor();
    await tab.page.evaluate("document.querySelectorAll('details').forEach((entry) => { entry.open = true; })");
    await tab.page
      .getByRole("heading", { name: "Reference" })
      .nth(hostileTexts.length - 1)
      .waitFor();
    expect(await countActive(tab.page)).toBe(0);
    await tab.open("/models");
    await tab.page.getByText("onpointerenter").first().waitFor();
    expect(await countActive(tab.page)).toBe(0);
    await tab.open("/scenarios");
    await tab.page.getByRole("row").nth(services.library.scenarios.size).waitFor();
    await tab.page.getByRole("row").nth(5).getByRole("link").first().click();
    await tab.page.getByRole("textbox", { name: "JSON" }).waitFor();
    expect(await countActive(tab.page)).toBe(0);
    expect(tab.mishaps).toEqual([]);
  });
}
