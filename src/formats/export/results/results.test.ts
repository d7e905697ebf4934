import { parse } from "csv-parse/browser/esm/sync";
import fc from "fast-check";
import { Parser } from "htmlparser2";
import { expect, test } from "vitest";
import type { EvaluationResponse, ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import { resultFormats } from "../../formats.ts";
import { importScenarios } from "../../import-scenarios.ts";
import { failedInteraction, interactionResult, runResult, scenarioResult } from "../../testing/run-result.ts";
import { createJunit } from "./junit.ts";
import { createMarkdown } from "./markdown.ts";
import { createResultCsv, createResultLines } from "./interactions.ts";
import { exportResults, type AttemptExport } from "./result-export.ts";
import { createDpoLines, createSftLines } from "./training-lines.ts";

const good = interactionResult({ overall: 0.95 });
const bad = interactionResult({ overall: 0.2, agent_reply: "No idea." });
const lines = (text: string): unknown[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

/** Writes results as the service and the command line do. */
function exportedAs(id: "sft" | "dpo", run: EvaluationResponse): unknown[] {
  const format = resultFormats.find((entry) => entry.id === id);
  return format ? lines(exportResults(format.create, run)) : [];
}

/** The attributes by element name, and all texts of an XML document. */
function readXml(text: string): { elements: [string, Record<string, string>][]; texts: string } {
  const elements: [string, Record<string, string>][] = [];
  const texts: string[] = [];
  const parser = new Parser(
    { onopentag: (name, attributes) => elements.push([name, { ...attributes }]), ontext: (part) => texts.push(part) },
    { xmlMode: true },
  );
  parser.end(text);
  return { elements, texts: texts.join("") };
}

test("writes one interaction per JSON line, with run, scenario and attempt", () => {
  const run = runResult([scenarioResult("hours", [[good, good], [bad]])]);
  expect(lines(exportResults(createResultLines, run))).toMatchObject([
    {
      run_id: "run-1",
      scenario_id: "hours",
      attempt: 1,
      turn_index: 0,
      interaction_id: "i1",
      agent_reply: "At seven.",
    },
    { attempt: 1, turn_index: 1 },
    { attempt: 2, turn_index: 0, agent_reply: "No idea.", scores: { overall: 0.2 } },
  ]);
});

test.each([
  ["CSV", createResultCsv],
  ["JSON lines", createResultLines],
])("imports results in %s as scenarios with the replies of the first attempt", (_, create) => {
  const labelled = { ...good, reference_metadata: { intent: "hours" } };
  const run = runResult([scenarioResult("hours", [[labelled, bad], [bad, bad], [good]]), scenarioResult("b", [[bad]])]);
  const { scenarios, notes } = importScenarios({ text: exportResults(create, run) });
  expect(scenarios).toMatchObject([
    {
      id: "hours",
      interactions: [
        { id: "i1", agent_reply: "At seven.", reference_metadata: { intent: "hours" } },
        { agent_reply: "No idea.", reference_metadata: {} },
      ],
    },
    { id: "b", interactions: [{ id: "i1" }] },
  ]);
  expect(scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ intent: "hours" });
  const messages = notes.map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringMatching(/^results of the past run: .*attempt, .*latency_ms, .*score/));
  expect(messages).toContain("the replies of attempts 2 to 3");
});

test("adds the judge's scores of a conversation to its last JSON line", () => {
  const conversation = { scores: { conversation_quality: 1 }, score_reasons: {}, judgements: {} };
  const scenario = scenarioResult("hours", [[good, good]]);
  const run = runResult([
    { ...scenario, attempts: scenario.attempts.map((attempt) => ({ ...attempt, conversation })) },
  ]);
  const [first, last] = lines(exportResults(createResultLines, run));
  expect(first).not.toHaveProperty("conversation");
  expect(last).toMatchObject({ turn_index: 1, conversation });
});

