import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentService, evaluationService } from "../../scripts/reference/api-services.ts";
import { referencePages } from "../../scripts/reference/pages.ts";
import { recordedAnswers } from "../../scripts/reference/recorded-answers.ts";
import { runExamples } from "../../scripts/reference/run-examples.ts";
import { runCli } from "../cli/run-cli.ts";
import { runServices, type RunningServices } from "../support/services.ts";

const docs = join(import.meta.dirname, "../../docs");

test("every generated page is what the code says (npm run docs:reference)", async () => {
  const pages = await referencePages();
  const written = Object.keys(pages).map((path) => [path, readFileSync(join(docs, path), "utf8")]);
  expect(Object.fromEntries(written)).toEqual(pages);
});

test.each(["--help", "eval --help", "mcp --help"])("the page of commands has all that %s shows", async (typed) => {
  const shown = await runCli(typed.split(" "), { cwd: docs });
  // The width of a terminal is its own: words are what must be there.
  const words = (text: string) =>
    text
      .split(/\s+/)
      .filter((word) => word !== "")
      .join(" ");
  expect(words(readFileSync(join(docs, "cli.md"), "utf8"))).toContain(words(shown.stdout));
});

test.each([evaluationService, agentService])("$title: every route has an example", ({ operations, examples }) => {
  expect(Object.keys(examples).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

test.each([evaluationService, agentService])(
  "$title: the example of a body is the one that /docs begins with",
  ({ operations, examples }) => {
    const taking = operations.filter(({ body }) => body !== undefined);
    expect(taking.filter(({ body, example }) => !body?.safeParse(example).success).map(({ id }) => id)).toEqual([]);
    const sent = taking.map(({ id, example }) => ({
      id,
      example,
      text: /-d '([^]*)'$/.exec(examples[id]?.command ?? "")?.[1],
    }));
    // One that names runs is filled from earlier answers.
    for (const { id, example, text } of sent.filter(({ text }) => text?.includes("$") !== true)) {
      expect({ id, example: JSON.parse(text ?? "null") as unknown }).toEqual({ id, example });
    }
  },
);

let services: RunningServices;
beforeAll(async () => {
  services = await runServices();
});
afterAll(() => services[Symbol.asyncDispose]());

test.each([evaluationService, agentService])(
  "$title: every example is answered as the contract and the page say",
  async ({ name, examples }) => {
    const answers = await runExamples(examples, services);
    const statuses = Object.fromEntries(Object.entries(answers).map(([id, { status }]) => [id, status]));
    expect(statuses).toEqual(Object.fromEntries(Object.entries(examples).map(([id, { status }]) => [id, status])));
    const shown = Object.entries(recordedAnswers[name]);
    expect(shown.length).toBeGreaterThan(10);
    const missing = shown.flatMap(([id, answer]) => missingKeys(answer, JSON.parse(answers[id]?.body ?? "{}"), id));
    expect(missing).toEqual([]);
  },
);

/** Keys the page shows and the answer does not have. In a list, any item may have them: replies to review come in random order. */
function missingKeys(shown: unknown, actual: unknown, path: string): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return [path];
    const missing = (actual.length > 0 ? actual : [undefined]).map((item) => missingKeys(shown[0], item, `${path}[0]`));
    return missing.toSorted((left, right) => left.length - right.length)[0] ?? [];
  }
  if (typeof shown !== "object" || shown === null) return [];
  if (typeof actual !== "object" || actual === null) return [path];
  return Object.entries(shown).flatMap(([key, item]) => {
    if (key === "…") return [];
    return key in actual
      ? missingKeys(item, (actual as Record<string, unknown>)[key], `${path}.${key}`)
      : [`${path}.${key}`];
  });
}
