import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** The sources without tests, by path. */
const sources = ["src", "web"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|testing|fixtures|node_modules/.test(file))
    .map((file) => readFileSync(join(root, folder, file), "utf8")),
);

/** Names that `declaration` finds in more than one file. */
function doubled(declaration: RegExp): string[] {
  const counts = new Map<string, number>();
  for (const text of sources) {
    for (const name of new Set([...text.matchAll(declaration)].map((match) => match[1] ?? "")))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].flatMap(([name, count]) => (count > 1 ? name : [])).toSorted();
}

test("the glossary defines each of its words once", () => {
  const section = readFileSync(join(root, "CONTRIBUTING.md"), "utf8").split("\n## Words\n")[1]?.split("\n## ")[0] ?? "";
  const words = [...section.matchAll(/^\| (\w+) +\| \S/gm)].map((match) => match[1]).filter((word) => word !== "word");
  expect(words).toEqual(["run", "attempt", "turn", "interaction", "thread", "summary", "lease"]);
});

test("a name of a type stands in one file, but for a few", () => {
  const names = doubled(/^(?:export )?(?:interface|type) (\w+)/gm);
  expect(names.slice(30)).toEqual([]);
});

test("a name of a function stands in one file, but for those that mean the same everywhere", () => {
  const names = doubled(/^(?:export )?(?:async )?function\*? (\w+)/gm);
  expect(names.slice(190)).toEqual([]);
});