test("writes one interaction per CSV row, without cells a spreadsheet would run", () => {
  const reply = '=HYPERLINK("http://x","y")\nnext, line';
  const turn = interactionResult({ agent_reply: reply, overall: 0.5, reference_metadata: { intent: "a" } });
  const run = runResult([scenarioResult("-1", [[{ ...turn, scores: { ...turn.scores, custom: 1 } }]])]);
  const [header = [], row = []] = parse(exportResults(createResultCsv, run));
  const cells = Object.fromEntries(header.map((name, index) => [name, row[index]]));
  expect(cells).toMatchObject({
    scenario_id: "'-1",
    attempt: "1",
    turn: "1",
    agent_reply: `'${reply}`,
    reference_metadata: '{"intent":"a"}',
    "score.overall": "0.5",
    other_scores: '{"custom":1}',
  });
});

test("never writes a cell that begins like a formula", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.constantFrom("", "=", "+", "-", "@", "\t", "\r", "'="),
      (text, start) => {
        const run = runResult([scenarioResult("s", [[interactionResult({ agent_reply: start + text })]])]);
        const rows = parse(exportResults(createResultCsv, run), { record_delimiter: ["\r\n", "\n", "\r"] });
        expect(rows.length).toBe(2);
        expect(rows[1]?.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

test("writes a JUnit test case per scenario, with mean, interval and pass^k as properties", () => {
  const scenarios = [
    scenarioResult("fine", [[good], [good]]),
    scenarioResult("flaky", [[good], [bad]]),
    scenarioResult("down", [[failedInteraction()]]),
    scenarioResult("free talk", [[interactionResult()]]),
  ];
  const { elements, texts } = readXml(exportResults(createJunit, runResult(scenarios)));
  const named = (name: string) => elements.filter(([element]) => element === name).map(([, attributes]) => attributes);
  expect(named("testsuites")).toMatchObject([{ tests: "4", failures: "1", errors: "1", skipped: "1" }]);
  expect(named("testcase").map(({ name }) => name)).toEqual(["fine", "flaky", "down", "free talk"]);
  expect(named("failure")).toEqual([
    { message: 'attempt 2, turn 1 (i1): overall 0.200; expected "At seven.", got "No idea."', type: "failed" },
  ]);
  expect(named("error")[0]?.["message"]).toContain("upstream_timeout: No answer in 30 s");
  expect(texts).toContain("1 of 2 attempts passed");
  const properties = named("property").map(({ name, value }) => `${name}=${value}`);
  expect(properties).toEqual(
    expect.arrayContaining(["overall.mean=0.575", "overall.interval95=0.475 to 0.675", "pass^2=0.000"]),
  );
});

test("names missed checks in JUnit and Markdown", () => {
  const turn = interactionResult({ reference_reply: "", overall: 0, agent_reply: "No idea." });
  const missed = {
    ...turn,
    scores: { ...turn.scores, must_say: 0, polite: 1 },
    score_reasons: { must_say: "missing: seven" },
  };
  const run = runResult([scenarioResult("hours", [[missed]]), scenarioResult("fine", [[good]])]);
  const { elements, texts } = readXml(exportResults(createJunit, run));
  expect(elements.find(([element]) => element === "failure")?.[1]["message"]).toBe(
    'attempt 1, turn 1 (i1): overall 0.000; must_say: missing: seven; got "No idea."',
  );
  expect(texts).toContain("reply:     No idea.\ncheck:     must_say: missing: seven");
  expect(texts).not.toContain("reference:");
  const markdown = exportResults(createMarkdown, run);
  expect(markdown).toContain("| reply | why |\n|---|---|---|---|---|---|\n");
  expect(markdown).toContain("| `No idea.` | `must_say: missing: seven` |");
  expect(markdown).toContain("| `At seven.` |  |");
});

test("writes judgements of the whole run as a JUnit suite, and first in Markdown", () => {
  const judgements = [
    { name: "the run", outcome: "error", message: "The budget was used up." },
    { name: "overall>=0.9", outcome: "failed", message: "overall>=0.9: is 0.95, failed" },
    { name: "success>=1", outcome: "passed", message: "success>=1: is 1, passed" },
    { name: "baseline", outcome: "told", message: "overall is the same." },
  ] as const;
  const run = { ...runResult([scenarioResult("fine", [[good]])]), judgements };
  const { elements } = readXml(exportResults(createJunit, run));
  const named = (name: string) => elements.filter(([element]) => element === name).map(([, attributes]) => attributes);
  expect(named("testsuites")).toMatchObject([{ tests: "4", failures: "1", errors: "1", skipped: "0" }]);
  expect(named("testsuite").map(({ name, tests }) => [name, tests])).toEqual([
    [run.test_name, "1"],
    ["gates", "3"],
  ]);
  expect(named("testcase").map(({ name }) => name)).toEqual(["fine", "the run", "overall>=0.9", "success>=1"]);
  expect(named("failure")).toEqual([{ message: "overall>=0.9: is 0.95, failed", type: "failed" }]);
  expect(named("error")).toEqual([{ message: "The budget was used up.", type: "error" }]);
  const [, lines = ""] = /\n\n((?:- .*\n)+)\n\| scenario/.exec(exportResults(createMarkdown, run)) ?? [];
  expect(lines.trim().split("\n")).toEqual([
    "- ⚠️ `The budget was used up.`",
    "- ❌ `overall>=0.9: is 0.95, failed`",
    "- ✅ `success>=1: is 1, passed`",
    "- `overall is the same.`",
  ]);
});

test("says in JUnit and Markdown why replies could not be scored", () => {
  const lost = interactionResult({
    failed_scores: ["judge_correctness"],
    score_reasons: { judge_correctness: "unscored: no JSON", overall: "judge_correctness could not be had" },
  });
  const run = runResult([scenarioResult("judged", [[lost], [lost]])]);
  expect(exportResults(createMarkdown, run)).toContain("`judge_correctness: unscored: no JSON`");
  const { elements, texts } = readXml(exportResults(createJunit, run));
  expect(texts).toContain("could not be scored");
  expect(elements.find(([element]) => element === "testsuites")?.[1]).toMatchObject({ errors: "1", skipped: "0" });
  expect(elements.find(([element]) => element === "error")?.[1]["message"]).toContain(
    "judge_correctness: unscored: no JSON",
  );
});

test("writes well-formed JUnit XML for any reply, without control characters", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("]]>&<a b='c'>\"", "\0\u0001\u001B[31m", "\uFFFE\uD800", "a\r\nb"),
  );
  fc.assert(
    fc.property(hostile, hostile, (agent_reply, id) => {
      const turn = interactionResult({ agent_reply, overall: 0 });
      const scenario = scenarioResult(id, [[turn]]);
      const average_scores = { ...scenario.average_scores, [`metadata.${id}`]: 0 };
      const xml = exportResults(createJunit, runResult([{ ...scenario, average_scores }]));
      const allowed = (text: string): string => text.toWellFormed().replace(/[^\t\n\r\P{Cc}]|[\uFFFE\uFFFF]/gu, "");
      expect(allowed(xml)).toBe(xml);
      const { elements, texts } = readXml(xml);
      expect(texts).toContain(allowed(agent_reply));
      expect(elements.find(([name]) => name === "testcase")?.[1]["name"]).toBe(allowed(id));
    }),
    { numRuns: 100 },
  );
});

test("shortens very long replies in JUnit and Markdown", () => {
  const turn = { ...bad, agent_reply: `No   idea. ${"x".repeat(3_000_000)}` };
  const run = runResult([scenarioResult("long", [[turn]])]);
  const xml = exportResults(createJunit, run);
  expect(xml.length).toBeLessThan(20_000);
  expect(readXml(xml).texts).toMatch(/0 of 1 attempt passed[^]*reply: {5}No {3}idea\. x+…$/m);
  expect(exportResults(createMarkdown, run)).toMatch(/`No idea\. x+…`/);
});

test("shows score ± interval, worst turns and turns without a reply in Markdown", () => {
  const scenarios = [scenarioResult("flaky", [[good], [bad]]), scenarioResult("down", [[failedInteraction()]])];
  const text = exportResults(createMarkdown, runResult(scenarios));
  expect(text).toContain("| `flaky` | ❌ failed | 0.575 ± 0.100 | 1 of 2 | 0.000 (k=2) |");
  expect(text).toContain("| `flaky`, attempt 2, turn 1 | 0.200 | `When do you open?` | `At seven.` | `No idea.` |");
  expect(text).toContain("| `down`, attempt 1, turn 1 | `upstream_timeout` | No answer in 30 s |");
  const { summary, ...one } = runResult([]);
  const counted = exportResults(createMarkdown, { ...one, summary: { ...summary!, interactions: 1 } });
  expect(counted).toContain(" · 1 turn, 1 without a reply · ");
});

test("shows the first fifty turns without a reply in Markdown, and counts the others", () => {
  const scenarios = ["a", "b"].map((id) => scenarioResult(id, [Array.from({ length: 30 }, () => failedInteraction())]));
  const text = exportResults(createMarkdown, runResult(scenarios));
  expect(text.split("\n").filter((line) => line.includes("`upstream_timeout`"))).toHaveLength(50);
  expect(text).toContain("10 more are not shown.");
});

test("shows a turn that fails in every attempt once in Markdown, with its missed checks", () => {
  const poor = (overall: number) =>
    interactionResult({
      scores: { success: 1, overall, contains: 0 },
      score_reasons: { contains: "missing: 30 days" },
    });
  const text = exportResults(createMarkdown, runResult([scenarioResult("s", [[poor(0.4)], [poor(0.2)], [poor(0.3)]])]));
  const worst = text.slice(text.indexOf("### Worst")).split("\n");
  expect(worst.filter((line) => line.startsWith("| `s`"))).toEqual([
    "| `s`, attempt 2, turn 1 | 0.200 | `When do you open?` | `At seven.` | `At seven.` | `contains: missing: 30 days` |",
  ]);
});

test("keeps a reply inside its Markdown cell", () => {
  const reply = "a | b\n## head ``x`` ![p](http://x) @someone <img src=x>";
  const text = exportResults(
    createMarkdown,
    runResult([scenarioResult("s", [[interactionResult({ agent_reply: reply, overall: 0 })]])]),
  );
  const [row = ""] = text.split("\n").filter((line) => line.includes("someone"));
  expect(row.endsWith("| ```a \\| b ## head ``x`` ![p](http://x) @someone <img src=x>``` |")).toBe(true);
});

test("mentions nobody in Markdown: an at sign outside a code span is followed by a zero-width space", () => {
  const failed = failedInteraction();
  const turn = { ...failed, error: { ...failed.error!, detail: "ask @acme/oncall" } };
  const text = exportResults(createMarkdown, {
    ...runResult([scenarioResult("s", [[turn]])]),
    test_name: "nightly @everyone",
    message: "for @someone",
  });
  const outside = text.replaceAll(/`[^`]*`/g, "");
  expect(outside).toContain("@\u200Beveryone");
  expect(outside).toContain("@\u200Bsomeone");
  expect(outside).toContain("@\u200Bacme/oncall");
  expect(outside).not.toMatch(/@[a-z]/);
});

test("escapes a bar in a code span only inside a table", () => {
  const result = { ...runResult([scenarioResult("a|b", [[interactionResult({ overall: 0 })]])]), model_id: "x|y" };
  const text = exportResults(createMarkdown, result);
  expect(text).toContain("model `x|y`");
  expect(text).toContain("| `a\\|b` |");
});

test("escapes a bar after a backslash", () => {
  const rows = ["a\\|b", "a\\\\|b"].map((id) => {
    const text = exportResults(createMarkdown, runResult([scenarioResult(id, [[interactionResult({ overall: 1 })]])]));
    return text.split("\n").find((line) => line.startsWith("| `a"));
  });
  for (const row of rows) expect(row).toMatch(/^\| `a\\\\\\\|b` \|/);
});

