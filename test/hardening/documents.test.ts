import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test.each(["SECURITY.md", "docs/threat-model.md", "docs/reliability.md"])("every file %s names exists", (page) => {
  const text = read(page);
  const named = [...text.matchAll(/`((?:src|test|scripts|docs|web)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = ""]) => join(page, "..", path));
  expect([...named, ...linked].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

describe("docs/threat-model.md", () => {
  // List items are wrapped at 120 columns.
  const threats = read("docs/threat-model.md")
    .replaceAll(/\n {2}(?=\S)/g, " ")
    .split(/^### /m)
    .slice(1);

  test("counts the threats from T1 on, without a gap", () => {
    expect(threats.length).toBeGreaterThanOrEqual(27);
    expect(threats.map((threat) => threat.split(" ")[0])).toEqual(threats.map((_, index) => `T${index + 1}`));
  });

  test.each(threats.map((threat) => [threat.split("\n")[0] ?? "", threat]))("%s", (_title, threat) => {
    const kept = [...threat.matchAll(/^- kept by `([^`]+)` \(`([^`]+)`\)$/gm)];
    const proven = [...threat.matchAll(/^- proven by `([^`]+)`: "(.+)"$/gm)];
    const lines = threat.split("\n").filter((line) => line.startsWith("- "));
    expect(lines).toHaveLength(kept.length + proven.length);
    expect([kept.length > 0, proven.length > 0]).toEqual([true, true]);
    const gone = [...kept, ...proven].filter(([, path = "", name = ""]) => !read(path).includes(name));
    expect(gone.map(([line]) => line)).toEqual([]);
  });
});
