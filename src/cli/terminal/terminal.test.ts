import { styleText } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { History, Protocol } from "../../contract/schemas/evaluation-request.ts";
import { histories, protocols } from "../eval/choices.ts";
import { createProgressTally, createRunMean, type ProgressFigures } from "../eval/progress.ts";
import { durationText, spentText } from "./figures.ts";
import { canRedraw, note, outputWidth, printJson, printResults, tell } from "./output.ts";
import { forTerminal, plainJson, plainLine } from "./plain-line.ts";
import { barText } from "./progress-bar.ts";
import { createProgressLines } from "./progress-lines.ts";
import { table, widthOf } from "./table.ts";

test("text of others cannot move the cursor, break the line or hide", () => {
  expect(plainLine("a\u001B[2Jb\r\nc\u202Ed\u0007")).toBe("ab c d");
  expect(plainLine("می\u200Cخواهم 👨\u200D👩\u200D👧")).toBe("می\u200Cخواهم 👨\u200D👩\u200D👧");
  expect(plainLine("x".repeat(300), 10)).toBe(`${"x".repeat(9)}…`);
});

test("our own colours and line ends reach a terminal, codes of others are written out", () => {
  const ours = `${styleText("red", "no", { validateStream: false })}\t${styleText(["bold", "dim"], "x", { validateStream: false })}\r\n`;
  expect(forTerminal(ours)).toBe(ours);
  expect(forTerminal("a\u001B]0;title\u0007\u001B[2J\u001B[8m\u009B31m\u202Ez\rb")).toBe(
    "a\\u001b]0;title\\u0007\\u001b[2J\\u001b[8m\\u009b31m\\u202ez\\u000db",
  );
});

const { isTTY } = process.stderr;
afterEach(() => {
  vi.restoreAllMocks();
  process.stderr.isTTY = isTTY;
});

test.each([
  [true, "rehearsal: the service said \\u001b[2J\n"],
  [false, "rehearsal: the service said \u001B[2J\n"],
])("what a service says cannot act on a terminal (%s), and a program gets it as it is", (terminal, expected) => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  process.stderr.isTTY = terminal;
  note("rehearsal: the service said \u001B[2J");
  expect(written.mock.calls.map(([text]) => text)).toEqual([expected]);
});

