import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../page/support/chromium.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";
import { report } from "./support/figures.ts";

const script = join(import.meta.dirname, "support/foreign-page.js");
/** A foreign name that resolves to this machine, as after DNS rebinding. */
const rebound = "rebound.example";

interface Attack {
  readonly name: string;
  readonly outcome: string;
}

interface ForeignPage {
  attack(options: { evaluation: string; agent: string; body: string }): Promise<Attack[]>;
}

let browser: Browser;
let provider: FakeProvider;
let services: RunningServices;
let elsewhere: Server;

beforeAll(async () => {
  provider = await startFakeProvider();
  services = await runServices({ HUB_BASE_URL: provider.url });
  elsewhere = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Elsewhere</title>");
  });
  elsewhere.listen(0, "127.0.0.1");
  await new Promise((resolve) => elsewhere.once("listening", resolve));
  browser = await launchChromium({ args: [`--host-resolver-rules=MAP ${rebound} 127.0.0.1`] });
});

afterAll(async () => {
  await browser.close();
  elsewhere.close();
  await services[Symbol.asyncDispose]();
  await provider.close();
});

interface Targets {
  readonly evaluation: string;
  readonly agent: string;
}

async function attackFrom(origin: string, targets: Targets = services): Promise<Attack[]> {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(origin);
  await page.addScriptTag({ path: script });
  const body = JSON.stringify({
    test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi" }] },
    endpoint: provider.url,
    model_id: "m",
    messages: [{ type: "human", content: "Hi" }],
  });
  const target = { evaluation: targets.evaluation, agent: targets.agent, body };
  const attacks = await page.evaluate((options) => (globalThis as unknown as ForeignPage).attack(options), target);
  await context.close();
  return attacks;
}

/** The part of an answer that a page could read. */
const wasRead = ({ outcome }: Attack) => /^(cors|basic) 2|^read:(?!.*host_not_allowed)/.test(outcome);

test("a page whose name was rebound to this machine starts nothing and reads nothing", async () => {
  const at = (address: string) => `http://${rebound}:${new URL(address).port}`;
  const targets = { evaluation: at(services.evaluation), agent: at(services.agent) };
  // To the browser it is the services' own page: no other origin, no preflight, nothing withheld from its scripts.
  const attacks = [
    ...(await attackFrom(`${targets.evaluation}/healthz`, targets)),
    ...(await attackFrom(`${targets.agent}/`, targets)),
  ];
  const { runs } = (await send(`${services.evaluation}/runs`)).body as { runs: unknown[] };
  const refused = attacks.filter(({ outcome }) => /421|host_not_allowed/.test(outcome));
  report("rebound names", {
    attempts: attacks.length,
    "refused with 421, as seen by the page": refused.length,
    "runs started": runs.length,
    "model calls": provider.requests.length,
    "answers read": attacks.filter(wasRead).length,
  });
  expect(attacks.filter(wasRead)).toEqual([]);
  expect(runs).toEqual([]);
  expect(provider.requests).toEqual([]);
  expect(refused.length).toBeGreaterThan(20);
});

test("a page on another origin starts nothing and reads nothing", async () => {
  const { port } = elsewhere.address() as AddressInfo;
  // 127.0.0.1 is another origin of the same site; localhost is another site altogether.
  const attacks = [
    ...(await attackFrom(`http://127.0.0.1:${port}`)),
    ...(await attackFrom(`http://localhost:${port}`)),
  ];
  const { runs } = (await send(`${services.evaluation}/runs`)).body as { runs: unknown[] };
  const readable = attacks.filter(wasRead);
  report("foreign pages", {
    attempts: attacks.length,
    "runs started": runs.length,
    "model calls": provider.requests.length,
    "answers read": readable.length,
  });
  expect(readable).toEqual([]);
  expect(runs).toEqual([]);
  expect(provider.requests).toEqual([]);
  expect(attacks.length).toBeGreaterThan(60);
});
