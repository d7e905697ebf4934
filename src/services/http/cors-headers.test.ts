import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentOperations } from "../../contract/operations/agent.ts";
import { analysisOperations } from "../../contract/operations/analysis.ts";
import { evaluationOperations } from "../../contract/operations/evaluation.ts";
import { libraryOperations } from "../../contract/operations/library.ts";
import { toOpenApi } from "../../contract/operations/openapi.ts";
import { pageMayRead, pageMaySend } from "./cors-headers.ts";

const operations = [...agentOperations, ...evaluationOperations, ...analysisOperations, ...libraryOperations];

const folder = join(import.meta.dirname, "..");
const sources = globSync("**/*.ts", { cwd: folder })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(folder, file), "utf8"))
  .join("\n");

const named = (pattern: RegExp) => Array.from(sources.matchAll(pattern), ([, name = ""]) => name);
const except = (names: readonly string[], others: readonly string[]) =>
  [...new Set(names)].filter((name) => !others.includes(name));

/** Set by the browser, of no use to a page elsewhere, or refused with any value but the one that says nothing. */
const notForPages = [
  "accept-encoding",
  "access-control-request-method",
  "content-encoding",
  "content-length",
  "host",
  "if-none-match",
  "origin",
  "sec-fetch-site",
];

test("a page of an allowed origin may send every header the services read", () => {
  const read = named(/req\.header\("([a-z-]+)"\)/g);
  const documented = operations.flatMap(({ headers = {} }) => Object.keys(headers));
  expect(read).toContain("x-thread-id");
  expect(documented).toContain("mcp-protocol-version");
  expect(except([...read, ...documented], [...pageMaySend, ...notForPages])).toEqual([]);
});

/** Told to the browser or to proxies, or readable without permission. */
const notForPrograms =
  /^(?:access-control|cross-origin)-|^(?:cache-control|content-encoding|content-length|content-security-policy|content-type|referrer-policy|x-accel-buffering|x-content-type-options)$/;

test("and may read every header they send", () => {
  const sent = [
    ...named(/"([a-z]+(?:-[a-z]+)+)":/g),
    ...named(/context\.header\("([a-z-]+)"/g),
    ...named(/\bheaders\["([a-z-]+)"\] = /g),
  ];
  expect(sent).toContain("x-run-id");
  expect(sent).toContain("location");
  expect(except(sent, pageMayRead).filter((name) => !notForPrograms.test(name))).toEqual([]);
});

test("and finds each of them in the OpenAPI document", () => {
  const { paths } = toOpenApi({ title: "Test", version: "1", description: "", operations });
  const answers = Object.values(paths)
    .flatMap((routes) => Object.values(routes))
    .flatMap(({ responses }) => Object.values(responses as Record<string, { headers: Record<string, unknown> }>));
  const documented = new Set(answers.flatMap(({ headers }) => Object.keys(headers)));
  // No route answers with 405: it is what all others of its address have in common.
  expect([...documented, "allow"].toSorted()).toEqual(pageMayRead);
});
