import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runServices, type RunningServices } from "./support/services.ts";

const run = promisify(execFile);
const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
/** A curl command and the answer that follows it. */
const examples = [...readme.matchAll(/```sh\n(curl [^`]*?)```\n(?:[^`]|`[^`\n]*`)*?```json\n([^`]*?)```/g)].map(
  ([, command = "", answer = ""]) => ({ command, answer: JSON.parse(answer) as unknown }),
);

let services: RunningServices;
beforeAll(async () => {
  services = await runServices();
});
afterAll(() => services[Symbol.asyncDispose]());

test("shows one example for each route it names", () => {
  expect(examples.map(({ command }) => /127\.0\.0\.1:(800\d\S*?)'?(?:\s|$)/.exec(command)?.[1])).toEqual([
    "8001/evaluate",
    "8001/evaluate",
    "8001/runs?limit=1",
    "8000/",
    "8000/studio/models",
    "8000/healthz",
  ]);
});

test("every curl line gives the answer that is shown", async () => {
  for (const { command, answer } of examples) {
    const here = command
      .replaceAll("http://127.0.0.1:8000", services.agent)
      .replaceAll("http://127.0.0.1:8001", services.evaluation);
    const { stdout } = await run("sh", ["-c", here]);
    expect(JSON.parse(stdout)).toEqual(toMatcher(answer));
  }
});

/** "…" matches anything; an object with the key "…" may have more keys, an array that ends with "…" more items. */
function toMatcher(shown: unknown): unknown {
  if (shown === "…") return expect.toSatisfy(() => true);
  if (Array.isArray(shown)) {
    if (shown.at(-1) !== "…") return shown.map(toMatcher);
    return expect.arrayContaining(shown.slice(0, -1).map(toMatcher));
  }
  if (typeof shown !== "object" || shown === null) return shown;
  const { "…": more, ...fields } = shown as Record<string, unknown>;
  const matchers = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, toMatcher(value)]));
  return more === undefined ? matchers : expect.objectContaining(matchers);
}
