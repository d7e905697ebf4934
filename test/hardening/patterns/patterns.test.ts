import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { isDeep } from "../../support/sizes.ts";
import { accepted } from "./accepted-patterns.ts";
import { checkPattern, repeatsWithoutEnd, type Verdict } from "./check-pattern.ts";
import { collectPatterns, patternsIn, type FoundPattern } from "./collect-patterns.ts";

const root = resolve(import.meta.dirname, "../../..");
const recordFile = join(import.meta.dirname, "linear-patterns.txt");

const keyOf = ({ source, flags }: Pick<FoundPattern, "source" | "flags">): string => `/${source}/${flags}`;
const patterns = collectPatterns(root, ["src", "web"]);
const excuses = new Set(accepted.flatMap(({ patterns: listed }) => listed.map(keyOf)));

function problem({ places, ...pattern }: FoundPattern, verdict: Verdict): string[] {
  if (verdict.status === "linear") return [];
  const what = verdict.status === "vulnerable" ? `${verdict.complexity}, attacked by ${verdict.attack}` : "undecided";
  return [`${places.join(", ")} ${keyOf(pattern)}: ${what}`];
}

// A full check takes minutes, so patterns that were found linear are recorded, and only new ones are checked here.
test("every regular expression takes time proportional to the text, or an entry says why it does no harm", () => {
  const recorded = new Set(readFileSync(recordFile, "utf8").split("\n"));
  const fresh = patterns.filter((pattern) => !recorded.has(keyOf(pattern)) && !excuses.has(keyOf(pattern)));
  expect(fresh.flatMap((pattern) => problem(pattern, checkPattern(pattern.source, pattern.flags)))).toEqual([]);
});

// With `-u`, this writes the record.
test.runIf(isDeep)("the record of linear patterns is right", { timeout: 3_600_000 }, async () => {
  const checked = patterns.filter((pattern) => repeatsWithoutEnd(pattern.source) && !excuses.has(keyOf(pattern)));
  const problems = checked.flatMap((pattern) => problem(pattern, checkPattern(pattern.source, pattern.flags)));
  expect(problems).toEqual([]);
  await expect(`${checked.map(keyOf).toSorted().join("\n")}\n`).toMatchFileSnapshot(recordFile);
});

test("every accepted pattern is still in the code", () => {
  const used = new Set(patterns.map(keyOf));
  expect([...excuses].filter((key) => !used.has(key))).toEqual([]);
});

test("a slow pattern is found wherever it is written", () => {
  const program = `
    const name = String.raw\`[a-z]+\`;
    const tag = new RegExp(\`^(?:\${name})*$\`, "u");
    const element = <p title={text.replace(/\\s+$/, "")}>{/* no pattern: /(a+)+$/ */ "/(b+)+$/"}</p>;
    const list = RegExp(["(?:x|x)*y", "z"].join("|"));
  `;
  const found = patternsIn(program, "page.tsx");
  expect(found.map(keyOf)).toEqual(["/^(?:[a-z]+)*$/u", "/\\s+$/", "/(?:x|x)*y|z/"]);
  expect(found.map(({ source, flags }) => checkPattern(source, flags))).toMatchObject([
    { status: "vulnerable", complexity: "exponential" },
    { status: "vulnerable", complexity: "degree 2" },
    { status: "vulnerable", complexity: "exponential" },
  ]);
});
