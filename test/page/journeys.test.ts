import { createHash, randomBytes } from "node:crypto";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { VerdictList } from "../../src/contract/schemas/judging/human-verdict.ts";
import type { RunScenarioList } from "../../src/contract/schemas/run-scenarios.ts";
import type { Run, RunList } from "../../src/contract/schemas/run.ts";
import type { LibraryScenario } from "../../src/contract/schemas/library.ts";
import { runServices } from "../support/services.ts";
import { say } from "./support/chat-steps.ts";
import { openTab, type PageServices } from "./support/open-tab.ts";
import { useBrowser } from "./support/page-context.ts";

/** The page on the services that users start, with the demo's models: nothing here is a fake. */
const browser = useBrowser();

let running: Awaited<ReturnType<typeof runServices>>;
let services: PageServices;
/** Runs of the same test: the second model answers better than the first. */
let before: EvaluationResponse;
let after: EvaluationResponse;

beforeAll(async () => {
  running = await runServices();
  services = { origin: running.agent, evaluation: running.evaluation };
  before = await evaluate("support desk", "helpdesk-1", { right: 8 });
  after = await evaluate("support desk", "helpdesk-2", { right: 36 });
});
afterAll(() => running[Symbol.asyncDispose]());

const scenarios = Array.from({ length: 40 }, (_, index) => `question-${index + 1}`);

/** Stores a run of recorded replies, of which the first so many are right. */
const evaluate = (test_name: string, model_id: string, { right }: { right: number }): Promise<EvaluationResponse> =>
  call("/evaluate", {
    test_name,
    model_id,
    endpoint: services.origin,
    protocol: "recorded",
    test_batch: scenarios.map((id, index) => ({
      id,
      interactions: [
        {
          user_message: `What is the answer to ${id}?`,
          agent_reply: index < right ? `${model_id}: it is 42.` : `${model_id}: I do not know.`,
          checks: [{ type: "contains", text: "42" }],
        },
      ],
    })),
  });