test("shows no worst turns for a perfect run", () => {
  const perfect = interactionResult({ overall: 1 });
  expect(exportResults(createMarkdown, runResult([scenarioResult("s", [[perfect], [perfect]])]))).not.toContain(
    "Worst",
  );
});

test("shows at most the ten worst turns", () => {
  const scenarios = Array.from({ length: 30 }, (_, index) =>
    scenarioResult(`s${index}`, [[interactionResult({ overall: index / 30 })]]),
  );
  const text = exportResults(createMarkdown, runResult(scenarios));
  const worst = text
    .slice(text.indexOf("### Worst"))
    .split("\n")
    .filter((line) => line.startsWith("| `s"));
  expect(worst.map((line) => /`(s\d+)`/.exec(line)?.[1])).toEqual(
    Array.from({ length: 10 }, (_, index) => `s${index}`),
  );
});

test("writes fine-tuning lines from good replies only, each conversation once", () => {
  const second = interactionResult({ user_message: "And on Sundays?", agent_reply: "At eight.", overall: 0.9 });
  const run = runResult([
    scenarioResult("hours", [
      [good, second],
      [good, second],
      [good, bad, second],
      [bad, second],
    ]),
  ]);
  expect(exportedAs("sft", { ...run, system_prompt: "Be brief." })).toEqual([
    {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "When do you open?" },
        { role: "assistant", content: "At seven." },
        { role: "user", content: "And on Sundays?" },
        { role: "assistant", content: "At eight." },
      ],
    },
    {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "When do you open?" },
        { role: "assistant", content: "At seven." },
      ],
    },
  ]);
});

