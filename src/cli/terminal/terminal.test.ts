import { styleText } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { canRedraw, note, outputWidth, printJson, printMessage, printResults } from "./output.ts";
import { table, widthOf } from "./table.ts";
import { durationText, escapeControlCodes, plainJson, plainLine, spentText } from "./text.ts";

test("removes control codes and line breaks from untrusted text", () => {
  expect(plainLine("a\u001B[2Jb\r\nc\u202Ed\u0007")).toBe("ab c d");
  expect(plainLine("می\u200Cخواهم 👨\u200D👩\u200D👧")).toBe("می\u200Cخواهم 👨\u200D👩\u200D👧");
  expect(plainLine("x".repeat(300), 10)).toBe(`${"x".repeat(9)}…`);
});

test("keeps our own colours and escapes other control codes", () => {
  const ours = `${styleText("red", "no", { validateStream: false })}\t${styleText(["bold", "dim"], "x", { validateStream: false })}\r\n`;
  expect(escapeControlCodes(ours)).toBe(ours);
  expect(escapeControlCodes("a\u001B]0;title\u0007\u001B[2J\u001B[8m\u009B31m\u202Ez\rb")).toBe(
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
])("escapes control codes on a terminal (%s) but not for a program", (terminal, expected) => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  process.stderr.isTTY = terminal;
  note("rehearsal: the service said \u001B[2J");
  expect(written.mock.calls.map(([text]) => text)).toEqual([expected]);
});

test("neutralizes build-server commands in text, and in JSON without changing its value", () => {
  const notes = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const lines = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const said = "::error::a\n  ::set-env name=b::c\nreply ##vso[task.prependpath]/tmp and ##[group]d, ## e::f";
  const inert = ": :error::a\n  : :set-env name=b::c\nreply ## vso[task.prependpath]/tmp and ## [group]d, ## e::f\n";
  note(said);
  printMessage(said);
  printJson({ said });
  expect(notes.mock.calls.map(([text]) => text)).toEqual([inert]);
  const [text, json] = lines.mock.calls.map(([text]) => String(text));
  expect(text).toBe(inert);
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

// Quadratic time would take minutes.
test("prints a million line breaks in linear time", () => {
  const lines = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  process.stdout.isTTY = false;
  const ends = "\r".repeat(1_000_000);
  printMessage(`${ends}::error::a`);
  expect(lines.mock.calls).toEqual([[`${ends}: :error::a\n`]]);
});

test("aligns columns of any text", () => {
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

test("draws a table with more rows than a function takes arguments", () => {
  const rows = Array.from({ length: 130_000 }, () => ["run"]);
  expect(table([{ title: "A" }], rows).length).toBe("A".length + rows.length * "\nrun".length);
});

test("narrows the gaps of a wide table, then draws rows as paragraphs", () => {
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

test("has a width only on a terminal", () => {
  expect(outputWidth({ isTTY: true, columns: 40 })).toBe(40);
  expect(outputWidth({ isTTY: true, columns: 0 })).toBe(Infinity);
  expect(outputWidth({ isTTY: false, columns: 40 })).toBe(Infinity);
});

test("formats durations and money", () => {
  expect([durationText(41_000), durationText(723_000), durationText(3_723_000)]).toEqual(["0:41", "12:03", "1:02:03"]);
  expect([0, 1.234, 0.00123, 0.0000005].map(spentText)).toEqual(["$0.00", "$1.23", "$0.0012", "$0.00000050"]);
});

test("redraws on a capable terminal, but not in a log or in CI", () => {
  const terminal = { isTTY: true } as NodeJS.WriteStream;
  const log = { isTTY: false } as NodeJS.WriteStream;
  expect(canRedraw(terminal, { TERM: "xterm" })).toBe(true);
  expect(canRedraw(terminal, {})).toBe(true);
  expect(canRedraw(terminal, { TERM: "dumb" })).toBe(false);
  expect(canRedraw(terminal, { TERM: "xterm", CI: "true" })).toBe(false);
  expect(canRedraw(log, { TERM: "xterm" })).toBe(false);
});

test("escapes invisible characters in JSON without changing its value", () => {
  const value = { to: "a\u009b31m\u202eb\u{e0041}\u2028c", family: "👨‍👩‍👧" };
  const text = plainJson(value, 2);
  expect(text).toContain(String.raw`"to": "a\u009b31m\u202eb\udb40\udc41\u2028c"`);
  expect(text).toContain('"family": "👨‍👩‍👧"');
  expect(JSON.parse(text)).toEqual(value);
  expect(plainJson(value)).not.toContain("\n");
});