test("what a model says is no command for a build server, and JSON still says it", () => {
  const notes = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const lines = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const said = "::error::a\n  ::set-env name=b::c\nreply ##vso[task.prependpath]/tmp and ##[group]d, ## e::f";
  const inert = ": :error::a\n  : :set-env name=b::c\nreply ## vso[task.prependpath]/tmp and ## [group]d, ## e::f\n";
  note(said);
  tell(said);
  printJson({ said });
  expect(notes.mock.calls.map(([text]) => text)).toEqual([inert]);
  const [told, json] = lines.mock.calls.map(([text]) => String(text));
  expect(told).toBe(inert);
  expect(json).not.toMatch(/^\s*::|##\w*\[/m);
  expect(JSON.parse(json ?? "")).toEqual({ said });
});

test.each([
  ["junit", "a\n ::error::b ##vso[x]", "a\n &#58;:error::b #&#35;vso[x]"],
  ["markdown", "| `##vso[x]` |", "| `## vso[x]` |"],
  ["jsonl", '"##vso[x]"', '"#\\u0023vso[x]"'],
  ["csv", "a\n::error::b", "a\n::error::b"],
])(
  "results that go to stdout as %s are no command for a build server, where the format lets us",
  (format, text, expected) => {
    const lines = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    printResults(text, format);
    expect(lines.mock.calls).toEqual([[expected]]);
  },
);

// In a time that grows with the square of their number it would take minutes.
test("a million line ends are printed at once", () => {
  const lines = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  process.stdout.isTTY = false;
  const ends = "\r".repeat(1_000_000);
  tell(`${ends}::error::a`);
  expect(lines.mock.calls).toEqual([[`${ends}: :error::a\n`]]);
});

test("columns line up whatever is in them", () => {
  const text = table(
    [{ title: "A" }, { title: "N", align: "right" }],
    [
      ["日本", "1"],
      ["é", "22"],
    ],
  );
  expect(text).toBe("A      N\n日本   1\né     22");
  expect(widthOf("\u001B[31mred\u001B[39m")).toBe(3);
  expect(["𠮷", "❤️", "e\u0301", "متى"].map(widthOf)).toEqual([2, 2, 1, 3]);
});

test("a table of more rows than a function takes arguments is drawn like any other", () => {
  const rows = Array.from({ length: 130_000 }, () => ["run"]);
  expect(table([{ title: "A" }], rows).length).toBe("A".length + rows.length * "\nrun".length);
});

test("a table that is wider than the terminal is drawn closer, then row by row", () => {
  const columns = [{ title: "SCORE" }, { title: "MEAN" }, { title: "N", align: "right" }] as const;
  const rows = [
    ["  overall", "0.626 [0.000, 1.000]", "12"],
    ["  length", "", "3"],
  ];
  expect(table(columns, rows, 35).split("\n")[1]).toBe("  overall  0.626 [0.000, 1.000]  12");
  expect(table(columns, rows, 34).split("\n")[1]).toBe("  overall 0.626 [0.000, 1.000] 12");
  expect(table(columns, rows, 32)).toBe("overall\n  MEAN 0.626 [0.000, 1.000]\n  N 12\nlength\n  N 3");
  const untitled = [{ title: "" }, { title: "" }, { title: "" }];
  expect(table(untitled, [["✓", "store", "a file in a folder"]], 19)).toBe("✓  store  a file in\n  a folder");
});

test("only a terminal has a width", () => {
  expect(outputWidth({ isTTY: true, columns: 40 })).toBe(40);
  expect(outputWidth({ isTTY: true, columns: 0 })).toBe(Infinity);
  expect(outputWidth({ isTTY: false, columns: 40 })).toBe(Infinity);
});

test("times and money read well", () => {
  expect([durationText(41_000), durationText(723_000), durationText(3_723_000)]).toEqual(["0:41", "12:03", "1:02:03"]);
  expect([0, 1.234, 0.00123, 0.0000005].map(spentText)).toEqual(["$0.00", "$1.23", "$0.0012", "$0.00000050"]);
});

const figures: ProgressFigures = {
  turns: 100,
  done: 50,
  failed: 2,
  overall: 0.8416,
  spent: 0.21,
  elapsedMs: 1000,
  remainingMs: 41_000,
};

test("the bar fits the terminal and says how far, how good, how dear and how long", () => {
  const wide = barText(figures, 120);
  expect(wide).toContain("50/100 turns  2 failed  overall 0.842  $0.21  ETA 0:41");
  expect(wide.match(/█/g)).toHaveLength(15);
  for (const columns of [20, 40, 60, 80]) expect(widthOf(barText(figures, columns))).toBeLessThan(columns);
});

test("a log gets a line for each tenth, and one after ten quiet seconds", () => {
  const lines: string[] = [];
  const write = createProgressLines((line) => lines.push(line));
  for (let done = 1; done <= 100; done++) write({ ...figures, done, elapsedMs: done });
  expect(lines).toHaveLength(10);
  write({ ...figures, done: 100, elapsedMs: 10_200 });
  expect(lines).toHaveLength(11);
});

test("the running score is the mean the results will show: of turns, then attempts, then scenarios", () => {
  const mean = createRunMean();
  expect(mean.mean()).toBeNull();
  mean.add("one", 1, 1);
  mean.add("one", 1, 0);
  mean.add("one", 2, 1);
  expect(mean.mean()).toBeCloseTo(0.75, 12);
  mean.add("two", 1, 0.25);
  expect(mean.mean()).toBeCloseTo(0.5, 12);
});

test("what can be chosen is what the contract knows", () => {
  expect(protocols).toEqual(Protocol.options);
  expect(histories).toEqual(History.options);
});

test("progress knows the running score, the failures and the time that is left", () => {
  let now = 0;
  const tally = createProgressTally({ turns: 4, now: () => now });
  const turn = {
    scenario_id: "s",
    attempt: 1,
    turn_index: 0,
    pass: 1,
    interaction_id: "1",
    agent_reply: "",
    latency_ms: 1,
  };
  tally.add({ ...turn, error: null, scores: { overall: 0.5 }, cost: 0.1 });
  const error = { code: "upstream_error", detail: "", upstream_status: 500, tries: 1, retryable: true } as const;
  tally.add({ ...turn, error, scores: { success: 0 }, cost: null });
  now = 2000;
  expect(tally.figures()).toEqual({
    turns: 4,
    done: 2,
    failed: 1,
    overall: 0.5,
    spent: 0.1,
    elapsedMs: 2000,
    remainingMs: 2000,
  });
});

test("turns that were done before a run went on say nothing about the time that is left", () => {
  let now = 0;
  const tally = createProgressTally({ turns: 1000, before: 900, now: () => now });
  const turn = { scenario_id: "s", attempt: 1, turn_index: 0, pass: 1, interaction_id: "1", agent_reply: "" };
  const add = (): void => tally.add({ ...turn, latency_ms: 1, error: null, scores: {}, cost: null });
  for (let index = 0; index < 900; index++) add();
  expect(tally.figures()).toMatchObject({ done: 900, remainingMs: null });
  now = 2000;
  add();
  expect(tally.figures()).toMatchObject({ done: 901, elapsedMs: 2000, remainingMs: 198_000 });
});

test("turns of a replay, which nobody planned, do not go past the end of the bar", () => {
  const tally = createProgressTally({ turns: 1, now: () => 0 });
  const turn = { scenario_id: "s", attempt: 1, turn_index: 0, interaction_id: "1", agent_reply: "", latency_ms: 1 };
  for (const pass of [1, 2]) tally.add({ ...turn, pass, error: null, scores: {}, cost: null });
  expect(barText(tally.figures(), 80)).toBe(`${"█".repeat(30)}  1/1 turns`);
});

test("a bar is drawn on a terminal that can, and neither in a log nor in CI", () => {
  const terminal = { isTTY: true } as NodeJS.WriteStream;
  const log = { isTTY: false } as NodeJS.WriteStream;
  expect(canRedraw(terminal, { TERM: "xterm" })).toBe(true);
  expect(canRedraw(terminal, {})).toBe(true);
  expect(canRedraw(terminal, { TERM: "dumb" })).toBe(false);
  expect(canRedraw(terminal, { TERM: "xterm", CI: "true" })).toBe(false);
  expect(canRedraw(log, { TERM: "xterm" })).toBe(false);
});

test("JSON on a terminal shows what would otherwise act there, and says the same", () => {
  const value = { to: "a\u009b31m\u202eb\u{e0041}\u2028c", family: "👨‍👩‍👧" };
  const text = plainJson(value, 2);
  expect(text).toContain(String.raw`"to": "a\u009b31m\u202eb\udb40\udc41\u2028c"`);
  expect(text).toContain('"family": "👨‍👩‍👧"');
  expect(JSON.parse(text)).toEqual(value);
  expect(plainJson(value)).not.toContain("\n");
});
