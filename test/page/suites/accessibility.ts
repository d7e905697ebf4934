import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { AgentServices } from "../../../src/services/agent/agent-parts.ts";
import { agentThreadRoutes } from "../../../src/services/agent/routes/threads.ts";
import { actingRun } from "../support/acting-run.ts";
import { axeViolations } from "../support/axe.ts";
import { judgedRun } from "../support/judged-run.ts";
import { makeReply } from "../support/fake-agent.ts";
import { startFakeServices } from "../support/fake-services.ts";
import { makeResults } from "../support/make-results.ts";
import { openTab } from "../support/open-tab.ts";
import { bothHistories, detailed, largeRun, nightly, nightlyAfter, withoutScores } from "../support/sample-runs.ts";
import { sampleUpstreams } from "../support/sample-upstreams.ts";
import { sampleScenario } from "../support/sample-scenarios.ts";
import { deepTest } from "../../support/deep-test.ts";
import { testShell } from "../../support/test-shell.ts";
import { isDeep } from "../../support/sizes.ts";

interface ScreenCase {
  readonly name: string;
  readonly path: string;
  /** Brings the screen into the state to look at. */
  readonly prepare: (page: Page) => Promise<unknown>;
}

const large = largeRun();
const data = {
  runs: [nightlyAfter, nightly, withoutScores, detailed, bothHistories, large, judgedRun, actingRun],
  scenarios: [sampleScenario],
  upstreams: sampleUpstreams,
};
const run = `/runs/${nightly.run_id}`;
const screens: readonly ScreenCase[] = [
  { name: "runs", path: "/runs", prepare: (page) => page.getByText("nightly support").first().waitFor() },
  { name: "no match", path: "/runs?search=nothing", prepare: (page) => page.getByText("No runs match").waitFor() },
  { name: "unknown run", path: "/runs/nope", prepare: (page) => page.getByRole("alert").waitFor() },
  { name: "scenarios", path: run, prepare: (page) => page.getByText("angry-customer").waitFor() },
  { name: "scores", path: `${run}?tab=scores`, prepare: (page) => page.getByText("macro F1").waitFor() },
  {
    name: "failed requests",
    path: `${run}?tab=failures`,
    prepare: (page) => page.getByText("Show the first one").waitFor(),
  },
  { name: "details", path: `${run}?tab=details`, prepare: (page) => page.getByText("Scoring version").waitFor() },
  {
    name: "transcript",
    path: `${run}/refund-status/2?across=1`,
    prepare: (page) => page.locator("ins").first().waitFor(),
  },
  {
    name: "tool calls and outcome",
    path: `/runs/${actingRun.run_id}/cancel-order/2?across=2`,
    prepare: (page) => page.getByText("Show all 40 differences").waitFor(),
  },
  {
    name: "failed turn",
    path: `${run}/order%2Fstatus%20%C3%BCn%C3%AFcode%3F/2`,
    prepare: (page) => page.getByText("Request failed:").waitFor(),
  },
  {
    name: "review",
    path: `/review?run=${judgedRun.run_id}`,
    prepare: async (page) => {
      await page.getByLabel("Your name").fill("ada");
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Reply to judge" }).waitFor();
      await page.keyboard.press("2");
      await page.getByText("You 1", { exact: true }).waitFor();
    },
  },
  {
    name: "agreement",
    path: `/review?run=${judgedRun.run_id}&view=agreement`,
    // The name was typed on the screen before.
    prepare: async (page) => {
      await page.getByRole("article", { name: "Conflict on case-1" }).waitFor();
      await page.getByText("Show the reply").click();
      await page.getByText("Good reply").waitFor();
    },
  },
  {
    name: "new run",
    path: "/new?start=demo",
    prepare: async (page) => {
      await page.getByLabel("Model", { exact: true }).fill("");
      await page.getByRole("button", { name: "Start run" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "chat",
    path: "/chat?model=demo/tools&second=demo/refused",
    prepare: async (page) => {
      await page.getByLabel("Message", { exact: true }).fill("Hi");
      await page.keyboard.press("Enter");
      await page.getByText("1 tool call").click();
      await page.getByRole("combobox", { name: "Second model" }).click();
    },
  },
  {
    name: "approval",
    path: "/chat?model=demo/asks",
    prepare: async (page) => {
      await page.getByRole("button", { name: "New chat" }).click();
      await page.getByLabel("Message", { exact: true }).fill("Hi");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Edit arguments" }).click();
      await page.getByLabel("Arguments of send_mail").fill("{");
    },
  },
  {
    name: "menu of a run",
    path: run,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("menuitem").first().waitFor();
    },
  },
  {
    name: "both histories",
    path: `/runs/${bothHistories.run_id}/refund/1?history=reference`,
    prepare: (page) => page.getByText("Same turn after the model's own").first().click(),
  },
  {
    name: "sorted runs",
    path: "/runs?sort=-overall",
    prepare: (page) => page.locator("th[aria-sort]").waitFor(),
  },
  {
    name: "large run",
    path: `/runs/${large.run_id}`,
    prepare: (page) => page.getByText("scenario-0000").waitFor(),
  },
  {
    name: "compare",
    path: `/compare?baseline=${nightly.run_id}&candidate=${nightlyAfter.run_id}`,
    prepare: (page) => page.locator("ins").first().waitFor(),
  },
  {
    name: "rank",
    path: `/rank?runs=${[nightly, nightlyAfter].map(({ run_id }) => run_id).join(",")}`,
    prepare: (page) => page.getByRole("table").waitFor(),
  },
  { name: "compare, empty", path: "/compare", prepare: (page) => page.getByLabel("Baseline (before)").waitFor() },
  { name: "library", path: "/scenarios", prepare: (page) => page.getByText("A customer wants a refund").waitFor() },
  {
    name: "scenario",
    path: "/scenarios/id/refund",
    prepare: async (page) => {
      await page.getByLabel("Scenario id").fill("");
      await page.getByRole("button", { name: "Save scenario" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "import",
    path: "/scenarios/import",
    prepare: async (page) => {
      await page.getByLabel(/Paste a file/).fill("question,answer\nWhere?,Here.");
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("region", { name: "Preview" }).waitFor();
    },
  },
  {
    name: "models",
    path: "/models",
    prepare: async (page) => {
      await page.getByRole("button", { name: /Find Ollama/ }).click();
      await page.getByText("needs a key").waitFor();
    },
  },
  {
    name: "connect a model",
    path: "/connect?provider=openai",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Test" }).click();
      await page.getByText("gpt-9-mini").waitFor();
    },
  },
  { name: "agent runs", path: "/agents", prepare: (page) => page.getByRole("link", { name: /Mail the/ }).waitFor() },
  {
    name: "agent run",
    path: "/agents/run-1",
    prepare: async (page) => {
      await page.getByText("Model call 1").click();
      await page.getByRole("button", { name: "Approve" }).waitFor();
    },
  },
  {
    name: "agent thread",
    path: "/agents/threads/orders",
    prepare: (page) => page.getByText("1 run of this thread").waitFor(),
  },
  {
    name: "score history",
    path: "/history?test=nightly+support",
    prepare: (page) => page.getByRole("img", { name: /oldest first/ }).waitFor(),
  },
  { name: "settings", path: "/settings", prepare: (page) => page.getByText("Rehearsal 0.1.0").waitFor() },
  {
    name: "scores with drift",
    path: `/runs/${detailed.run_id}?tab=scores`,
    prepare: (page) => page.getByText("Own replies cost").waitFor(),
  },
  {
    name: "transcript with judge",
    path: `/runs/${detailed.run_id}/refund-status/1`,
    prepare: (page) => page.getByText("It names another number").first().waitFor(),
  },
  {
    name: "library picker",
    path: "/new?start=demo",
    prepare: async (page) => {
      await page.getByText("Advanced").click();
      await page.getByRole("button", { name: "From the library" }).click();
      await page.getByRole("checkbox").first().waitFor();
    },
  },
  { name: "help", path: "/runs", prepare: (page) => page.keyboard.press("?") },
];

export function accessibilitySuite(browser: () => Browser): void {
  // Colours come from a few shared tokens, so that half of the screens in each theme find nearly all that both find.
  test("axe finds nothing wrong on any screen, and none scrolls sideways at 390 or 1280 pixels", async () => {
    await using services = await startFakeServices(data);
    await using tab = await openTab({ browser: browser(), services });
    const found: string[] = [];
    for (const [index, { name, path, prepare }] of screens.entries()) {
      await tab.open(path);
      await tab.page.getByRole("navigation", { name: "Main" }).waitFor();
      await prepare(tab.page);
      for (const theme of isDeep ? (["light", "dark"] as const) : ([index % 2 === 0 ? "light" : "dark"] as const)) {
        await tab.page.emulateMedia({ colorScheme: theme });
        await tab.page.locator(`[data-theme='${theme}']`).waitFor({ state: "attached" });
        found.push(...(await axeViolations(tab.page)).map((line) => `${name}, ${theme}: ${line}`));
      }
      for (const width of [390, 1280]) {
        await tab.page.setViewportSize({ width, height: 800 });
        const wide = await tab.page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        if (wide !== 0) found.push(`${name}: ${String(wide)} pixels too wide at ${width}`);
      }
    }
    expect([...found, ...tab.mishaps]).toEqual([]);
  });

  deepTest("text runs its own way, words in table cells are whole, and long ones do not widen the page", async () => {
    const table = `| name | count | more |\n|---|---|---|\n| opening | 22 | ${"many words ".repeat(20)} |\n| a | 7 | ${"x".repeat(300)} |`;
    const answer = () => ({ reply: makeReply(`${table}\n\nשלום עולם\n\n- פריט\n\nHello`) });
    await using services = await startFakeServices({ answer });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.open("/chat?model=demo/scripted");
    await tab.page.getByLabel("Message", { exact: true }).fill("مرحبا");
    const directionOf = (selector: string) =>
      tab.page.locator(selector).evaluateAll((found) => found.map((one) => getComputedStyle(one).direction));
    expect(await directionOf("[aria-label=Message]")).toEqual(["rtl"]);
    await tab.page.keyboard.press("Enter");
    await tab.page.locator(".prose-reply li").waitFor();
    expect(await directionOf(".prose-reply > :is(p, ul)")).toEqual(["rtl", "rtl", "ltr"]);
    const lines = await tab.page.locator(".prose-reply td").evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      }),
    );
    expect([lines[0], lines[1]]).toEqual([1, 1]);
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  deepTest("on a phone, keyboard focus reveals the columns to sort by", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.open("/runs");
    const column = tab.page.getByRole("button", { name: "Duration" });
    await tab.page.getByRole("button", { name: "Test" }).focus();
    while (await column.evaluate((button) => button !== document.activeElement)) await tab.page.keyboard.press("Tab");
    const seen = await column.evaluate((button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) === button;
    });
    expect(seen).toBe(true);
  });

  deepTest("on a phone nothing that has the focus is covered by the bar at the bottom", async () => {
    const runs = Array.from({ length: 8 }, (_, index) =>
      makeResults({ id: `run-${index}`, name: `run ${index}`, scenarios: [] }),
    );
    await using services = await startFakeServices({ runs });
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.open("/runs");
    await tab.page.getByRole("checkbox", { name: /^Select .* run 0 / }).focus();
    const covered: string[] = [];
    for (let press = 0; press < 20; press++) {
      await tab.page.keyboard.press("Tab");
      const name = await tab.page.evaluate(() => {
        const focused = document.activeElement ?? document.body;
        const { x, y, width, height } = focused.getBoundingClientRect();
        const top = document.elementFromPoint(x + width / 2, y + height / 2);
        return top?.closest("nav") && !focused.closest("nav") ? (focused.ariaLabel ?? focused.textContent) : null;
      });
      if (name !== null) covered.push(name);
    }
    expect(covered).toEqual([]);
  });

  deepTest("a sentence of the page runs from left to right around a name that does not", async () => {
    const run = { ...nightly, test_name: "ليلة التقييم" };
    await using services = await startFakeServices({ runs: [run] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open(`/runs/${run.run_id}`);
    await tab.page.getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Delete" }).click();
    const sentence = tab.page.getByRole("dialog").getByText("will be deleted permanently");
    const indent = await sentence.evaluate((text) => {
      const quote = document.createRange();
      quote.setStart(text.firstChild ?? text, 0);
      quote.setEnd(text.firstChild ?? text, 1);
      return quote.getBoundingClientRect().left - text.getBoundingClientRect().left;
    });
    expect(indent).toBeLessThan(10);
  });

  deepTest("with the reader's own colours, what is chosen still looks different", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    await tab.page.emulateMedia({ forcedColors: "active" });
    await tab.open(`/runs/${nightly.run_id}`);
    const ground = (wanted: string): Promise<string> =>
      tab.page
        .locator(wanted)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    await tab.page.getByRole("link", { name: "refund-status" }).waitFor();
    expect(await ground("nav a[aria-current]")).not.toBe(await ground("nav a[href='/chat']"));
    expect(await ground("label:has(:checked)")).not.toBe(await ground("label:has(:not(:checked))"));
    const views = "nav[aria-label='Views of the run']";
    expect(await ground(`${views} a[aria-current]`)).not.toBe(await ground(`${views} a:not([aria-current])`));
    expect(await ground(".attempt-square.passed .fill")).not.toBe(await ground(".attempt-square.failed .fill"));
  });

  deepTest("text is as large as the reader wants it, and all of it can be reached", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const session = await tab.page.context().newCDPSession(tab.page);
    await session.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "nightly support" }).waitFor();
    expect(await tab.page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe("30px");
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
    await tab.page.getByRole("button", { name: "Shortcuts" }).click();
    await tab.page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
  });

  test("the focus goes back to what opened a dialog", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const focused = (name: string) => tab.page.locator(`button:focus`, { hasText: name });
    await tab.open("/runs");
    await tab.page.getByRole("button", { name: "Remove demo data" }).press("Enter");
    await tab.page.getByRole("dialog").waitFor();
    await tab.page.keyboard.press("Escape");
    await focused("Remove demo data").waitFor();
    await tab.page.getByRole("button", { name: "Shortcuts" }).press("Enter");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await focused("Shortcuts").waitFor();

    await tab.open(`/runs/${nightly.run_id}`);
    await tab.page.getByRole("button", { name: "More" }).press("Enter");
    await tab.page.getByRole("menuitem", { name: "Delete" }).press("Enter");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Keep" }).press("Enter");
    await tab.page.locator("button[aria-label=More]:focus").waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("a filter is left by Enter with what was typed and by Escape without, and the keys of the list go on", async () => {
    await using services = await startFakeServices(data);
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByText("nightly support").first().waitFor();
    await tab.page.keyboard.press("/");
    await tab.page.keyboard.type("ten thousand");
    await tab.page.keyboard.press("Enter");
    expect(new URL(tab.page.url()).searchParams.get("search")).toBe("ten thousand");
    await tab.page.getByText("nightly support").first().waitFor({ state: "detached" });
    await tab.page.keyboard.press("j");
    await tab.page.locator("[data-row]:focus", { hasText: "ten thousand turns" }).waitFor();
    await tab.page.keyboard.press("/");
    await tab.page.keyboard.press("Escape");
    expect(new URL(tab.page.url()).search).toBe("");
    await tab.page.locator("main:focus").waitFor();
  });

  deepTest("the keyboard continues in a list where it was left", async () => {
    const runs = Array.from({ length: 30 }, (_, index) => ({ ...nightly, run_id: `run-${index}` }));
    await using services = await startFakeServices({ runs });
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    await tab.page.getByRole("link", { name: "nightly support" }).last().click();
    await tab.page.getByRole("link", { name: "Run again" }).waitFor();
    await tab.page.goBack();
    await tab.page.waitForFunction(() => scrollY > 300);
    await tab.page.keyboard.press("j");
    await tab.page.locator("[data-row]:focus").waitFor();
    expect(await tab.page.evaluate(() => scrollY)).toBeGreaterThan(300);
  });

  deepTest("a button that goes away when it is pressed hands the focus on", async () => {
    await using services = await startFakeServices(data);
    await using tab = await openTab({ browser: browser(), services });
    const press = (name: string) => tab.page.getByRole("button", { name }).press("Enter");
    const focused = tab.page.locator(":focus");
    await tab.open("/chat?model=demo/tools");
    await press("Add a second model");
    await focused.and(tab.page.getByLabel("Second model", { exact: true })).waitFor();
    await press("Remove the second model");
    await focused.and(tab.page.getByRole("button", { name: "Add a second model" })).waitFor();
    await tab.open("/runs?search=nothing");
    await press("Clear filters");
    await focused.and(tab.page.getByRole("main")).waitFor();
    await tab.page.getByRole("checkbox").first().check();
    await press("Clear selection");
    await focused.and(tab.page.getByRole("main")).waitFor();
    await tab.open("/new?start=paste");
    await press("Use the built-in demo");
    await focused.and(tab.page.getByLabel("Endpoint", { exact: true })).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  deepTest("a button keeps the focus while it is busy, and hands it on when it then goes away", async () => {
    const runs = Array.from({ length: 120 }, (_, index) =>
      makeResults({ id: `many-${index}`, name: `run ${index}`, scenarios: [] }),
    );
    await using services = await startFakeServices({ runs, scenarios: [sampleScenario] });
    await using tab = await openTab({ browser: browser(), services });
    const focused = tab.page.locator(":focus");
    await tab.open("/runs");
    const older = tab.page.getByRole("button", { name: "Older runs" });
    await older.press("Enter");
    await tab.page.getByRole("link", { name: "run 99", exact: true }).waitFor();
    await focused.and(older).waitFor();
    await older.press("Enter");
    await older.waitFor({ state: "detached" });
    await focused.and(tab.page.getByRole("link", { name: "run 99", exact: true })).waitFor();

    const test_batch = { id: "a", interactions: [{ user_message: "hi" }] };
    await tab.open(`/runs/${services.runs.start({ model_id: "demo/flaky", test_batch }).run_id}`);
    const stop = tab.page.getByRole("button", { name: "Stop", exact: true });
    await stop.press("Enter");
    await tab.page.getByRole("button", { name: "Stop run" }).press("Enter");
    await stop.waitFor({ state: "detached" });
    await focused.and(tab.page.getByRole("main")).waitFor();

    await tab.open("/scenarios");
    await tab.page.getByRole("button", { name: "Remove demo scenarios" }).press("Enter");
    await tab.page.getByText("The library is empty.").waitFor();
    await focused.and(tab.page.getByRole("main")).waitFor();
    expect(tab.mishaps).toEqual([]);
  });

  test("the first invalid field of a form takes the focus, wherever it is", async () => {
    await using services = await startFakeServices(data);
    await using tab = await openTab({ browser: browser(), services, width: 390 });
    await tab.open("/new?start=demo");
    await tab.page.getByLabel("Model", { exact: true }).fill("");
    await tab.page.getByRole("button", { name: "Start run" }).press("Enter");
    const field = tab.page.getByLabel("Model", { exact: true }).and(tab.page.locator(":focus"));
    await field.waitFor();
    expect(await field.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0);
    await field.fill("m");
    await tab.page.getByRole("alert").waitFor({ state: "detached" });
  });

  deepTest("the API pages have no violations with routes open, and weigh at most 500 KB", async () => {
    const shell = testShell();
    for (const route of agentThreadRoutes) shell.mount(route, {} as AgentServices);
    const server = createServer(getRequestListener((request) => shell.fetch(request)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser().newPage({ colorScheme });
      const session = await page.context().newCDPSession(page);
      let bytes = 0;
      session.on("Network.loadingFinished", ({ encodedDataLength }) => void (bytes += encodedDataLength));
      await session.send("Network.enable");
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`);
      const routes = page.locator(".opblock-summary-control");
      await routes.first().click();
      await routes.nth(1).click();
      await page.locator(".responses-table[aria-label]").nth(1).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      expect(bytes).toBeLessThan(500_000);
      await page.close();
    }
    server.closeAllConnections();
    server.close();
  });

  test("the theme can be chosen and is kept", async () => {
    await using services = await startFakeServices();
    await using tab = await openTab({ browser: browser(), services });
    await tab.open("/runs");
    const theme = tab.page.getByRole("button", { name: /Theme/ });
    await theme.click();
    await theme.click();
    await tab.page.locator('html[data-theme="dark"]').waitFor();
    await tab.page.reload();
    expect(await tab.page.locator("html").getAttribute("data-theme")).toBe("dark");
  });
}
