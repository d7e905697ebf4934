// Writes the figures of docs/reliability.md from the figures the suites print: runs them with HARDENING_FIGURES, and adds what
// longer runs (`npm run test:deep`, `npm run soak`) left in the files named as parameters. With --only-files
// nothing is run. Of several figures for one suite the last counts.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs/reliability.md");
const begin = "<!-- figures: begin -->";
const end = "<!-- figures: end -->";

function measure() {
  const file = join(mkdtempSync(join(tmpdir(), "rehearsal-figures-")), "figures.jsonl");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const result = spawnSync(process.execPath, [vitest, "run", "test/hardening"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, HARDENING_FIGURES: file },
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
  const check = spawnSync(process.execPath, [join(root, "scripts/check-supply-chain.mjs")], { encoding: "utf8" });
  return `${readFileSync(file, "utf8")}${check.stdout}`;
}

const parameters = process.argv.slice(2);
const files = parameters.filter((parameter) => parameter !== "--only-files");
const texts = [
  ...(parameters.includes("--only-files") ? [] : [measure()]),
  ...files.map((file) => readFileSync(file, "utf8")),
];
const lines = texts
  .flatMap((text) => text.split("\n"))
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line));
const rows = [...new Map(lines.map((line) => [line.suite, line])).values()]
  .toSorted((left, right) => left.suite.localeCompare(right.suite))
  .map(({ suite, seed: _seed, ...figures }) => {
    const list = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
    return `- **${suite}**: ${list.join("; ")}`;
  });
const table = [begin, "", ...rows, "", end].join("\n");
const before = readFileSync(page, "utf8");
writeFileSync(page, before.slice(0, before.indexOf(begin)) + table + before.slice(before.indexOf(end) + end.length));