test("compares only replies to the same conversation in preference pairs", () => {
  const ask = (agent_reply: string, overall: number) =>
    interactionResult({ user_message: "And?", agent_reply, overall });
  const run = runResult([
    scenarioResult("s", [
      [good, ask("yes", 0.9)],
      [bad, ask("no", 0.1)],
      [good, ask("hm", 0.3)],
      [failedInteraction()],
    ]),
  ]);
  const pairs = exportedAs("dpo", run);
  expect(pairs).toEqual([
    {
      prompt: [{ role: "user", content: "When do you open?" }],
      chosen: [{ role: "assistant", content: "At seven." }],
      rejected: [{ role: "assistant", content: "No idea." }],
      score_chosen: 0.95,
      score_rejected: 0.2,
    },
    expect.objectContaining({
      prompt: [
        { role: "user", content: "When do you open?" },
        { role: "assistant", content: "At seven." },
        { role: "user", content: "And?" },
      ],
      chosen: [{ role: "assistant", content: "yes" }],
      rejected: [{ role: "assistant", content: "hm" }],
    }),
  ]);
});

test("writes training lines attempt by attempt, keeping only one pair", () => {
  const { attempts } = scenarioResult("s", [[good], [good, bad], [bad], [interactionResult({ overall: 0.5 })]]);
  const scenario = { scenario_id: "s", threshold: 0.8 };
  const [sft, dpo] = [createSftLines(), createDpoLines()];
  const written = (writer: AttemptExport) => attempts.map((attempt) => [...writer.attempt(scenario, attempt)].length);
  expect(written(sft)).toEqual([1, 0, 0, 0]);
  for (const attempt of attempts) dpo.look?.(scenario, attempt);
  expect(written(dpo)).toEqual([0, 0, 1, 0]);
  expect(written(createDpoLines())).toEqual([0, 0, 0, 0]);
  // A new scenario starts from scratch.
  expect([...sft.attempt({ ...scenario }, attempts[0]!)]).toHaveLength(1);
});

