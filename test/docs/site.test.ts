import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSite } from "../../site/build-site.ts";
import { axeViolations } from "../page/support/axe.ts";
import { launchChromium } from "../page/support/chromium.ts";
import { isDeep } from "../support/sizes.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};
/** The site works below any path. */
const prefix = "/some/where/";

let folder: TemporaryFolder;
let server: Server;
let browser: Browser;
let address: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  await buildSite(folder.path);
  server = createServer((request, response) => {
    const path = (request.url ?? "").split(/[?#]/)[0] ?? "";
    const file = join(folder.path, path.slice(prefix.length));
    if (!path.startsWith(prefix) || !existsSync(file)) return response.writeHead(404).end();
    return response.writeHead(200, { "content-type": types[extname(file)] ?? "" }).end(readFileSync(file));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  server.close();
  await folder[Symbol.asyncDispose]();
});

/** A page that fails the test when anything but the site is asked for, or something of the site is missing. */
async function openPage(path: string, options: { colorScheme?: "light" | "dark"; width?: number } = {}) {
  const { colorScheme = "light", width = 1280 } = options;
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) wrong.push(request.url());
  });
  page.on("response", (response) => {
    if (!response.ok()) wrong.push(`${response.status()} ${response.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  await page.goto(`${address}${path}`);
  return { page, wrong, [Symbol.asyncDispose]: () => context.close() };
}

const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");

const shown = isDeep ? ["index.html", "scoring.html", "scale.html", "reference/api-agent.html"] : ["scoring.html"];

test.each(shown)("axe finds nothing wrong on %s, wide and light, narrow and dark", async (path) => {
  const found: string[] = [];
  for (const { width, colorScheme } of [
    { width: 1280, colorScheme: "light" },
    { width: 390, colorScheme: "dark" },
  ] as const) {
    await using tab = await openPage(path, { colorScheme, width });
    found.push(...(await axeViolations(tab.page)), ...tab.wrong);
    if (await scrollsSideways(tab.page)) found.push(`${path} scrolls sideways at ${width}`);
  }
  expect(found).toEqual([]);
});

test("every page of the folder can be reached from the first one", async () => {
  await using tab = await openPage("index.html");
  const linked: string[] = await tab.page.evaluate("[...document.querySelectorAll('nav a')].map((link) => link.href)");
  const pages = readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".html"),
  );
  const names = linked.map((href) => href.slice(address.length)).filter((href) => !href.includes("#"));
  expect(names.toSorted()).toEqual(pages.toSorted());
});

test("the search finds a section by a word in it, and the keyboard goes there", async () => {
  await using tab = await openPage("reference/errors.html");
  await tab.page.keyboard.press("/");
  await tab.page.getByRole("searchbox").fill("REHEARSAL_PRICES_FILE");
  await tab.page.getByRole("dialog").getByRole("link", { name: "Environment" }).first().waitFor();
  expect(await axeViolations(tab.page)).toEqual([]);
  await tab.page.getByRole("searchbox").fill("pass^k");
  await tab.page.getByRole("dialog").getByRole("link").first().waitFor();
  await tab.page.getByRole("searchbox").fill("overloaded");
  await tab.page.getByRole("dialog").getByRole("link", { name: "overloaded" }).first().waitFor();
  await tab.page.keyboard.press("Enter");
  await tab.page.waitForURL("**/errors.html#overloaded");
  expect(tab.wrong).toEqual([]);
});

test("a search without a result says so", async () => {
  await using tab = await openPage("index.html", { width: 390 });
  await tab.page.getByRole("button", { name: "Search" }).click();
  await tab.page.getByRole("searchbox").fill("zzzqqq");
  await tab.page.getByText("Nothing found.").waitFor();
  expect(await tab.page.getByRole("dialog").getByRole("link").count()).toBe(0);
});

test("the chosen theme stays", async () => {
  await using tab = await openPage("index.html");
  const theme = tab.page.getByRole("button", { name: /^Theme/ });
  await theme.click();
  await theme.click();
  await tab.page.goto(`${address}start.html`);
  expect(await tab.page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
});

test("it opens from a disk, search included", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(folder.path, "reference/errors.html")).href);
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("interval");
  await page.getByText(/\d+ found/).waitFor();
  const [first] = await page.getByRole("dialog").getByRole("link").all();
  expect(await first?.getAttribute("href")).toMatch(/^\.\.\/.+\.html/);
  await context.close();
});

test("llms.txt lists every page as Markdown, and each is there", () => {
  const text = readFileSync(join(folder.path, "llms.txt"), "utf8");
  expect(text).toMatch(/^# Rehearsal\n\n> Rehearsal tests conversational agents/);
  const linked = [...text.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path]) => path ?? "");
  expect(linked).toEqual(
    expect.arrayContaining(["SKILL.md", "README.md", "start.md", "python.md", "reference/errors.md"]),
  );
  expect(linked.filter((path) => !existsSync(join(folder.path, path)))).toEqual([]);
});
