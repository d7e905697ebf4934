import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { makeReply } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";

/** A run in which every text a stranger can write is hostile. */
const hostileRun = makeResults({
  id: "hostile",
  name: hostileTexts.join(" "),
  model: hostileTexts[1] ?? "",
  scenarios: hostileTexts.map((text, index) => ({
    id: text.replaceAll("\n", " "),
    description: text,
    attempts: [
      [
        {
          id: text,
          user: text,
          reply: text,
          reference: `before ${text}`,
          overall: 0.2,
          expected: { [text]: text },
          generated: { [text]: "x" },
        },
        {
          error: {
            code: "upstream_error",
            detail: hostileTexts[(index + 1) % hostileTexts.length] ?? "",
            upstream_status: 500,
            tries: 3,
            retryable: true,
          },
        },
      ],
    ],
  })),
});

/** What no text may turn into. */
const activeElements = "main :is(script, iframe, object, link, style, meta, base, form form, img, video)";

export function hostileTextSuite(browser: () => Browser): void {
  test("nothing a model answers in the chat runs or reaches out", async () => {
    const answer = (_model: string, message: string) => ({ reply: makeReply(hostileTexts[Number(message)] ?? "") });
    await using services = await startFakeServices({ answer });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/chat?model=demo/scripted");
    for (const index of hostileTexts.keys()) {
      await tab.page.getByLabel("Message", { exact: true }).fill(String(index));
      await tab.page.keyboard.press("Enter");
      await tab.page.getByText("finish: stop").nth(index).waitFor();
    }
    await tab.page
      .locator(".prose-reply")
      .nth(hostileTexts.length - 1)
      .waitFor();
    expect(
      await tab.page
        .locator("main :is(script, iframe, object, link, style, meta, base, form form, img, video)")
        .count(),
    ).toBe(0);
    const links = await tab.page.locator(".prose-reply a").all();
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      expect(await link.getAttribute("href")).toMatch(/^(https?|mailto):/);
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    }
    expect(tab.mishaps).toEqual([]);
  });

  test("nothing in a run runs or reaches out, on any of its screens", async () => {
    await using services = await startFakeServices({ runs: [hostileRun] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("row").nth(1).waitFor();
    for (const screen of ["", "?tab=scores", "?tab=failures", "?tab=details"]) {
      await tab.open(`/runs/hostile${screen}`);
      await tab.page.getByRole("navigation", { name: "Views of the run" }).waitFor();
    }
    await tab.open("/runs/hostile");
    await tab.page
      .getByRole("link", { name: /Attempt 1/ })
      .first()
      .click();
    for (const view of ["Side by side", "Inline diff", "Markdown"]) {
      await tab.page.getByRole("radio", { name: view }).check({ force: true });
      for (const index of hostileTexts.keys()) {
        await tab.page.getByRole("article", { name: "Turn 1" }).waitFor();
        expect(await tab.page.locator(activeElements).count(), `${view} ${index}`).toBe(0);
        await tab.page.keyboard.press("n");
        await tab.page.keyboard.press("n");
      }
    }
    expect(tab.mishaps).toEqual([]);
  });
}