test("uses the run's threshold and the scenario's prompt in training lines", () => {
  const scenario = scenarioResult("hours", [[good], [bad]]);
  const own: ScenarioResult = {
    ...scenario,
    system_prompt: "You are a baker.",
    threshold: 0.96,
  };
  const run = runResult([own, scenario], { system_prompt: "Be brief." });
  expect(exportedAs("sft", run)).toMatchObject([{ messages: [{ content: "Be brief." }, {}, {}] }]);
  expect(exportedAs("dpo", run)).toHaveLength(1);
  const open = runResult([{ ...own, threshold: 0.8 }], { system_prompt: "Be brief." });
  expect(exportedAs("sft", open)).toMatchObject([{ messages: [{ content: "You are a baker." }, {}, {}] }]);
  expect(exportedAs("dpo", open)).toMatchObject([{ prompt: [{ content: "You are a baker." }, {}] }]);
  const none = runResult([{ ...scenario, system_prompt: "" }], { system_prompt: "Be brief." });
  expect(exportedAs("dpo", none)).toMatchObject([{ prompt: [{ role: "user" }] }]);
});

test("uses reference replies as history in training lines if the model saw them", () => {
  const first = interactionResult({ agent_reply: "No idea.", reference_reply: "At seven.", overall: 0.2 });
  const next = (agent_reply: string, overall: number) =>
    interactionResult({ user_message: "And on Sundays?", agent_reply, overall });
  const run = runResult(
    [
      scenarioResult("hours", [
        [first, next("At eight.", 0.9)],
        [first, next("Never.", 0.1)],
      ]),
    ],
    {
      history: "reference",
    },
  );
  const shown = [
    { role: "user", content: "When do you open?" },
    { role: "assistant", content: "At seven." },
    { role: "user", content: "And on Sundays?" },
  ];
  expect(exportedAs("sft", run)).toEqual([{ messages: [...shown, { role: "assistant", content: "At eight." }] }]);
  expect(exportedAs("dpo", run)).toMatchObject([{ prompt: shown, chosen: [{ content: "At eight." }] }]);
});

