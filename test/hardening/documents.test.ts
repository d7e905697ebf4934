import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test.each(["SECURITY.md", "docs/threat-model.md", "docs/reliability.md"])("every file %s names exists", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const named = [...text.matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = ""]) => join(page, "..", path));
  expect([...named, ...linked].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every threat names the place that answers it and the test that proves it", () => {
  const text = readFileSync(join(root, "docs/threat-model.md"), "utf8");
  const threats = text.split(/\n- \*\*/).slice(1);
  expect(threats.length).toBeGreaterThanOrEqual(27);
  expect(
    threats.filter((threat) => !/`(src|scripts)\//.test(threat) || !/`(test\/|src\/[\w/-]+\.test\.ts)/.test(threat)),
  ).toEqual([]);
});