async function call<Answer>(path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(services.evaluation + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

const open = (options: { services?: PageServices; theme?: "light" | "dark" } = {}) =>
  openTab({ browser: browser(), services, ...options });

/** The token whose colour the browser gives an element: good, bad, warn or another. */
const colourOf = (element: Locator, property: "color" | "stroke" | "fill" = "color"): Promise<string> =>
  element.first().evaluate((shown, name) => {
    const colour = getComputedStyle(shown)[name];
    const probe = document.body.appendChild(document.createElement("i"));
    const tokens = ["good", "bad", "warn", "infra", "accent", "ink", "soft", "faint"].filter((token) => {
      probe.style.color = `var(--${token})`;
      return probe.style.color !== "" && getComputedStyle(probe).color === colour;
    });
    probe.remove();
    return tokens[0] ?? colour;
  }, property);

test("a run is started in the page, watched to its end, and its first failing turn is read", async () => {
  await using tab = await open();
  const { page } = tab;
  await tab.open("/new?start=demo");
  await page.getByLabel(/^Test name/).fill("my first run");
  await page.getByRole("button", { name: "Start run" }).click();
  await page.getByRole("link", { name: "Run again" }).waitFor();

  const { runs } = await call<RunList>("/runs?search=my%20first%20run");
  const [run] = runs;
  const results = await call<EvaluationResponse>(`/runs/${run?.run_id ?? ""}/results`);
  const { passing = 0, failing = 0, flaky = 0 } = run?.summary?.scenarios ?? {};
  expect(passing + failing + flaky).toBe(results.results.scenarios.length);
  await page.getByText(`${passing} of ${results.results.scenarios.length} scenarios pass`).waitFor();

  // Every scenario in the colour of its verdict, which the service works out by itself.
  const { scenarios: listed } = await call<RunScenarioList>(`/runs/${results.run_id}/scenarios`);
  const colours: Partial<Record<string, string>> = { passing: "good", failing: "bad", flaky: "warn" };
  expect(new Set(listed.map(({ status }) => status))).toContain("failing");
  for (const { scenario_id, status } of listed) {
    const cell = page.getByRole("row", { name: scenario_id }).getByRole("cell").nth(1);
    expect([scenario_id, (await cell.innerText()).trim(), await colourOf(cell.locator("svg"))]).toEqual([
      scenario_id,
      status,
      colours[status],
    ]);
  }

  await page.keyboard.press("n");
  await page.waitForURL(/\/runs\/[^/]+\/[^/]+\/\d+/);
  const [, , , scenarioId, attempt] = new URL(page.url()).pathname.split("/");
  const failed = results.results.scenarios
    .find(({ scenario_id }) => scenario_id === scenarioId)
    ?.attempts.find((each) => each.attempt === Number(attempt));
  const turn = failed?.interactions.find(({ stated = {} }) => Object.values(stated).includes(false));
  const card = page.getByRole("article", { name: `Turn ${(turn?.turn_index ?? 0) + 1}` });
  await card.getByRole("heading", { name: "Reply" }).waitFor();
  const text = (await card.innerText()).replaceAll(/\s+/g, " ");
  expect(text).toContain(turn?.user_message);
  expect(await colourOf(card.getByText("failed", { exact: true }))).toBe("bad");
  expect(tab.mishaps).toEqual([]);
});

test("the better of two runs wins in green, the worse loses in red, and both are told apart by date and model", async () => {
  await using tab = await open();
  const { page } = tab;
  await tab.open("/runs?search=support+desk");
  const rows = page.getByRole("row", { name: /support desk/ });
  await rows.nth(1).waitFor();
  expect(await rows.count()).toBe(2);
  for (const box of await page.getByRole("checkbox").all()) await box.check();
  await page.getByRole("button", { name: "Compare 2 selected" }).click();

  const overall = (run: EvaluationResponse): number => run.summary.average_scores["overall"] ?? 0;
  expect(overall(after)).toBeGreaterThan(overall(before));
  const verdict = page.getByRole("region", { name: "Verdict" });
  await verdict.getByText(/^overall is better by/).waitFor();
  expect(await colourOf(verdict.locator("svg"))).toBe("good");
  const row = page.getByRole("row", { name: /^overall/ });
  expect((await row.getByRole("cell").allInnerTexts()).slice(0, 2)).toEqual(
    [before, after].map((run) => overall(run).toFixed(3)),
  );
  expect(await colourOf(row.getByText("better", { exact: true }))).toBe("good");
  expect(await colourOf(row.locator(".mark-dot"), "fill")).toBe("good");
  expect(await colourOf(row.locator(".mark-line"), "stroke")).toBe("good");
  // The candidate is named first.
  const named = await verdict.getByRole("link").allInnerTexts();
  expect(named.slice(0, 2)).toEqual([
    expect.stringMatching(/\d\d:\d\d:\d\d support desk \(helpdesk-2\)/),
    expect.stringMatching(/\d\d:\d\d:\d\d support desk \(helpdesk-1\)/),
  ]);
  const changes = page.getByRole("region", { name: "Changed turns" });
  expect(await colourOf(changes.getByText(/^▲ \+/))).toBe("good");

  await page.getByRole("button", { name: "Swap" }).click();
  await verdict.getByText(/^overall is worse by/).waitFor();
  expect(await colourOf(verdict.locator("svg"))).toBe("bad");
  expect(await colourOf(row.locator(".mark-line"), "stroke")).toBe("bad");
  expect(tab.mishaps).toEqual([]);
});

test("verdicts on replies are stored as they were given, and a pair's for the reply that was called better", async () => {
  await using tab = await open();
  const { page } = tab;
  const stored = async () => (await call<VerdictList>(`/runs/${after.run_id}/verdicts`)).verdicts;
  const reply = page.getByRole("region", { name: "Reply to judge" });
  await tab.open(`/review?run=${after.run_id}`);
  await page.getByLabel("Your name").fill("ada");
  await page.keyboard.press("Enter");
  await reply.waitFor();
  const scenario = await reply.getByRole("heading", { level: 2 }).innerText();
  await page.keyboard.press("3");
  await page.getByText("You 1", { exact: true }).waitFor();
  expect(await stored()).toMatchObject([{ scenario_id: scenario, question: "review", choice: "fail", rater: "ada" }]);

  await tab.open(`/review?run=${after.run_id}&question=preference&against=${before.run_id}`);
  for (const [letter, count] of [
    ["A", 1],
    ["B", 2],
  ] as const) {
    await page.getByText(`You ${count - 1}`, { exact: true }).waitFor();
    const shown = page.getByRole("heading", { name: `Reply ${letter}` }).locator("..");
    const words = await shown.getByText(/^helpdesk/).innerText();
    const isCandidate = words.startsWith("helpdesk-2");
    await page.getByRole("button", { name: `${letter} is better` }).click();
    await page.getByText(`You ${count}`, { exact: true }).waitFor();
    const pairs = (await stored()).filter(({ question }) => question === "preference");
    expect(pairs).toHaveLength(count);
    const latest = pairs.toSorted((left, right) => left.given_at.localeCompare(right.given_at)).at(-1);
    expect(latest?.choice).toBe(isCandidate ? "candidate" : "baseline");
  }
  expect(tab.mishaps).toEqual([]);
});

test("a chat with a tool is answered, is found as a run of the agent, and becomes a scenario", async () => {
  await using tab = await open();
  const { page } = tab;
  await tab.open("/chat?model=demo/retrieval");
  await say(page, "What is 12 times 7?");
  const chat = page.getByRole("region", { name: "Conversation" });
  await chat.getByText("84").locator("visible=true").first().waitFor();
  await chat.getByText("1 tool call: calculator").waitFor();

  await tab.open("/agents");
  await page.getByRole("link", { name: "What is 12 times 7?" }).click();
  const steps = page.getByRole("region", { name: "Steps" });
  await steps.getByText("calculator tool call").click();
  await steps.getByRole("region", { name: "Result of calculator" }).getByText("84").waitFor();

  await tab.open("/chat?model=demo/retrieval");
  await page.getByRole("link", { name: "Save as scenario" }).first().click();
  await page.getByRole("button", { name: /^Save/ }).click();
  await page.waitForURL("**/scenarios/id/what-is-12-times-7**");
  const { scenario } = await call<LibraryScenario>("/scenarios/what-is-12-times-7");
  expect(scenario.interactions).toMatchObject([
    { user_message: "What is 12 times 7?", reference_reply: expect.stringContaining("84") },
  ]);
  expect(tab.mishaps).toEqual([]);
});

test("a file is imported, and its scenarios are in the library", async () => {
  await using tab = await open();
  const { page } = tab;
  await tab.open("/scenarios/import");
  const buffer = Buffer.from(
    "id,question,answer\nparcel,Where is my parcel?,On its way.\nopening,When do you open?,At nine.",
  );
  await page.getByLabel("File to import").setInputFiles({ name: "questions.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("button", { name: "Import 2 scenarios" }).click();
  await page.getByText("2 scenarios imported").waitFor();
  await tab.open("/scenarios");
  await page.getByRole("link", { name: "parcel", exact: true }).click();
  await page.getByText("Where is my parcel?").first().waitFor();
  const { scenario } = await call<LibraryScenario>("/scenarios/parcel");
  expect(scenario.interactions).toMatchObject([
    { user_message: "Where is my parcel?", reference_reply: "On its way." },
  ]);
  expect(tab.mishaps).toEqual([]);
});

test("runs are found by date: from and to are days of their own", async () => {
  await using tab = await open();
  const { page } = tab;
  const { created_at } = await call<Run>(`/runs/${before.run_id}`);
  const day = (days: number): string => new Date(Date.parse(created_at) + days * 86_400_000).toISOString().slice(0, 10);
  await tab.open("/runs?search=support+desk");
  await page.getByRole("button", { name: "More filters" }).click();
  const rows = page.getByRole("row", { name: /support desk/ });
  await page.getByLabel("From").fill(day(-1));
  await page.getByLabel("To", { exact: true }).fill(day(1));
  await page.waitForURL("**to=**");
  await rows.nth(1).waitFor();
  expect(await rows.getByRole("time").first().getAttribute("datetime")).toMatch(/^\d{4}-\d\d-\d\dT/);
  await page.getByLabel("To", { exact: true }).fill(day(-1));
  await page.getByText("No runs match these filters.").waitFor();
  await page.getByLabel("To", { exact: true }).fill(day(1));
  await rows.nth(1).waitFor();
  await page.getByLabel("From").fill(day(1));
  await page.getByText("No runs match these filters.").waitFor();
  expect(tab.mishaps).toEqual([]);
});

test("with keys, each owner sees and opens the own runs only", async () => {
  const owner = (name: string) => {
    const key = `rh_${randomBytes(4).toString("hex")}_${randomBytes(32).toString("base64url")}`;
    const hash = createHash("sha256").update(key).digest("hex");
    return { key, entry: `${name}:${hash}:evaluate+runs:read+runs:write+agent` };
  };
  const [alice, bob] = [owner("alice"), owner("bob")];
  await using guarded = await runServices({
    REHEARSAL_API_KEYS: [alice.entry, bob.entry].join(","),
    EVAL_ENDPOINT_POLICY: "local",
  });
  const addresses = { origin: guarded.agent, evaluation: guarded.evaluation };
  const response = await fetch(`${guarded.evaluation}/evaluate`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${alice.key}` },
    body: JSON.stringify({
      test_name: "of alice",
      model_id: "helpdesk",
      endpoint: addresses.origin,
      protocol: "recorded",
      test_batch: { id: "hello", interactions: [{ user_message: "Hello", reference_reply: "Hi", agent_reply: "Hi" }] },
    }),
  });
  expect(response.status).toBe(200);
  const { run_id } = (await response.json()) as EvaluationResponse;
  const useKey = async (tab: Awaited<ReturnType<typeof open>>, key: string): Promise<void> => {
    await tab.open("/runs");
    await tab.page
      .getByLabel(/^API key/)
      .first()
      .fill(key);
    await tab.page.getByRole("button", { name: "Use key" }).first().click();
    await tab.page.getByRole("heading", { name: "Runs" }).waitFor();
  };
  {
    await using tab = await open({ services: addresses });
    await useKey(tab, bob.key);
    await tab.page.getByRole("region", { name: "First steps" }).waitFor();
    expect(await tab.page.getByText("of alice").count()).toBe(0);
    await tab.open(`/runs/${run_id}`);
    await tab.page.getByText("There is no such run").first().waitFor();
    expect(await tab.page.getByText("of alice").count()).toBe(0);
  }
  await using tab = await open({ services: addresses });
  await useKey(tab, alice.key);
  await tab.page.getByRole("link", { name: "of alice" }).click();
  await tab.page.getByRole("heading", { name: /^of alice/ }).waitFor();
});