test("marks scenarios that a stopped run never reached as not run", () => {
  const stopped = [
    scenarioResult("begun", [[good], [good], []]),
    scenarioResult("never", [[], [], []]),
    scenarioResult("halfway", [[good]]),
  ];
  for (const attempt of stopped[2]?.attempts ?? []) attempt.unfinished = true;
  const message = "Evaluation stopped by budget, 4 of 9 turns";
  const run = runResult(stopped, { state: "cancelled", message });

  const markdown = exportResults(createMarkdown, run);
  expect(markdown).toMatch(/`begun` \| ✅ passed \| [^|]* \| 2 of 2 \(2 of 3 run\) \|/);
  expect(markdown).toMatch(/`never` \| ⏸️ not run \| [^|]* \| – \(0 of 3 run\) \|/);
  expect(markdown).toMatch(/`halfway` \| ⏸️ not run \| [^|]* \| – \(0 of 1 run\) \|/);

  const { elements } = readXml(exportResults(createJunit, run));
  expect(elements.find(([name]) => name === "testsuites")?.[1]).toMatchObject({
    failures: "0",
    errors: "0",
    skipped: "2",
  });
  expect(elements.find(([, attributes]) => attributes["name"] === "message")?.[1]).toMatchObject({ value: message });
  expect(elements.find(([name]) => name === "skipped")?.[1]).toEqual({
    message: "not run: the run ended before any attempt finished",
  });
});

test("does not count attempts that the simulated user spoiled for or against the agent", () => {
  const some = scenarioResult("some", [[good], [good], [good]]);
  const all = scenarioResult("all", [[good], [good]]);
  for (const attempt of [some.attempts[0], ...all.attempts]) attempt!.average_scores = { simulated_user: 0 };
  const run = runResult([some, all]);

  const markdown = exportResults(createMarkdown, run);
  expect(markdown).toMatch(/`some` \| ✅ passed \| [^|]* \| 2 of 2 \|/);
  expect(markdown).toMatch(/`all` \| ➖ simulated user failed \| [^|]* \| 0 of 0 \|/);
  const { elements } = readXml(exportResults(createJunit, run));
  expect(elements.find(([name]) => name === "testsuites")?.[1]).toMatchObject({ failures: "0", skipped: "1" });
});

const called = interactionResult({
  overall: 0.95,
  tool_calls: [
    { id: "c1", name: "get_order", arguments: { order: 7 }, result: { status: "paid" } },
    { id: "c2", name: "cancel", arguments: "{oops", arguments_error: "not JSON", error: "Bad arguments." },
  ],
  reference_tool_calls: [{ name: "get_order" }],
});

test("writes the tool calls of a turn to lines and rows", () => {
  const run = runResult([scenarioResult("a", [[called]])]);
  expect(lines(exportResults(createResultLines, run))).toMatchObject([{ tool_calls: called.tool_calls }]);
  const rows = parse(exportResults(createResultCsv, run), { columns: true }) as unknown as Record<string, string>[];
  expect(JSON.parse(rows[0]?.["tool_calls"] ?? "")).toEqual(called.tool_calls);
  expect(JSON.parse(rows[0]?.["reference_tool_calls"] ?? "")).toEqual(called.reference_tool_calls);
});

test("writes tool calls with their results to training lines", () => {
  const run = runResult([scenarioResult("a", [[called, good]])]);
  const calls = [
    { id: "c1", type: "function", function: { name: "get_order", arguments: '{"order":7}' } },
    { id: "c2", type: "function", function: { name: "cancel", arguments: "{oops" } },
  ];
  const said = [
    { role: "user", content: called.user_message },
    { role: "assistant", content: "", tool_calls: calls },
    { role: "tool", tool_call_id: "c1", content: '{"status":"paid"}' },
    { role: "tool", tool_call_id: "c2", content: "Bad arguments." },
    { role: "assistant", content: called.agent_reply },
  ];
  expect(exportedAs("sft", run)).toEqual([
    {
      messages: [
        ...said,
        { role: "user", content: good.user_message },
        { role: "assistant", content: good.agent_reply },
      ],
    },
  ]);
  const open = interactionResult({
    overall: 0.95,
    agent_reply: "",
    tool_calls: [{ id: "c", name: "stop", arguments: {} }],
  });
  const pairs = exportedAs("dpo", runResult([scenarioResult("a", [[open], [bad]])]));
  expect(pairs).toMatchObject([
    { chosen: [{ role: "assistant", content: "", tool_calls: [{ id: "c" }] }], rejected: [{ content: "No idea." }] },
  ]);
});

/** A scenario whose agent refunded instead of cancelling. */
function wrongCall() {
  const turn = interactionResult({
    user_message: "Cancel order 1042.",
    reference_reply: "",
    agent_reply: "Done.",
    overall: 0.5,
    reference_tool_calls: [{ name: "cancel_order", arguments: { order_id: "1042" } }],
    tool_calls: [{ id: "1", name: "refund_order", arguments: { order_id: "1042" }, result: { ok: true } }],
  });
  const scored = {
    ...turn,
    scores: { ...turn.scores, tool_match: 0 },
    score_reasons: { tool_match: "not called: cancel_order" },
  };
  const scenario = scenarioResult("cancel", [[scored]]);
  const outcome = {
    value: 0 as const,
    parts: [
      { name: "replies", passed: true, reason: "every turn got a reply" },
      { name: "must_not_call", passed: false, reason: "refund_order was called in turn 1" },
    ],
    state_diff: [{ path: "/orders/1042/status", expected: "cancelled", actual: "paid" }],
  };
  const attempts = scenario.attempts.map((attempt) => ({
    ...attempt,
    average_scores: { ...attempt.average_scores, outcome: 0, "outcome.replies": 1 },
    outcome,
  }));
  return runResult([{ ...scenario, attempts }, scenarioResult("fine", [[good]])]);
}

test("names the wrong call, the broken rule and the state in JUnit and Markdown", () => {
  const { elements, texts } = readXml(exportResults(createJunit, wrongCall()));
  const message = elements.find(([element]) => element === "failure")?.[1]["message"];
  expect(message).toContain(
    "tool_match: not called: cancel_order; outcome.must_not_call: refund_order was called in turn 1",
  );
  expect(texts).toContain(
    'expected:  cancel_order({"order_id":"1042"})\ncalled:    refund_order({"order_id":"1042"}) → {"ok":true}',
  );
  expect(texts).toContain('state:     /orders/1042/status: expected "cancelled", is "paid"');
  const markdown = exportResults(createMarkdown, wrongCall());
  expect(markdown).toContain(
    '| `cancel`, attempt 1, turn 1 | `cancel_order({"order_id":"1042"})` | `refund_order({"order_id":"1042"}) → {"ok":true}` | ' +
      "`tool_match: not called: cancel_order; outcome.must_not_call: refund_order was called in turn 1` |",
  );
});
